"""The view of one session that a projection makes, as far as it has been read, and when that is saved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, TypeVar

from hud_runtime._errors import StoreDamagedError, StoreError
from hud_runtime._fork import mutex
from hud_runtime.events import PAYLOADS, Event, EventCatalog, EventType
from hud_runtime.projection import Projection
from hud_runtime.store import EventStore, Snapshot

StateT = TypeVar("StateT")

BEYOND = 2**62
"""Greater than any version."""


ERASE = "event.erase"
"""The type of event that tells of an erasure: what stands in the log before it has changed."""


@dataclass(frozen=True, slots=True)
class Known(Generic[StateT]):
    """A state, and the place in the log where it holds."""

    state: StateT
    version: int = 0
    turn: int = 0


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


class View(Generic[StateT]):
    """A projection of a session, kept in memory and brought up to date when asked.

    Threads and tasks share it. What is learned within a transaction is known in that one only, and
    by all when it is committed.
    """

    def __init__(
        self,
        session_id: str,
        events: EventStore,
        projection: Projection[StateT],
        policy: SnapshotPolicy,
        catalog: EventCatalog = PAYLOADS,
    ) -> None:
        self._session_id = session_id
        self._events = events
        self._catalog = catalog
        self.projection = projection
        self._policy = policy
        self._lock = mutex()
        self._committed: Known[StateT] | None = None
        self._is_overdue = False
        self._read()

    @property
    def known(self) -> Known[StateT]:
        """The state known to the caller: in its own transaction, or by the last commit."""
        transaction = self._events.transaction()
        within: Known[StateT] | None = None if transaction is None else transaction.known(self)
        if within is not None:
            return within
        # Who was made within a transaction that nobody committed has not read what was before it.
        return self._committed or self._read()

    def _read(self) -> Known[StateT]:
        """Learn all that the log tells the caller."""
        start, known = self._told(BEYOND)
        self._is_overdue = known.version - start.version >= self._policy.every
        self._keep(known)
        return known

    def publish(self, known: Known[StateT]) -> None:
        """Go on to what was committed; whoever comes late with less changes nothing."""
        with self._lock:
            if self._committed is None or known.version > self._committed.version:
                self._committed = known

    def _keep(self, known: Known[StateT]) -> None:
        transaction = self._events.transaction()
        if transaction is None:
            self.publish(known)
        else:
            transaction.keep(self, known)

    def take(
        self, before: int, known: Known[StateT], events: Sequence[Event], *, save: bool
    ) -> None:
        """Go on from a version to ``known``, which these events led to; save it if it is time."""
        self._keep(known)
        if save and (self._is_overdue or self._policy.is_due(before, events)):
            self._save(known)

    def catch_up(self, *, save: bool) -> StateT:
        """Take in what has been appended by others, and return the state."""
        known = self.known
        events = tuple(self._after(known.version))
        if any(event.type == ERASE for event in events):
            # What is known may hold what was erased: the log tells it without.
            known = self._told(BEYOND)[1]
            self._keep(known)
            return known.state
        if events or (save and self._is_overdue):
            before, known = known.version, self._folded(known, events)
            self.take(before, known, events, save=save)
        return known.state

    def at(self, version: int) -> StateT:
        """Return the state after the event with this version."""
        return self._told(version)[1].state

    def _told(self, up_to: int) -> tuple[Known[StateT], Known[StateT]]:
        """Return where the log was read from, and what it tells up to a version."""
        one = self.projection
        start = self._start(up_to, one.revision)
        try:
            return start, self._folded(start, self._after(start.version, up_to))
        except StoreDamagedError:  # a snapshot of a former revision may stand in for what is lost
            for revision in one.former_revisions:
                start = self._start(up_to, revision)
                if start.version:
                    return start, self._folded(start, self._after(start.version, up_to))
            raise

    def _after(self, version: int, up_to: int | None = None) -> Iterator[Event]:
        return self._events.read(self._session_id, version, up_to, catalog=self._catalog)

    def _folded(self, known: Known[StateT], events: Iterable[Event]) -> Known[StateT]:
        fold, state, last = self.projection.fold, known.state, None
        for last in events:
            state = fold(state, last)
        return known if last is None else Known(state, last.version, last.turn)

    def _start(self, up_to: int, revision: int) -> Known[StateT]:
        """Return the newest snapshot up to a version, or the beginning."""
        one, beginning = self.projection, Known(self.projection.initial)
        if one.codec is None:
            return beginning
        found = self._events.snapshot(self._session_id, one.name, revision, up_to)
        if found is None:
            return beginning
        try:
            return Known(one.codec.load(found.state), found.version, found.turn)
        except ValueError:  # another version of the library wrote it: the log tells the same
            return beginning

    def _save(self, known: Known[StateT]) -> None:
        one, self._is_overdue = self.projection, False
        if one.codec is None:
            return
        state = one.codec.dump(known.state)
        snapshot = Snapshot(
            self._session_id, known.version, known.turn, one.name, one.revision, state
        )
        # The events are in the log: that nothing was saved to be quicker later is no failure.
        with suppress(StoreError):
            self._events.save_snapshot(snapshot)
