"""The protocol of a store: moments, ids, transactions, and everything that a session needs of a database."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, Self, TypeAlias

from hud_runtime._errors import EventError, StoreError, StoreLockedError, StoreVersionError
from hud_runtime._fork import mutex
from hud_runtime.log.events import PAYLOADS, Actor, Event, EventCatalog, EventType
from ujsx import CallError
from ujsx.calls import Answering

if TYPE_CHECKING:
    from asyncio import Task

# A moment in a session: the event after which its state is requested.


@dataclass(frozen=True, slots=True)
class At:
    """A version, a turn, or a time.

    A turn includes everything up to its end, a time everything up to and including that millisecond. A
    moment after the last event is the present.

    >>> At.turn(7)
    At(measure='turn', value=7)
    """

    measure: Literal["version", "turn", "timestamp"]
    """The unit of the value."""

    value: int
    """The version, the turn, or the milliseconds since the epoch."""

    def __post_init__(self) -> None:
        value: object = self.value
        if not isinstance(value, int) or isinstance(value, bool):
            raise EventError(f"a {self.measure} is a whole number, not {value!r}")

    @classmethod
    def version(cls, value: int) -> At:
        """After the event with this version; 0 precedes the first."""
        return cls("version", value)

    @classmethod
    def turn(cls, value: int) -> At:
        """At the end of this turn."""
        return cls("turn", value)

    @classmethod
    def time(cls, value: int) -> At:
        """At this time, in milliseconds since the epoch."""
        return cls("timestamp", value)


# Event ids: unique without coordination, and sorted by creation.

COUNTER_BITS = 12


class EventIds:
    """Makes UUIDs of version 7 (RFC 9562, section 5.7).

    The 12 bits after the milliseconds count the ids within one millisecond, so that a process's ids sort by
    creation; the last 62 bits are random.

    >>> ids = EventIds(lambda: 1_700_000_000_000)
    >>> first, second = ids.next(), ids.next()
    >>> first < second, first[:18]
    (True, '018bcfe5-6800-7000')
    """

    def __init__(
        self, clock: Callable[[], int], entropy: Callable[[int], bytes] = os.urandom
    ) -> None:
        self._clock = clock
        self._entropy = entropy
        self._last = -1
        self._lock = mutex()

    def next(self) -> str:
        """Return a new id. A clock that stops or goes back does not change the order."""
        now = self._clock() << COUNTER_BITS
        with self._lock:
            self._last = stamp = max(now, self._last + 1)
        milliseconds, count = stamp >> COUNTER_BITS, stamp & ((1 << COUNTER_BITS) - 1)
        random = int.from_bytes(self._entropy(8)) & ((1 << 62) - 1)
        # Two lines of the standard library's UUID, which takes ten times as long.
        text = f"{milliseconds << 80 | 0x7 << 76 | count << 64 | 0b10 << 62 | random:032x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


# The write lock: one thread, and one asyncio task of it, at a time; all others wait or are refused.
#
# A transaction belongs to the thread or task that began it, and includes calls that this one makes
# within it. Another task of the same thread is refused at once, because waiting would block the
# thread that has to release the lock; so is a signal handler that interrupts the store. Other
# threads wait up to the time-out.

Caller: TypeAlias = "tuple[int, Task[Any] | None]"
"""A thread by its number, and its running task, if any."""


HOLDER = "innermost"
"""The one key of :class:`WriteLock`'s dictionary."""


class LogFeed(Protocol):
    """A view that follows the end of a log, and is notified of commits."""

    def publish(self, known: Any) -> None:
        """Update to the known state."""
        ...


