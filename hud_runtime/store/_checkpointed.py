"""A checkpoint that somebody asks for: what was in the write-ahead log, and who keeps it there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hud_runtime._errors import StoreLockedError
from hud_runtime.store._database import Database


@dataclass(frozen=True, slots=True)
class Checkpointed:
    """The result of a checkpoint."""

    before: int
    """Bytes of the write-ahead log."""

    after: int
    """Bytes of it that are left; 0 when everything is in the database."""

    blocked: str = ""
    """The reason why something is left; empty when nothing is."""


def checkpointed(database: Database) -> Checkpointed:
    """Copy the write-ahead log into the database, and cut it to nothing.

    Somebody who reads or writes for longer than the time-out blocks it: then as much is copied as
    can be.
    """
    if database.path is None:
        return Checkpointed(0, 0)
    log = database.path.with_name(f"{database.path.name}-wal")
    before, blocked = _size(log), ""
    try:
        database.empty_log()
    except StoreLockedError:
        blocked = "another process reads from the store, or writes to it; try again when it is done"
        database.checkpoint()
    return Checkpointed(before, _size(log), blocked)


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0
