"""The log itself: an append-only store of events.

In: events with their versions. Out: the same events, in order, for as long as nobody purges them.
SQLite is imported when a file is opened, not before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hud_runtime._location import default_path
from hud_runtime.store._protocol import (
    FORMAT,
    At,
    Damage,
    EventIds,
    EventStore,
    Head,
    Hit,
    Snapshot,
    StoredDelivery,
    StoredOutput,
    SweepRules,
    Swept,
    Transaction,
    WriteLock,
    upcast,
)
from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.store._backup import Copied
    from hud_runtime.store._database import Checkpointed
    from hud_runtime.store._erase import Erasure, as_json, erased_words
    from hud_runtime.store._log_store import BOUNDS, Figure, GrowthBound
    from hud_runtime.store._repair import LostEvents, Repaired
    from hud_runtime.store._sqlite import SqliteEventStore

__all__ = [
    "BOUNDS",
    "FORMAT",
    "At",
    "Checkpointed",
    "Copied",
    "Damage",
    "Erasure",
    "EventIds",
    "EventStore",
    "Figure",
    "GrowthBound",
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
        "_database": ("Checkpointed",),
        "_erase": ("Erasure", "as_json", "erased_words"),
        "_log_store": ("BOUNDS", "Figure", "GrowthBound"),
        "_repair": ("LostEvents", "Repaired"),
        "_sqlite": ("SqliteEventStore",),
    },
)
"""The names that need SQLite."""
