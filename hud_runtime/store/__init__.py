"""The log itself: an append-only store of events.

In: events with their versions. Out: the same events, in order, for as long as nobody purges them.
SQLite is imported when a file is opened, not before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hud_runtime._location import default_path
from hud_runtime.store._at import At
from hud_runtime.store._ids import EventIds
from hud_runtime.store._protocol import (
    Damage,
    EventStore,
    Head,
    Hit,
    Snapshot,
    StoredDelivery,
    StoredOutput,
    SweepRules,
    Swept,
)
from hud_runtime.store._transaction import Transaction, WriteLock
from hud_runtime.store._upcast import FORMAT, upcast
from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.store._backup import Copied
    from hud_runtime.store._checkpointed import Checkpointed
    from hud_runtime.store._erasures import Erasure, as_json, erased_words
    from hud_runtime.store._figures import BOUNDS, Bound, Figure
    from hud_runtime.store._repair import LostEvents, Repaired
    from hud_runtime.store._sqlite import SqliteEventStore

__all__ = [
    "BOUNDS",
    "FORMAT",
    "At",
    "Bound",
    "Checkpointed",
    "Copied",
    "Damage",
    "Erasure",
    "EventIds",
    "EventStore",
    "Figure",
    "Head",
    "Hit",
    "LostEvents",
    "Repaired",
    "Snapshot",
    "SqliteEventStore",
    "StoredDelivery",
    "StoredOutput",
    "SweepRules",
    "Swept",
    "Transaction",
    "WriteLock",
    "as_json",
    "default_path",
    "erased_words",
    "upcast",
]

on_demand(
    globals(),
    {
        "_backup": ("Copied",),
        "_checkpointed": ("Checkpointed",),
        "_erasures": ("Erasure", "as_json", "erased_words"),
        "_figures": ("BOUNDS", "Bound", "Figure"),
        "_repair": ("LostEvents", "Repaired"),
        "_sqlite": ("SqliteEventStore",),
    },
)
"""The names that need SQLite."""