@dataclass(eq=False, slots=True)
class Transaction:
    """A transaction, or a nested one: its owner, and the states known only within it.

    States read within it may be rolled back. They are kept here, and published only with the outermost
    commit; after an error, nothing outside has seen them.
    """

    caller: Caller
    what: str
    """The work in progress, such as ``exclusive() of session "s"``."""
    parent: Transaction | None = None
    """The enclosing transaction."""
    is_busy: bool = False
    """True if the store itself is working in it. A call from the same thread has then interrupted it, as a
    signal handler does, and must not join.
    """
    since: float = field(default_factory=time.monotonic)
    _known: dict[LogFeed, Any] | None = None

    @property
    def depth(self) -> int:
        """The number of enclosing transactions."""
        return 0 if self.parent is None else 1 + self.parent.depth

    def keep(self, view: LogFeed, known: Any) -> None:
        """Keep a view's state within this transaction."""
        self._known = {**(self._known or {}), view: known}

    def known(self, view: LogFeed) -> Any:
        """Return the state kept for a view, or None."""
        if self._known is not None and view in self._known:
            return self._known[view]
        return None if self.parent is None else self.parent.known(view)

    def committed(self) -> None:
        """Pass the states on: to the enclosing transaction, or to all."""
        if self._known is None:
            return
        for view, known in self._known.items():
            if self.parent is None:
                view.publish(known)
            else:
                self.parent.keep(view, known)

    def __str__(self) -> str:
        thread, task = self.caller
        names = [one.name for one in threading.enumerate() if one.ident == thread]
        who = f'thread "{names[0] if names else thread}"'
        if task is not None:
            who = f'task "{task.get_name()}" of {who}'
        return f"{who} is in {self.what}, since {time.monotonic() - self.since:.1f} s"


def caller() -> Caller:
    """Return the calling thread and task.

    >>> caller() == (threading.get_ident(), None)
    True
    """
    return threading.get_ident(), _task()


def _task() -> Task[Any] | None:
    # Without asyncio imported, no loop runs; importing it takes longer than opening a store.
    events = sys.modules.get("asyncio.events")
    if events is None or events._get_running_loop() is None:  # noqa: SLF001  (raises nothing)
        return None
    from asyncio import current_task

    return current_task()


TURN = 0.05
"""Seconds between a waiter's own checks: an interrupted release wakes nobody."""


