"""The protocol of a store: all that a session needs of a database, SQLite or another one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Self

from hud_runtime._errors import StoreError
from hud_runtime.events import PAYLOADS, Actor, Event, EventCatalog, EventType
from hud_runtime.store._at import At
from hud_runtime.store._transaction import Transaction
from ujsx import CallError


@dataclass(frozen=True, slots=True)
class Head:
    """The end of a session's log."""

    version: int = 0
    """The last event's version; 0 for a session without events."""

    turn: int = 0
    """The last event's turn."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A projection of a session after one of its events, so that a start need not replay all."""

    session_id: str
    version: int
    """The last event that is in it."""
    turn: int
    """That event's turn."""
    projection: str
    """The projection's name."""
    revision: int
    """The projection's version; another one does not read it."""
    state: str
    """The state as JSON."""


@dataclass(frozen=True, slots=True)
class StoredDelivery:
    """Something that was made for a reader of a session's HUD; see :mod:`hud_runtime.delivery`."""

    session_id: str
    reader: str
    id: str
    """Ids sort as they were made."""
    is_sent: bool
    """Whether the reader was told: of all for one reader this is so of the last."""
    body: str
    """The delivery itself, and what the reader knows by it, as JSON."""


@dataclass(frozen=True, slots=True)
class StoredOutput:
    """A tool's output of which a model was shown a part; see :mod:`hud_runtime.pruning`."""

    session_id: str
    id: str
    """By which it is asked for; it follows from the text."""
    tool: str
    mode: str
    """The degree of its pruning: "normal", "aggressive", "hyper", or "old" where nothing of it was shown."""
    turn: int
    """The session's turn when it was kept."""
    kept_at: int
    """Milliseconds since the Unix epoch."""
    lines: int
    characters: int
    text: str | None = None
    """The whole; None in a list of outputs, and for one that was swept."""


@dataclass(frozen=True, slots=True)
class SweepRules:
    """The rules by which the texts of kept outputs go (the figures are those of the design documents).

    >>> SweepRules(days=30)
    SweepRules(events=500, newest=300, days=30)
    """

    events: int = 500
    """Events of the store from one sweep to the next."""
    newest: int = 300
    """Outputs of a session that stay, the newest."""
    days: int = 7
    """Days after which an output goes."""

    def __post_init__(self) -> None:
        if min(self.events, self.newest, self.days) < 1:
            raise StoreError(f"the figures of a sweep are whole numbers above 0, not {self}")


@dataclass(frozen=True, slots=True)
class Swept:
    """The result of a sweep."""

    at: int
    """Milliseconds since the Unix epoch."""
    scanned: int
    """Outputs with a text before it."""
    deleted: int
    """Outputs whose text went."""
    bytes: int
    """The room that they had taken in the database."""
    errors: tuple[str, ...] = ()
    """The obstacles in its way: then nothing went."""


@dataclass(frozen=True, slots=True)
class Hit:
    """An event that a search has found."""

    session_id: str
    version: int
    turn: int
    timestamp: int
    """Milliseconds since the Unix epoch."""
    actor: Actor
    type: EventType
    snippet: str
    """The words around the first place that matches; it may have several lines."""


@dataclass(frozen=True, slots=True)
class Damage:
    """Something in a store that is not as it was written."""

    session_id: str | None
    version: int | None
    what: str
    """One sentence."""
    is_derived: bool = False
    """Whether the log can make it anew: a snapshot, or the search index. Then nothing is lost."""


KEPT_DELIVERIES = 16
"""The number of unsent deliveries that are kept for a reader: a retry asks for one of the last."""


KEPT_READERS = 64
"""The number of readers of a session that are known, those that were told something last; the others are told all."""

KEPT_SNAPSHOTS = 16
"""The number of snapshots that are kept of a session for a projection: the newest, and others at distances that grow
with the versions."""


