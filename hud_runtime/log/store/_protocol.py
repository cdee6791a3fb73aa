"""The protocol of a store: moments, ids, transactions, and all that a session needs of a database."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, Self, TypeAlias

from hud_runtime._errors import EventError, StoreError, StoreLockedError, StoreVersionError
from hud_runtime._fork import mutex
from hud_runtime.log.events import PAYLOADS, Actor, Event, EventCatalog, EventType
from ujsx import CallError
from ujsx.calls import Answering

if TYPE_CHECKING:
    from asyncio import Task

# A moment in a session: after which event its state is asked for.


@dataclass(frozen=True, slots=True)
class At:
    """A version, a turn, or a time.

    A turn means all that happened up to its end, a time all up to and including that
    millisecond: the state just before the first event that is later. What lies beyond the
    last event is the present.

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
        """After the event with this version; 0 is before the first."""
        return cls("version", value)

    @classmethod
    def turn(cls, value: int) -> At:
        """At the end of this turn."""
        return cls("turn", value)

    @classmethod
    def time(cls, value: int) -> At:
        """At this time, in milliseconds since the epoch."""
        return cls("timestamp", value)


# Ids of events: unique without asking anybody, and in the order of their making.

COUNTER_BITS = 12


class EventIds:
    """Makes UUIDs of version 7 (RFC 9562, section 5.7).

    The 12 bits after the milliseconds count the ids of one millisecond, so that a process's
    ids sort as they were made; the 62 bits at the end are random.

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
        """Return a new id. A clock that stands still or goes back does not disturb the order."""
        now = self._clock() << COUNTER_BITS
        with self._lock:
            self._last = stamp = max(now, self._last + 1)
        milliseconds, count = stamp >> COUNTER_BITS, stamp & ((1 << COUNTER_BITS) - 1)
        random = int.from_bytes(self._entropy(8)) & ((1 << 62) - 1)
        # Two lines of the standard library's UUID, which takes ten times as long.
        text = f"{milliseconds << 80 | 0x7 << 76 | count << 64 | 0b10 << 62 | random:032x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


# The right to write: one thread, and one asyncio task of it, at a time; all others wait or are refused.
#
# A transaction belongs to the thread or task that began it. What is called within it, by the same thread and task, is a
# part of it. Another task of the same thread cannot wait: it would stop the very thread that has to let
# go. So it is refused at once, and so is a signal handler that comes while the store is at work; other
# threads wait for as long as the time-out allows.

Caller: TypeAlias = "tuple[int, Task[Any] | None]"
"""A thread by its number, and the task that it is running, if any."""


HOLDER = "innermost"
"""The one key of :class:`WriteLock`'s dictionary."""


class LogFeed(Protocol):
    """Something that knows the end of a log, and hears of what was committed."""

    def publish(self, known: Any) -> None:
        """Go on to what is known now."""
        ...


@dataclass(eq=False, slots=True)
class Transaction:
    """A transaction, or a part of one: who is in it, and what is known in it alone.

    What somebody learns within it may be rolled back. It is kept here, and only published when the
    whole is committed; after an error, nobody has ever heard of it.
    """

    caller: Caller
    what: str
    """The work that is under way, such as ``exclusive() of session "s"``."""
    parent: Transaction | None = None
    """The transaction that this one is a part of."""
    is_busy: bool = False
    """Whether the store itself is at work in it. Whoever comes from the same thread now has
    interrupted it, as a signal handler does, and must not take part."""
    since: float = field(default_factory=time.monotonic)
    _known: dict[LogFeed, Any] | None = None

    @property
    def depth(self) -> int:
        """The number of transactions that it is a part of."""
        return 0 if self.parent is None else 1 + self.parent.depth

    def keep(self, view: LogFeed, known: Any) -> None:
        """Keep what a view knows within this transaction."""
        self._known = {**(self._known or {}), view: known}

    def known(self, view: LogFeed) -> Any:
        """Return what was kept for a view; None for nothing."""
        if self._known is not None and view in self._known:
            return self._known[view]
        return None if self.parent is None else self.parent.known(view)

    def committed(self) -> None:
        """Hand on what was learned: to the transaction around, or to everybody."""
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
    """Return who is asking.

    >>> caller() == (threading.get_ident(), None)
    True
    """
    return threading.get_ident(), _task()


def _task() -> Task[Any] | None:
    # Who has not imported asyncio runs no loop, and importing it takes longer than opening a store.
    events = sys.modules.get("asyncio.events")
    if events is None or events._get_running_loop() is None:  # noqa: SLF001  (raises nothing)
        return None
    from asyncio import current_task

    return current_task()


TURN = 0.05
"""Seconds after which who waits looks by himself: who was interrupted while he let go has told nobody."""