class WriteLock:
    """A lock for one writer at a time in this process, with nested transactions.

    >>> lock = WriteLock("hud.db")
    >>> whole = lock.enter("exclusive()", timeout=0)
    >>> part = lock.enter("recording", timeout=0)
    >>> part.parent is whole, lock.current() is part
    (True, True)
    >>> lock.leave(part)
    >>> lock.leave(whole)
    >>> lock.current() is None
    True

    It survives an exception at any point, such as Ctrl-C: entering and leaving are single operations on a
    dictionary, and leaving twice has no effect.
    """

    def __init__(self, place: str) -> None:
        self._place = place
        self._inside: dict[str, Transaction] = {}
        """The innermost transaction, under :data:`HOLDER`. ``setdefault`` tests and sets in one step, which
        no other thread or interrupt can split, so the lock always has a named holder.
        """
        self._waiting: set[Transaction] = set()
        self._let_go: SimpleQueue[None] = SimpleQueue()
        """Wakes one waiter. It is one of the few classes that survive an interrupt, too."""

    def current(self) -> Transaction | None:
        """Return the caller's innermost transaction, or None."""
        innermost = self._inside.get(HOLDER)
        if innermost is None or innermost.caller != caller():
            return None
        return innermost

    def enter(self, what: str, timeout: float, *, is_busy: bool = False) -> Transaction:
        """Begin a transaction, or one nested in the caller's.

        While :attr:`Transaction.is_busy`, it cannot have nested ones.

        Raises :class:`StoreLockedError` with the writer's name after ``timeout`` milliseconds; at once for
        another task of this thread, or for work that a signal handler has interrupted.
        """
        transaction = Transaction(caller(), what, is_busy=is_busy)
        try:
            self._enter_in_time(transaction, timeout)
            return transaction  # noqa: TRY300  (an interrupt may come here as well)
        except BaseException:
            self.leave(transaction)
            raise

    @contextmanager
    def held(self, what: str, timeout: float | None) -> Generator[bool]:
        """Lock out other writers for the duration of the context, without nested transactions.

        Without a timeout it neither waits nor joins the caller's transaction: it yields False while anybody
        is in one.
        """
        transaction = Transaction(caller(), what, is_busy=True)
        try:
            try:
                if timeout is None:
                    yield self._inside.setdefault(HOLDER, transaction) is transaction
                else:
                    self._enter_in_time(transaction, timeout)
                    yield True
            finally:
                self.leave(transaction)
        finally:
            # Repeated, because an interrupt may have come before its first line.
            self.leave(transaction)

    def leave(self, transaction: Transaction) -> None:
        """End a transaction; after the outermost one, the next writer follows.

        A nested one whose enclosing transaction has ended needs no end of its own.
        """
        if self.is_under_way(transaction):
            if transaction.parent is not None:
                self._inside[HOLDER] = transaction.parent
            else:
                self._inside.clear()
        if self._waiting:
            if self._let_go.empty():
                self._let_go.put(None)
            time.sleep(0)  # lets waiting threads take the interpreter

    def is_of_this_thread(self) -> bool:
        """Tell whether this thread, or a task of it, is in a transaction, so that waiting here would deadlock."""
        holder = self._inside.get(HOLDER)
        return holder is not None and holder.caller[0] == threading.get_ident()

    def is_innermost(self, transaction: Transaction) -> bool:
        """Tell whether a transaction has no open nested ones."""
        return self._inside.get(HOLDER) is transaction

    def is_under_way(self, transaction: Transaction) -> bool:
        """Tell whether a transaction and all enclosing ones are open."""
        one = self._inside.get(HOLDER)
        while one is not None and one is not transaction:
            one = one.parent
        return one is transaction

    def _enter(self, transaction: Transaction) -> bool:
        """Enter at once; return False if another writer is inside."""
        innermost = self._inside.setdefault(HOLDER, transaction)
        if innermost is transaction:
            return True
        if innermost.caller != transaction.caller:
            return False
        if innermost.is_busy:
            raise StoreLockedError(
                f"{self._place}: {innermost}; that is what this call has interrupted, as a signal"
                " handler does, and it goes on only afterwards: let the handler set a flag, or put what"
                " it has to say into a queue.SimpleQueue, and record it outside of the handler"
            )
        transaction.parent = innermost
        self._inside[HOLDER] = transaction
        return True

    def _enter_in_time(self, transaction: Transaction, timeout: float) -> None:
        if not self._enter(transaction):
            self._wait(transaction, timeout)

    def _wait(self, transaction: Transaction, timeout: float) -> None:
        holder = self._inside.get(HOLDER)
        if holder is not None and holder.caller[0] == transaction.caller[0]:
            raise StoreLockedError(
                f"{self._place}: {holder}; that is this thread, so waiting here would deadlock: write before or after it, or from within that task; an asyncio.Lock"
                " around both makes one wait for the other"
            )
        deadline = time.monotonic() + timeout / 1_000
        try:
            self._waiting.add(transaction)  # before the check: a later release wakes this waiter
            while not self._enter(transaction):
                left = deadline - time.monotonic()
                if left <= 0:
                    raise StoreLockedError(
                        f"{self._place}: {self._inside.get(HOLDER) or 'another thread was writing'};"
                        f" it did not end within {timeout / 1_000:g} s, so nothing was written; try"
                        " again"
                    )
                with suppress(Empty):
                    self._let_go.get(timeout=min(left, TURN))
        finally:
            self._waiting.discard(transaction)


@dataclass(frozen=True, slots=True)
class Head:
    """The end of a session's log."""

    version: int = 0
    """The last event's version; 0 for a session without events."""

    turn: int = 0
    """The last event's turn."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A snapshot of a session's projection after an event, so that a start need not replay all."""

    session_id: str
    version: int
    """The last event included."""
    turn: int
    """That event's turn."""
    projection: str
    """The projection's name."""
    revision: int
    """The projection's revision; other revisions do not read it."""
    state: str
    """The state as JSON."""


@dataclass(frozen=True, slots=True)
class StoredDelivery:
    """A delivery made for a reader of a session's HUD; see :mod:`hud_runtime.context.delivery`."""

    session_id: str
    reader: str
    id: str
    """Ids sort by creation."""
    is_sent: bool
    """True if it was sent; of a reader's deliveries, only the last sent one is stored."""
    body: str
    """The delivery, and the reader's knowledge after it, as JSON."""


@dataclass(frozen=True, slots=True)
class StoredOutput:
    """A tool's output that a model has seen in part; see :mod:`hud_runtime.context.pruning`."""

    session_id: str
    id: str
    """The id for retrieval, derived from the text."""
    tool: str
    mode: str
    """The degree of its pruning: "normal", "aggressive", "hyper", or "old" for an output that is omitted."""
    turn: int
    """The session's turn when it was stored."""
    kept_at: int
    """Milliseconds since the Unix epoch."""
    lines: int
    characters: int
    text: str | None = None
    """The whole text; None in a list of outputs, and for one that was swept."""


