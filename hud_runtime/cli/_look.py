"""The doctor's look into a store: its layout, what it holds, and whether that is as it was written.

The file is opened to be read and is not changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from hud_runtime._errors import StoreDamagedError, StoreError
from hud_runtime.cli._finding import Finding
from hud_runtime.store import Damage, SqliteEventStore

SHOWN = 5
"""Damages of a store that are told one by one; the others are counted."""


def look(path: Path) -> Iterator[Finding]:
    """Yield what there is to say of a store."""
    name = f"store {path.name}"
    try:
        with closing(SqliteEventStore(path, read_only=True)) as store:
            value = _contents(store)
            damages = store.verify()
    except StoreDamagedError as error:
        yield Finding(name, "damaged", "damaged", str(error))
    except StoreError as error:
        yield Finding(name, "cannot be looked into", "note", str(error))
    else:
        if not damages:
            yield Finding(name, f"{value}, all as they were written")
        for damage in damages[:SHOWN]:
            advice = "keep a copy of the file and its archive, and restore a backup"
            yield Finding(name, _sentence(damage), "damaged", advice)
        if len(damages) > SHOWN:
            yield Finding(name, f"{len(damages) - SHOWN} more damages", "damaged")


def _contents(store: SqliteEventStore) -> str:
    sessions = store.sessions()
    events = sum(store.head(session).version for session in sessions)
    return f"layout {store.layout}, sessions: {len(sessions)}, events: {events}"


def _sentence(damage: Damage) -> str:
    if damage.session_id is None:
        return damage.what
    return f'session "{damage.session_id}", version {damage.version}: {damage.what}'
