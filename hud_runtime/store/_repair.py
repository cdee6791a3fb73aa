"""Repairing a store: what is derived is made anew, what is damaged is salvaged into a new file.

A log has no gaps, so a session with a hole keeps what stands before it. What stands behind is no
log any more; it is written as JSON lines beside the damaged files, which are kept. One case is
different: where a sound snapshot says what the state was behind all that is lost, the session's present
does not need it. It goes on, and its past, which is archived then, has a hole that is told of.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from itertools import groupby
from os import O_CREAT, O_EXCL, O_WRONLY, close, fdopen, fsync
from pathlib import Path
from typing import TypeAlias

import msgspec

from hud_runtime._errors import (
    StoreDamagedError,
    StoreError,
    StoreLockedError,
    StoreReadOnlyError,
    StoreVersionError,
)
from hud_runtime.store._archive import folder_of
from hud_runtime.store._archive_files import SUFFIX
from hud_runtime.store._database import Database
from hud_runtime.store._engine import Row
from hud_runtime.store._failures import our_file_errors
from hud_runtime.store._files import open_private
from hud_runtime.store._identity import opened
from hud_runtime.store._output_table import rescued
from hud_runtime.store._pages import read_pages
from hud_runtime.store._protocol import Damage
from hud_runtime.store._replace import (
    DATABASE,
    LOGS,
    clear_abandoned,
    is_store_at,
    put_in_place,
    set_aside,
    staging,
    unused,
)
from hud_runtime.store._rows import COLUMNS
from hud_runtime.store._salvage import Remains, Salvaged, remains_of
from hud_runtime.store._salvaged import write_salvaged
from hud_runtime.store._sqlite import BUSY_TIMEOUT, SqliteEventStore

Projection: TypeAlias = tuple[str, tuple[int, ...]]
"""A projection's name, and its revisions: today's, and those it had."""

REST = "not-in-the-log.jsonl"
"""The file, beside the damaged ones, with what was read and could not stay in the log."""


@dataclass(frozen=True, slots=True)
class LostEvents:
    """The events that are missing of a session."""

    session_id: str
    missing: tuple[tuple[int, int], ...]
    """The first and the last version of each stretch, as far as it is known."""
    kept: int
    """The number of events in the repaired store."""
    put_beside: int
    """The number of those that could be read and stand behind what is missing; they are in a file."""


@dataclass(frozen=True, slots=True)
class Repaired:
    """The result of a repair."""

    path: Path
    made_anew: tuple[str, ...] = ()
    """The derived data that has been made anew from the log, or will be when it is needed."""
    sessions: int = 0
    events: int = 0
    lost: tuple[LostEvents, ...] = ()
    set_aside: Path | None = None
    """The folder with the damaged files; ``None`` where the log was sound and stayed in its place."""
    not_as_written: int = 0
    """The number of rows that look like events and do not fit their digests; they are in a file."""
    remaining: tuple[Damage, ...] = ()
    """The damage that is still told of the repaired store: holes in the archived past of sessions."""

    @property
    def is_whole(self) -> bool:
        """True if nothing that was acknowledged is known to be missing."""
        return not self.lost and not self.remaining


def repair(path: Path, *, projection: Projection, timeout: int = BUSY_TIMEOUT) -> Repaired:
    """Mend the store at ``path``; see :meth:`HudStore.repair`.

    :param projection: the name and the revisions of the snapshots that can stand in for lost events.
    """
    path = path.expanduser().absolute()
    if not is_store_at(path):
        raise StoreError(f"there is no store at {path}")
    clear_abandoned(path)
    if _has_sound_log(path):
        with closing(SqliteEventStore(path)) as store:
            return _account(store, path, made_anew=store.make_derived_anew())
    with staging(path) as folder, unused(path, timeout) as db:
        copy, made = folder / "damaged.db", folder / DATABASE
        _copy_pages(db, path, copy)
        volumes = sorted(folder_of(path).glob(f"*{SUFFIX}"))
        remains = remains_of(read_pages(copy), volumes)
        if not remains.events:
            raise StoreDamagedError(
                f"{path}: not one event of a store can be read from it; restore a backup"
            )
        kept, lost = _sorted_out(remains, projection)
        write_salvaged(made, kept, remains)
        with closing(Database(made, durable=True, busy_timeout=0)) as new, new.writing() as target:
            rescued(copy, target)
        with closing(SqliteEventStore(made, durable=True)) as store:
            account = _account(store, path, lost=tuple(lost))
            store.checkpoint()
        made.with_name(f"{made.name}-lock").unlink(missing_ok=True)
        aside = set_aside(path, "damaged")
        if aside is not None:
            _write_rest(aside / REST, remains, kept)
        put_in_place(made, path)
    made_anew, unsound = ("search index", "snapshots"), len(remains.leftovers)
    return replace(account, made_anew=made_anew, set_aside=aside, not_as_written=unsound)


def _has_sound_log(path: Path) -> bool:
    """Tell whether nothing is damaged but what is derived.

    Raises what stands in the way of a repair: a lock, rights, a newer layout.
    """
    try:
        with closing(SqliteEventStore(path)) as store:
            return all(one.is_derived for one in store.verify())
    except (StoreLockedError, StoreReadOnlyError, StoreVersionError):
        raise
    except StoreError:  # so damaged that it is not known for a store of ours
        return False


def _account(
    store: SqliteEventStore,
    path: Path,
    *,
    made_anew: tuple[str, ...] = (),
    lost: tuple[LostEvents, ...] = (),
) -> Repaired:
    sessions = store.sessions()
    events = sum(one.kept for one in lost) + sum(
        store.head(each).version for each in {*sessions} - {one.session_id for one in lost}
    )
    return Repaired(path, made_anew, len(sessions), events, lost, remaining=store.verify())


def _copy_pages(db: sqlite3.Connection | None, path: Path, copy: Path) -> None:
    """Copy the pages as they are, through SQLite while it holds the lock, else byte by byte."""
    with our_file_errors(copy):
        close(open_private(copy, O_CREAT | O_EXCL | O_WRONLY))
        if db is not None:
            with suppress(sqlite3.DatabaseError), closing(sqlite3.connect(copy)) as target:
                db.execute("COMMIT")  # the lock stays, as the mode of locking is exclusive
                db.backup(target)
                return
        for end in ("", *LOGS):
            source = path.with_name(f"{path.name}{end}")
            if source.exists():
                with opened(source) as file:
                    copy.with_name(f"{copy.name}{end}").write_bytes(file.read())


def _sorted_out(
    remains: Remains, projection: Projection
) -> tuple[list[Salvaged], list[LostEvents]]:
    """Return the events that stay in the log, and what is missing of which sessions."""
    kept: list[Salvaged] = []
    lost: list[LostEvents] = []
    for session_id in sorted({*remains.events, *remains.known}):
        events = remains.events.get(session_id, {})
        last = max({*events, *remains.known.get(session_id, ())})
        missing = tuple(_stretches(set(range(1, last + 1)) - events.keys()))
        stays = [events[version] for version in sorted(events)]
        if missing and _has_snapshot(remains, session_id, projection, missing[-1][1], last):
            stays = [one._replace(is_archived=one.version < missing[-1][1]) for one in stays]
        elif missing:
            stays = [
                one._replace(is_archived=False) for one in stays if one.version < missing[0][0]
            ]
        kept += stays
        if missing:
            lost.append(LostEvents(session_id, missing, len(stays), len(events) - len(stays)))
    return kept, lost


def _has_snapshot(
    remains: Remains, session_id: str, projection: Projection, after: int, last: int
) -> bool:
    """Tell whether a snapshot stands in for all events up to ``after``, and one is left behind them."""
    name, revisions = projection
    found = (
        one.version
        for one in remains.snapshots
        if (one.session_id, one.projection) == (session_id, name) and one.revision in revisions
    )
    return after < last and any(after <= version <= last for version in found)


def _stretches(versions: set[int]) -> Iterator[tuple[int, int]]:
    for _, run in groupby(enumerate(sorted(versions)), key=lambda one: one[1] - one[0]):
        stretch = [version for _, version in run]
        yield stretch[0], stretch[-1]


def _write_rest(path: Path, remains: Remains, kept: Iterable[Salvaged]) -> None:
    """Write what was read and is not in the log: one event a line, and why it is not."""
    there = {(one.row[1], one.version) for one in kept}
    behind = [
        one
        for versions in remains.events.values()
        for one in versions.values()
        if (one.row[1], one.version) not in there
    ]
    lines = [
        *(_line("behind what is missing", one.position, one.row) for one in behind),
        *(_line("not as it was written", one.position, one.row) for one in remains.leftovers),
    ]
    if not lines:
        return
    flags = O_CREAT | O_EXCL | O_WRONLY
    with our_file_errors(path), fdopen(open_private(path, flags), "wb") as file:
        file.writelines(lines)
        file.flush()
        fsync(file.fileno())


def _line(why: str, position: int, row: Row) -> bytes:
    names = COLUMNS.split(", ")
    event = dict(zip(names, row, strict=False))
    with suppress(msgspec.DecodeError):
        event["payload"] = msgspec.json.decode(event["payload"])
    return msgspec.json.encode({"why": why, "position": position, **event}) + b"\n"