class WriteLock:
    """One writer at a time within this process, and transactions within transactions.

    >>> lock = WriteLock("hud.db")
    >>> whole = lock.enter("exclusive()", timeout=0)
    >>> part = lock.enter("recording", timeout=0)
    >>> part.parent is whole, lock.current() is part
    (True, True)
    >>> lock.leave(part)
    >>> lock.leave(whole)
    >>> lock.current() is None
    True

    Ctrl-C, or any other exception from outside, leaves it sound wherever it comes: to enter, and to
    leave, is one step of a dictionary, and to leave twice is to leave once.
    """

    def __init__(self, place: str) -> None:
        self._place = place
        self._inside: dict[str, Transaction] = {}
        """The innermost transaction, under :data:`HOLDER`. ``setdefault`` looks and takes in one step,
        which neither another thread nor an interrupt divides; so nobody has the lock without a name."""
        self._waiting: set[Transaction] = set()
        self._let_go: SimpleQueue[None] = SimpleQueue()
        """Wakes one of those who wait. It is one of the few that an interrupt leaves sound, too."""

    def current(self) -> Transaction | None:
        """Return the innermost transaction that the caller is in; None outside of any."""
        innermost = self._inside.get(HOLDER)
        if innermost is None or innermost.caller != caller():
            return None
        return innermost

    def enter(self, what: str, timeout: float, *, is_busy: bool = False) -> Transaction:
        """Begin a transaction, or a part of the one that the caller is in.

        One that ``is_busy`` takes no parts before its :attr:`Transaction.is_busy` is false.

        Raises :class:`StoreLockedError`, which says who is writing, after ``timeout`` milliseconds;
        at once when that is another task of this thread, or what a signal handler has interrupted.
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
        """Keep everybody else from writing while the context lasts, in a transaction without parts.

        With no timeout it is not waited for, nor is it a part of what the caller is in: False where
        anybody is in a transaction.
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
            # This is done again, for an interrupt may have come before the first line of it.
            self.leave(transaction)

    def leave(self, transaction: Transaction) -> None:
        """End a transaction; with the outermost one, the next writer gets its turn.

        One that was a part of what has ended already, out of its order, is no more to be ended.
        """
        if self.is_under_way(transaction):
            if transaction.parent is not None:
                self._inside[HOLDER] = transaction.parent
            else:
                self._inside.clear()
        if self._waiting:
            if self._let_go.empty():
                self._let_go.put(None)
            time.sleep(0)  # else who goes on writing may never give up the interpreter

    def is_of_this_thread(self) -> bool:
        """Tell whether this thread, or a task of it, is in a transaction: then nobody can wait for it here."""
        holder = self._inside.get(HOLDER)
        return holder is not None and holder.caller[0] == threading.get_ident()

    def is_innermost(self, transaction: Transaction) -> bool:
        """Tell whether nothing that was begun within a transaction is still open."""
        return self._inside.get(HOLDER) is transaction

    def is_under_way(self, transaction: Transaction) -> bool:
        """Tell whether a transaction, and all that it is a part of, has not ended."""
        one = self._inside.get(HOLDER)
        while one is not None and one is not transaction:
            one = one.parent
        return one is transaction

    def _enter(self, transaction: Transaction) -> bool:
        """Enter at once; False where somebody else is writing."""
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
            self._waiting.add(transaction)  # before a look: who lets go after it wakes somebody
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
    """Something that was made for a reader of a session's HUD; see :mod:`hud_runtime.context.delivery`."""

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
    """A tool's output of which a model was shown a part; see :mod:`hud_runtime.context.pruning`."""

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
            raise StoreError(f"the figures of a sweep must be positive integers, not {self}")


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
class Hit(Answering):
    """An event that a search has found."""

    _also: ClassVar[Mapping[str, str]] = {"snippet": "text content excerpt match line"}

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


# Payloads that an older version of this library wrote, as this one reads them.
#
# Rows are never changed, so what they hold is brought up to date when it is read. When a
# payload's fields change, :data:`FORMAT` is raised and :data:`UPCASTS` gets a row for each type
# concerned; the function takes the payload in the format of its key and returns it in the next.

Upcast: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]

FORMAT = 1
"""The format in which payloads are written now."""

UPCASTS: Mapping[tuple[str, int], Upcast] = MappingProxyType({})
"""By the event's type and the format that its payload was written in."""


def upcast(
    event_type: str,
    written: int,
    payload: str,
    upcasts: Mapping[tuple[str, int], Upcast] = UPCASTS,
    current: int = FORMAT,
) -> str:
    """Return a payload's JSON in the current format.

    Raises :class:`StoreVersionError` for one that is newer than this library.

    >>> longer = {("note.add", 1): lambda old: {"content": old["text"]}}
    >>> upcast("note.add", 1, '{"text": "Port 8080"}', longer, current=2)
    '{"content": "Port 8080"}'
    """
    if written == current:
        return payload
    if written > current:
        raise StoreVersionError(
            f"a {event_type} event has format {written}, this library reads up to {current}:"
            " update ujsx"
        )
    steps = [upcasts.get((event_type, number)) for number in range(written, current)]
    if not any(steps):
        return payload
    data = json.loads(payload)
    for step in filter(None, steps):
        data = step(data)
    return json.dumps(data)
