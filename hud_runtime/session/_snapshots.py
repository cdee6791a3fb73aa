"""When a projection's state is kept, so that a start need not replay all of a session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hud_runtime.events import Event, EventType


@dataclass(frozen=True, slots=True)
class SnapshotPolicy:
    """After which events a snapshot is taken.

    >>> SnapshotPolicy(every=100).is_due(before=99, events=[])
    False
    """

    every: int = 500
    """Events between two snapshots. Replaying 500 takes some milliseconds, and their rows take more
    room than a snapshot does."""

    at: frozenset[EventType] = frozenset({"compact.after"})
    """Types of events after which there is always one: what came before is archived next."""

    def is_due(self, before: int, events: Sequence[Event]) -> bool:
        """Tell whether these events, after the version ``before``, call for a snapshot."""
        crossed = (before + len(events)) // self.every > before // self.every
        return crossed or not self.at.isdisjoint([event.type for event in events])
