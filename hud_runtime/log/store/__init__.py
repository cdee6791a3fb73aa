"""The store: an append-only log of events.

In: events with their versions. Out: the same events, in order, until they are purged. SQLite is imported
when a file is opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hud_runtime._location import default_path as default_path
from hud_runtime.log.store._protocol import FORMAT as FORMAT
from hud_runtime.log.store._protocol import At as At
from hud_runtime.log.store._protocol import Damage as Damage
from hud_runtime.log.store._protocol import EventIds as EventIds
from hud_runtime.log.store._protocol import EventStore as EventStore
from hud_runtime.log.store._protocol import Head as Head
from hud_runtime.log.store._protocol import Hit as Hit
from hud_runtime.log.store._protocol import Snapshot as Snapshot
from hud_runtime.log.store._protocol import StoredDelivery as StoredDelivery
from hud_runtime.log.store._protocol import StoredOutput as StoredOutput
from hud_runtime.log.store._protocol import SweepRules, WriteLock
from hud_runtime.log.store._protocol import Swept as Swept
from hud_runtime.log.store._protocol import Transaction as Transaction
from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.log.store._backup import BackupResult as BackupResult
    from hud_runtime.log.store._database import CheckpointResult as CheckpointResult
    from hud_runtime.log.store._erase import as_json as as_json
    from hud_runtime.log.store._erase import erased_words as erased_words
    from hud_runtime.log.store._log_store import BOUNDS
    from hud_runtime.log.store._log_store import Figure as Figure
    from hud_runtime.log.store._repair import LostEvents as LostEvents
    from hud_runtime.log.store._repair import RepairResult as RepairResult
    from hud_runtime.log.store._sqlite import SqliteEventStore

__all__ = ["BOUNDS", "SqliteEventStore", "SweepRules", "WriteLock"]

on_demand(globals())
