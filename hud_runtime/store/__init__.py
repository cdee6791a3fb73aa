"""The log itself: an append-only store of events.

In: events with their versions. Out: the same events, in order, for as long as nobody purges them.
SQLite is imported when a file is opened, not before.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from hud_runtime._location import default_path
from hud_runtime.store._at import At
from hud_runtime.store._ids import EventIds
from hud_runtime.store._protocol import Damage, EventStore, Head, Hit, Snapshot
from hud_runtime.store._rows import FORMAT, upcast
from hud_runtime.store._transaction import Transaction, WriteLock

if TYPE_CHECKING:
    from hud_runtime.store._backup import Copied
    from hud_runtime.store._checkpointed import Checkpointed
    from hud_runtime.store._repair import LostEvents, Repaired
    from hud_runtime.store._sqlite import SqliteEventStore

__all__ = [
    "FORMAT",
    "At",
    "Checkpointed",
    "Copied",
    "Damage",
    "EventIds",
    "EventStore",
    "Head",
    "Hit",
    "LostEvents",
    "Repaired",
    "Snapshot",
    "SqliteEventStore",
    "Transaction",
    "WriteLock",
    "default_path",
    "upcast",
]


_HOME: dict[str, str] = {
    "Checkpointed": "_checkpointed",
    "Copied": "_backup",
    "LostEvents": "_repair",
    "Repaired": "_repair",
    "SqliteEventStore": "_sqlite",
}
"""The modules of the names that need SQLite."""


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"hud_runtime.store.{_HOME[name]}"), name)
