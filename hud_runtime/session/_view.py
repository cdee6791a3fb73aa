"""What a projection makes of one session, as far as it has been read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, TypeVar

from hud_runtime._errors import StoreError
from hud_runtime.events import Event
from hud_runtime.projection import Projection
from hud_runtime.session._snapshots import SnapshotPolicy
from hud_runtime.store import EventStore, Snapshot

StateT = TypeVar("StateT")

BEYOND = 2**62
"""Greater than any version."""


@dataclass(frozen=True, slots=True)
class Known(Generic[StateT]):
    """A state, and the place in the log where it holds."""

    state: StateT
    version: int = 0
    turn: int = 0


class View(Generic[StateT]):
    """A projection of a session, kept in memory and brought up to date when asked."""

    def __init__(
        self,
        session_id: str,
        events: EventStore,
        projection: Projection[StateT],
        policy: SnapshotPolicy,
    ) -> None:
        self._session_id = session_id
        self._events = events
        self.projection = projection
        self._policy = policy
        start = self._start(BEYOND)
        self.known = self._folded(start, self._events.read(session_id, start.version))
        self._is_overdue = self.known.version - start.version >= policy.every

    def after(self, known: Known[StateT], event: Event) -> Known[StateT]:
        """Return what is known after one more event. Nothing in the view changes."""
        return Known(self.projection.fold(known.state, event), event.version, event.turn)

    def unread(self) -> tuple[Event, ...]:
        """Return the events that the view has not seen."""
        return tuple(self._events.read(self._session_id, self.known.version))

    def take(self, known: Known[StateT], events: Sequence[Event], *, save: bool) -> None:
        """Go on to ``known``, which these events have led to, and save it if it is time."""
        before, self.known = self.known.version, known
        if save and (self._is_overdue or self._policy.is_due(before, events)):
            self._save()

    def catch_up(self, *, save: bool) -> StateT:
        """Take in what has been appended by others, and return the state."""
        events = self.unread()
        self.take(self._folded(self.known, events), events, save=save)
        return self.known.state

    def at(self, version: int) -> StateT:
        """Return the state after the event with this version."""
        start = self._start(version)
        return self._folded(
            start, self._events.read(self._session_id, start.version, version)
        ).state

    def _folded(self, known: Known[StateT], events: Iterable[Event]) -> Known[StateT]:
        fold, state, last = self.projection.fold, known.state, None
        for last in events:
            state = fold(state, last)
        return known if last is None else Known(state, last.version, last.turn)

    def _start(self, up_to: int) -> Known[StateT]:
        """Return the newest snapshot up to a version, or the beginning."""
        one, beginning = self.projection, Known(self.projection.initial)
        if one.codec is None:
            return beginning
        found = self._events.snapshot(self._session_id, one.name, one.revision, up_to)
        if found is None:
            return beginning
        try:
            return Known(one.codec.load(found.state), found.version, found.turn)
        except ValueError:  # another version of the library wrote it: the log tells the same
            return beginning

    def _save(self) -> None:
        one, known, self._is_overdue = self.projection, self.known, False
        if one.codec is None:
            return
        state = one.codec.dump(known.state)
        snapshot = Snapshot(
            self._session_id, known.version, known.turn, one.name, one.revision, state
        )
        # The events are in the log: that nothing was saved to be quicker later is no failure.
        with suppress(StoreError):
            self._events.save_snapshot(snapshot)