class EventStore(Protocol):
    """An append-only log of many sessions.

    Every method may raise :class:`hud_runtime.StoreError`. When ``append`` returns, its events
    are committed, unless it stands in ``exclusive``; when it raises, none of them is.

    Threads and asyncio tasks may share a store. What one of them does in ``exclusive`` is its own:
    the others read what was committed before, and what they write waits or is refused, but never
    joins. :class:`WriteLock` is such a lock among threads and tasks.
    """

    if not TYPE_CHECKING:

        def __new__(cls, *_args: object, **_options: object) -> Self:
            if cls is EventStore:
                raise CallError(
                    'EventStore is the protocol of stores; write HudStore.open("hud.db")'
                )
            return super().__new__(cls)

    def append(self, session_id: str, expected_version: int, events: Sequence[Event]) -> None:
        """Append all the events or none.

        Raises :class:`hud_runtime.ConcurrencyError` when the session's last version is not
        ``expected_version``.
        """
        ...

    def exclusive(self, session_id: str) -> AbstractContextManager[None]:
        """Keep everybody else from appending to the session while the context lasts.

        What is read within is the newest there is, and an append that follows it does not
        conflict; it is committed when the context ends, and none of it after an error. Within
        another one, of whatever session, it is a part of that one, which an error takes back alone.

        It belongs to the thread and the asyncio task that entered it. Raises
        :class:`hud_runtime.StoreLockedError`, which tells who is in it, when somebody else does not
        let go in time; at once when that is another task of the same thread.
        """
        ...

    def transaction(self) -> Transaction | None:
        """Return the transaction of the innermost ``exclusive`` that the caller is in, or None.

        What a session learns within is kept in it. The store calls :meth:`Transaction.committed`
        when its commit was done, and nothing after an error.
        """
        ...

    def read(
        self,
        session_id: str,
        after: int = 0,
        up_to: int | None = None,
        *,
        types: Collection[EventType] | None = None,
        checked: bool = False,
        catalog: EventCatalog = PAYLOADS,
    ) -> Iterator[Event]:
        """Yield a session's events with ``after < version <= up_to``, in order.

        ``catalog`` has the events of the session's domain: what is not in it is kept as it stands.
        With ``types``, only those of these types. With ``checked``,
        :class:`hud_runtime.StoreDamagedError` is raised at the first one that is not as it was
        written; without, only where it cannot be read.
        """
        ...

    def read_all(self, after: int = 0) -> Iterator[tuple[int, Event]]:
        """Yield all sessions' events in the order of their appending, each with its position."""
        ...

    def known_ids(self, ids: Collection[str]) -> frozenset[str]:
        """Return those of the ids that events of any session have. It may look at all of them."""
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

    def snapshot(
        self,
        session_id: str,
        projection: str,
        revision: int,
        up_to: int,
    ) -> Snapshot | None:
        """Return the newest snapshot of this projection with ``version <= up_to``, if any."""
        ...

    def save_delivery(self, delivery: StoredDelivery) -> None:
        """Keep a delivery, in place of one with the same id.

        One that is sent takes the place of the one that was, and of all that were made before it.
        Of those that were only made the newest :data:`KEPT_DELIVERIES` stay.
        """
        ...

    def deliveries(self, session_id: str, reader: str | None = None) -> list[StoredDelivery]:
        """Return what is kept for a reader, or for all of them, in the order of its making.

        They may be lost, as snapshots may: then a reader is told everything again.
        """
        ...

    def keep_output(self, output: StoredOutput) -> None:
        """Keep a tool's output, with its text; the same again changes only its mode and its time.

        Raises :class:`hud_runtime.StoreError` for a session that is not there, and where another text
        has the id: then nothing is kept, and the caller shows the output as it is.
        """
        ...

    def output(self, session_id: str, name: str) -> StoredOutput | None:
        """Return a kept output with its text; without one where it was swept, None for an unknown id."""
        ...

    def outputs(self, session_id: str) -> list[StoredOutput]:
        """Return what is told of a session's outputs, oldest first, without their texts."""
        ...

    def copy_outputs(self, origin: str, target: str) -> None:
        """Let a session that begins as a copy of another one have its outputs, too."""
        ...

    def sweep_outputs(self, rules: SweepRules, at: int, *, due: bool = False) -> Swept | None:
        """Take the texts of outputs that are old at a time, in milliseconds, and log it.

        :param due: only where the rules' number of events was recorded since the last sweep; else None
            is returned.
        """
        ...

    def sweeps(self) -> list[Swept]:
        """Return the log of the last sweeps, newest first."""
        ...

    def search(
        self, query: str, *, session: str | None = None, limit: int = 20, after: int = 0
    ) -> list[Hit]:
        """Return the events that say all words of ``query``, the best first, then the newest.

        A word also finds longer ones that begin with it, in any case and without regard to
        accents. Nothing in the query is an operator. ``session`` keeps to one session. A page has
        ``limit`` hits and begins ``after`` so many: the next one is asked for with
        ``after + limit``. What was appended before is found, archived events too; what was
        purged is not.

        Raises :class:`hud_runtime.SearchError` for a query with too many words, a page that
        cannot be, or a database without full-text search.
        """
        ...

    def archive(self, session_id: str) -> int:
        """Move the events before the session's last ``compact.after`` to cheaper storage.

        Returns how many they were; 0 for a session that was never compacted since. They are read,
        searched, counted and verified as before: only where they lie has changed. Raises
        :class:`hud_runtime.StoreDamagedError` for one that is not as it was written.
        """
        ...

    def purge(self, session_id: str) -> int:
        """Delete all that belongs to a session, for good, and return how many events that were.

        Events, what is archived, snapshots, deliveries, kept outputs, and what a search would find. The session's id is not
        used again: an append to it raises :class:`hud_runtime.StoreError`.
        """
        ...

    def verify(self) -> tuple[Damage, ...]:
        """Return what is not as it was written: digests, gaps, the database's own checks."""
        ...

    def close(self) -> None:
        """Release the database. Closing twice is no error."""
        ...


def check_continuity(session_id: str, expected_version: int, events: Sequence[Event]) -> None:
    """Raise :class:`StoreError` unless the events go on after that version, without a gap.

    >>> check_continuity("s", 3, [])
    """
    for version, event in enumerate(events, start=expected_version + 1):
        if event.session_id != session_id:
            raise StoreError(f'the event is of session "{event.session_id}", not "{session_id}"')
        if event.version != version:
            raise StoreError(
                f'session "{session_id}" has no gaps: an event with version {event.version}'
                f" stands where {version} belongs"
            )
