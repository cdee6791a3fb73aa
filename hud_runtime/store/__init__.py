"""The log itself: an append-only store of events.

In: events with their versions. Out: the same events, in order, for as long as nobody purges them.
SQLite is imported when a file is opened, not before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hud_runtime._location import default_path
from hud_runtime.store._at import At
from hud_runtime.store._ids import EventIds
from hud_runtime.store._protocol import Damage, EventStore, Head, Hit, Snapshot
from hud_runtime.store._transaction import Transaction, WriteLock
from hud_runtime.store._upcast import FORMAT, upcast

if TYPE_CHECKING:
    from hud_runtime.store._sqlite import SqliteEventStore

__all__ = [
    "FORMAT",
    "At",
    "Damage",
    "EventIds",
    "EventStore",
    "Head",
    "Hit",
    "Snapshot",
    "SqliteEventStore",
    "Transaction",
    "WriteLock",
    "default_path",
    "upcast",
]


def __getattr__(name: str) -> object:
    if name == "SqliteEventStore":
        from hud_runtime.store._sqlite import SqliteEventStore

        return SqliteEventStore
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