@dataclass(frozen=True, slots=True)
class SweepRules:
    """The rules for deleting the texts of stored outputs (the figures are those of the design documents).

    >>> SweepRules(days=30)
    SweepRules(events=500, newest=300, days=30)
    """

    events: int = 500
    """Events of the store between sweeps."""
    newest: int = 300
    """The newest outputs of a session, which stay."""
    days: int = 7
    """Days after which an output's text is deleted."""

    def __post_init__(self) -> None:
        if min(self.events, self.newest, self.days) < 1:
            raise StoreError(f"the figures of a sweep must be positive integers, not {self}")


@dataclass(frozen=True, slots=True)
class Swept:
    """The result of a sweep."""

    at: int
    """Milliseconds since the Unix epoch."""
    scanned: int
    """Outputs with a text before the sweep."""
    deleted: int
    """Outputs whose text was deleted."""
    bytes: int
    """Bytes freed in the database."""
    errors: tuple[str, ...] = ()
    """Errors that stopped the sweep; then nothing was deleted."""


@dataclass(frozen=True, slots=True)
class Hit(Answering):
    """An event that a search found."""

    _also: ClassVar[Mapping[str, str]] = {"snippet": "text content excerpt match line"}

    session_id: str
    version: int
    turn: int
    timestamp: int
    """Milliseconds since the Unix epoch."""
    actor: Actor
    type: EventType
    snippet: str
    """The words around the first match; may have several lines."""


@dataclass(frozen=True, slots=True)
class Damage:
    """Damage found in a store."""

    session_id: str | None
    version: int | None
    what: str
    """A description in one sentence."""
    is_derived: bool = False
    """True if the log can rebuild it: a snapshot, or the search index. Then nothing is lost."""


KEPT_DELIVERIES = 16
"""Unsent deliveries stored for a reader; a retry needs one of the last."""


KEPT_READERS = 64
"""Readers remembered for a session, most recent first; others are sent everything again."""

KEPT_SNAPSHOTS = 16
"""Snapshots stored for a session's projection: the newest, and others at distances that grow with the versions."""


