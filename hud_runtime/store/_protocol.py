"""What a session needs of a database: the protocol behind which SQLite stands, or another one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from hud_runtime.events import Event
from hud_runtime.store._at import At


@dataclass(frozen=True, slots=True)
class Head:
    """Where a session's log ends."""

    version: int = 0
    """The last event's version; 0 for a session without events."""

    turn: int = 0
    """The last event's turn."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A session's state after one of its events, kept so that a start need not replay all."""

    session_id: str
    version: int
    projection: int
    """The projection that made it; another one does not read it."""
    state: str
    """The state as JSON."""


@dataclass(frozen=True, slots=True)
class Damage:
    """Something in a store that is not as it was written."""

    session_id: str | None
    version: int | None
    what: str
    """One sentence."""


class EventStore(Protocol):
    """An append-only log of many sessions.

    Every method may raise :class:`hud_runtime.StoreError`. When ``append`` returns, its events
    are committed; when it raises, none of them is.
    """

    def append(self, session_id: str, expected_version: int, events: Sequence[Event]) -> None:
        """Append all the events or none.

        Raises :class:`hud_runtime.ConcurrencyError` when the session's last version is not
        ``expected_version``.
        """
        ...

    def read(self, session_id: str, after: int = 0, up_to: int | None = None) -> Iterator[Event]:
        """Yield a session's events with ``after < version <= up_to``, in order."""
        ...

    def read_all(self, after: int = 0) -> Iterator[tuple[int, Event]]:
        """Yield all sessions' events in the order of their appending, each with its position."""
        ...

    def head(self, session_id: str) -> Head:
        """Return where the session's log ends."""
        ...

    def version_at(self, session_id: str, at: At) -> int:
        """Return the version of the last event before the first one that is later than ``at``."""
        ...

    def sessions(self) -> tuple[str, ...]:
        """Return the ids of all sessions that have events, in the order of their beginning."""
        ...

    def save_snapshot(self, snapshot: Snapshot) -> None:
        """Keep a session's state as of a version."""
        ...

    def snapshot(self, session_id: str, projection: int, up_to: int) -> Snapshot | None:
        """Return the newest snapshot of this projection with ``version <= up_to``, if any."""
        ...

    def purge(self, session_id: str) -> int:
        """Delete all that belongs to a session, for good, and return how many events that were."""
        ...

    def verify(self) -> tuple[Damage, ...]:
        """Return what is not as it was written: digests, gaps, the database's own checks."""
        ...

    def close(self) -> None:
        """Release the database. Closing twice is no error."""
        ...
