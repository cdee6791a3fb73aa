"""Operations that keep a store, as a table: each may be killed at any moment.

An operation takes the store's path and a number, and does one thing to the store from start to end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from hud_runtime import HudStore

Operation = Callable[[Path, int], None]


def back_up(path: Path, number: int) -> None:
    with HudStore.open(path) as store:
        store.backup(path.with_name(f"backup-{number}"))


def back_up_again(path: Path, number: int) -> None:
    with HudStore.open(path) as store:
        store.backup(path.with_name("backup"), overwrite=True)


def restore(path: Path, number: int) -> None:
    """Back up, and put the backup in the place of the store."""
    back_up_again(path, number)
    HudStore.restore(path.with_name("backup"), path, force=True)


def repair(path: Path, number: int) -> None:
    """Repair a store whose first page is damaged: all of it goes into a new file."""
    HudStore.repair(path)


def archive(path: Path, number: int) -> None:
    with HudStore.open(path) as store:
        session = store.session("work")
        session.record("compact.after", summary=f"up to {number}")
        store.archive("work")


def purge(path: Path, number: int) -> None:
    with HudStore.open(path) as store:
        for session_id in store.sessions():
            if session_id.startswith("purge"):
                store.purge(session_id)


def checkpoint(path: Path, number: int) -> None:
    with HudStore.open(path) as store:
        store.checkpoint()


OPERATIONS: Mapping[str, Operation] = {
    each.__name__: each
    for each in (back_up, back_up_again, restore, repair, archive, purge, checkpoint)
}
"""By name."""