class EventStore(Protocol):
    """An append-only log of many sessions.

    Every method may raise :class:`hud_runtime.StoreError`. When ``append`` returns outside of
    ``exclusive``, its events are committed; when it raises, none is.

    Threads and asyncio tasks may share a store. Work within ``exclusive`` is isolated: others read the last
    commit, and their writes wait or are refused, but never join. :class:`WriteLock` is such a lock.
    """

    if not TYPE_CHECKING:

        def __new__(cls, *_args: object, **_options: object) -> Self:
            if cls is EventStore:
                raise CallError(
                    'EventStore is the protocol of stores; write HudStore.open("hud.db")'
                )
            return super().__new__(cls)

    def append(self, session_id: str, expected_version: int, events: Sequence[Event]) -> None:
        """Append all events, or none.

        Raises :class:`hud_runtime.ConcurrencyError` when the session's last version is not
        ``expected_version``.
        """
        ...

    def exclusive(self, session_id: str) -> AbstractContextManager[None]:
        """Lock out other writers of the session for the duration of the context.

        Reads within return the newest events, and a following append cannot conflict. It is committed at
        the end, or rolled back after an error. Within another ``exclusive``, of any session, it is nested:
        an error rolls back only that part.

        The lock belongs to the thread and the asyncio task that entered. Raises
        :class:`hud_runtime.StoreLockedError` with the holder's name when another user keeps the lock too
        long; at once for another task of the same thread.
        """
        ...

    def transaction(self) -> Transaction | None:
        """Return the transaction of the caller's innermost ``exclusive``, or None.

        It keeps the states that sessions read within. The store calls :meth:`Transaction.committed` after
        its commit, and nothing after an error.
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

        ``catalog`` has the events of the session's domain; others are yielded as stored. ``types``
        restricts to these types. With ``checked``, :class:`hud_runtime.StoreDamagedError` is raised at the
        first damaged event; without, only at one that cannot be read.
        """
        ...

    def read_all(self, after: int = 0) -> Iterator[tuple[int, Event]]:
        """Yield all sessions' events in order of appending, each with its position."""
        ...

    def known_ids(self, ids: Collection[str]) -> frozenset[str]:
        """Return the ids that events of any session have. May scan all events."""
        ...

    def head(self, session_id: str) -> Head:
        """Return the end of the session's log."""
        ...

    def version_at(self, session_id: str, at: At) -> int:
        """Return the version of the last event before the first one after ``at``."""
        ...

    def sessions(self) -> tuple[str, ...]:
        """Return the ids of all sessions that have events, oldest first."""
        ...

    def save_snapshot(self, snapshot: Snapshot) -> None:
        """Store a session's state as of a version."""
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
        """Store a delivery, replacing one with the same id.

        A sent one replaces the last sent one and all made before it. Of the unsent ones, the newest
        :data:`KEPT_DELIVERIES` stay.
        """
        ...

    def deliveries(self, session_id: str, reader: str | None = None) -> list[StoredDelivery]:
        """Return the stored deliveries of a reader, or of all, oldest first.

        They may be lost, like snapshots: then a reader is sent everything again.
        """
        ...

    def keep_output(self, output: StoredOutput) -> None:
        """Store a tool's output with its text; storing it again changes only its mode and time.

        Raises :class:`hud_runtime.StoreError` for an unknown session, and for an id with another text: then
        nothing is stored, and the caller shows the output unpruned.
        """
        ...

    def output(self, session_id: str, name: str) -> StoredOutput | None:
        """Return a stored output with its text, without it if swept, or None for an unknown id."""
        ...

    def outputs(self, session_id: str) -> list[StoredOutput]:
        """Return the metadata of a session's outputs, oldest first, without their texts."""
        ...

    def copy_outputs(self, origin: str, target: str) -> None:
        """Give a session that begins as a copy of another one that one's outputs, too."""
        ...

    def sweep_outputs(self, rules: SweepRules, at: int, *, due: bool = False) -> Swept | None:
        """Delete the texts of outputs that are old at a time, in milliseconds, and log the sweep.

        :param due: whether to sweep only if the rules' number of events was recorded since the last sweep;
            else return None.
        """
        ...

    def sweeps(self) -> list[Swept]:
        """Return the log of the last sweeps, newest first."""
        ...

    def search(
        self, query: str, *, session: str | None = None, limit: int = 20, after: int = 0
    ) -> list[Hit]:
        """Return the events that contain all words of ``query``, best first, then newest.

        A word also matches longer ones that begin with it, ignoring case and accents. The query has no
        operators. ``session`` restricts to one session. A page has ``limit`` hits and skips ``after``; the
        next one begins at ``after + limit``. Archived events are found, purged ones are not.

        Raises :class:`hud_runtime.SearchError` for a query with too many words, an invalid page, or a
        database without full-text search.
        """
        ...

    def archive(self, session_id: str) -> int:
        """Move the events before the session's last ``compact.after`` to cheaper storage.

        Returns their number; 0 for a session without a new compaction. They are read, searched, counted and
        verified as before. Raises :class:`hud_runtime.StoreDamagedError` for a damaged event.
        """
        ...

    def purge(self, session_id: str) -> int:
        """Delete a session and all its data for good; return the number of events deleted.

        This includes events, archives, snapshots, deliveries, outputs and search entries. The id is never
        used again: an append to it raises :class:`hud_runtime.StoreError`.
        """
        ...

    def verify(self) -> tuple[Damage, ...]:
        """Return all damage: failed digests, gaps, and findings of the database's own checks."""
        ...

    def close(self) -> None:
        """Release the database. Closing twice is safe."""
        ...


def check_continuity(session_id: str, expected_version: int, events: Sequence[Event]) -> None:
    """Raise :class:`StoreError` unless the events continue that version without a gap.

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


FORMAT = 1
"""The format of payloads. What changes within a section is that section's own upcasts."""


def check_format(event_type: str, written: int) -> None:
    """Raise :class:`StoreVersionError` for a payload in another format, which a newer version wrote.

    >>> check_format("note.add", 2)
    Traceback (most recent call last):
    hud_runtime._errors.StoreVersionError: a note.add event has format 2, this library reads up to 1: update ujsx
    """
    if written != FORMAT:
        raise StoreVersionError(
            f"a {event_type} event has format {written}, this library reads up to {FORMAT}:"
            " update ujsx"
        )
