"""The offline queue of a session, and the record of its host's requests: a retry of one has no effect."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

import msgspec

from hud_runtime._breaker import tried_again
from hud_runtime._errors import (
    DomainError,
    EventError,
    StoreError,
    StoreUnavailableError,
)
from hud_runtime._limits import Limits
from hud_runtime._request_id import RequestId
from hud_runtime.log import EventRecorder, SessionLog
from hud_runtime.log.events import EventDraft
from hud_runtime.log.outbox import EventQueue, Outbox, QueuedEvents, QueueReceipt
from hud_runtime.log.secrets import Secrets
from hud_runtime.log.store import EventIds, StoredDelivery
from hud_runtime.observe import ReaderPlace
from hud_runtime.observe._observations import replace_surrogates

if TYPE_CHECKING:
    from hud_components import Domain
    from hud_runtime.log.store._log_store import LogStore

# The host's side of a session, for the process that resumes it: the reports processed, the reader's
# position, and facts needed later.
#
# It is stored beside the log, as deliveries are, in the transaction of the events that it belongs
# to: a kill leaves both or neither. If an erasure or a backup loses it, a report sent before and
# after that counts twice.

KEY = "(told)"
"""The reader's name under which the state is stored: one row for each session."""

ROW = "z"
"""The row's id. It sorts after those of deliveries, so that it is never the oldest delivery of a session's readers."""

TELLERS = 32
"""Senders whose last request is remembered. Each command that a hook runs is a sender."""

ANSWERS = 16
"""Answers to calls that are remembered: as many as may be in flight when a bridge is killed."""


class AnsweredPost(msgspec.Struct, frozen=True):
    """The answer to a call that has recorded something."""

    text: str
    is_error: bool = False
    data: Any = None


class RequestRecord(msgspec.Struct, frozen=True):
    """The record of requests that is stored with the events that they caused."""

    tellings: tuple[RequestId, ...] = ()

    answers: dict[str, AnsweredPost] = {}
    """Answers to calls, by request id."""

    place: ReaderPlace | None = None
    """The position of the session's reader after the requests; None where it has read nothing."""

    keep: dict[str, Any] = {}
    """Facts from the host that are needed later, by the host's own names."""


class ProcessedRequests(msgspec.Struct, frozen=True):
    """The stored record of a session's requests."""

    tellers: dict[str, int] = {}
    """The number of the last processed request that had an effect, by sender."""

    answers: dict[str, AnsweredPost] = {}
    """Answers to calls, by request id."""

    place: ReaderPlace = ReaderPlace()
    """The position of the session's reader."""

    kept: dict[str, Any] = {}
    """Facts from the host that are needed later, by the host's own names."""

    def has(self, telling: RequestId) -> bool:
        """Tell whether a request was processed.

        >>> ProcessedRequests(tellers={"a": 3}).has(RequestId("a", 3)), ProcessedRequests(tellers={"a": 3}).has(RequestId("a", 4))
        (True, False)
        """
        return telling.number <= self.tellers.get(telling.teller, -1)

    def after(self, taken: RequestRecord) -> ProcessedRequests:
        """Return the record after more requests; unchanged if it has all of them.

        >>> heard = ProcessedRequests().after(RequestRecord((RequestId("a", 3),), keep={"failed": "x"}))
        >>> heard.tellers, heard.kept, heard.after(RequestRecord((RequestId("a", 2),), keep={"failed": "y"})) == heard
        ({'a': 3}, {'failed': 'x'}, True)
        """
        is_known = bool(taken.tellings or taken.answers) and (
            all(map(self.has, taken.tellings)) and taken.answers.keys() <= self.answers.keys()
        )
        if is_known:
            return self
        tellers = self.tellers
        for telling in taken.tellings:
            others = {name: number for name, number in tellers.items() if name != telling.teller}
            tellers = _newest({**others, telling.teller: telling.number}, TELLERS)
        return ProcessedRequests(
            tellers,
            _newest({**self.answers, **taken.answers}, ANSWERS),
            self.place if taken.place is None else taken.place,
            {**self.kept, **taken.keep},
        )


class _Version(msgspec.Struct, frozen=True):
    version: int


class _RequestBody(msgspec.Struct, frozen=True):
    """A row in the form of a delivery; an erasure drops rows of an earlier version."""

    delivery: _Version
    told: ProcessedRequests = ProcessedRequests()


def heard(session: SessionLog[Any]) -> ProcessedRequests:
    """Return the processed requests of a session; an empty record if none are stored.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s")
    ...     _ = keep_heard(session, ProcessedRequests(), RequestRecord((RequestId("a", 3),)))
    ...     heard(session).tellers
    {'a': 3}
    """
    for row in session.log.deliveries(session.id, KEY):
        try:
            return msgspec.json.decode(row.body, type=_RequestBody).told
        except msgspec.MsgspecError:  # written by another version
            break
    return ProcessedRequests()


def written(
    session: SessionLog[Any], taken: RequestRecord, known: ProcessedRequests | None = None
) -> str:
    """Return the record stored with queued events, as text. Secrets are masked as in events.

    :param known: the record already stored; its parts were masked then.
    """
    words = msgspec.to_builtins(msgspec.structs.replace(taken, tellings=()), enc_hook=str)
    place = msgspec.to_builtins((known or ProcessedRequests()).place, enc_hook=str)
    if words["place"]:
        words["place"] = {key: one for key, one in words["place"].items() if place[key] != one}
    masked: dict[str, Any] = {}
    with suppress(EventError):  # secrets are refused: only the ids of the requests are stored
        masked = {**session.taken(cast("dict[str, Any]", replace_surrogates(words)))}
        if taken.place:
            masked["place"] = {**place, **masked["place"]}
    return msgspec.json.encode({**masked, "tellings": taken.tellings}).decode()


def taken_of(text: str) -> RequestRecord:
    """Return the record stored with queued events; empty for one of another version."""
    try:
        return msgspec.json.decode(text, type=RequestRecord)
    except msgspec.MsgspecError:
        return RequestRecord()


def deliver_heard(session: SessionLog[Any], text: str) -> None:
    """Save the record that came with queued events, in their transaction."""
    before, taken = heard(session), taken_of(text)
    if before.after(taken) != before:
        keep_heard(session, before, taken)


def keep_heard(
    session: SessionLog[Any], before: ProcessedRequests, taken: RequestRecord
) -> ProcessedRequests:
    """Save and return the record of a session after more requests. Secrets are masked as in events.

    :param before: the record so far.
    """
    made = before.after(taken_of(written(session, taken, before)))
    body = {"delivery": {"version": session.version}, "told": made}
    text = msgspec.json.encode(body).decode()
    session.log.save_delivery(StoredDelivery(session.id, KEY, ROW, is_sent=True, body=text))
    return made


def _newest(given: Mapping[str, Any], most: int) -> dict[str, Any]:
    names = [*given][-most:]
    return {name: given[name] for name in names}


AGAIN = 5.0
"""Seconds between attempts to deliver, while the server is not known to be away."""

BATCH = 100
"""Queued entries of a session that are delivered in one transaction."""


def letters_of(outbox: Outbox, address: str) -> EventQueue:
    """Return the queue for the store at an address, which need not be reachable.

    :raises StoreError: for an invalid address.
    """
    from hud_runtime.log.postgres._schema import address_identity, parsed_address, shown_address

    settings = parsed_address(address)
    return EventQueue(outbox, shown_address(settings), address_identity(settings))


def post_unseen(
    letters: EventQueue, session_id: str, draft: EventDraft, domain: Domain[Any]
) -> QueueReceipt:
    """Queue an event for a session of a store that cannot be opened.

    :raises EventError: for an event that no state accepts.
    """

    def now() -> int:
        return time.time_ns() // 1_000_000

    ids = EventIds(now)
    limits, secrets = Limits.of_environment(), Secrets.of_environment()
    kept = EventRecorder(session_id, domain, ids, now, limits, secrets).postable(draft)
    name, at = ids.next(), now()
    letters.put(session_id, [{name: kept}], after=0, at=at)
    return QueueReceipt(session_id, (name,), (kept.type,), at)


class OfflineQueue:
    """The outbox of an open store."""

    def __init__(
        self, letters: EventQueue, log: LogStore, open_session: Callable[[str], SessionLog[Any]]
    ) -> None:
        self.letters = letters
        self._log = log
        self._open_session = open_session
        self._closed = threading.Event()
        self._watch: threading.Thread | None = None
        self._process = os.getpid()

    def begin(self) -> None:
        """Deliver the entries of earlier processes; retry later what cannot be delivered now."""
        try:
            self.letters.check()
            self.deliver()
        except StoreError:
            self.watch()

    @property
    def is_away(self) -> bool:
        """True while the server is known to be away, until the next attempt."""
        return self._log.breaker.is_open

    def is_clear(self, session_id: str) -> bool:
        """Deliver a session's entries; return True if it can record now, False if the server is away.

        :raises StoreError: where the store refuses for another reason.
        """
        if self.is_away:
            return False
        try:
            self.deliver(session_id)
        except StoreUnavailableError as error:
            self.was_away(error)
            return False
        return True

    def was_away(self, error: StoreUnavailableError) -> None:
        """Remember that the server is away."""
        self._log.breaker.failed(error)

    def put(
        self,
        session_id: str,
        drafts: Mapping[str, EventDraft],
        *,
        after: int,
        at: int,
        apart: bool,
        taken: str | None = None,
    ) -> QueueReceipt:
        """Queue drafts, by the ids of their events, until the server is back.

        :param apart: whether each may be recorded without the others.
        :param taken: the record of the requests that caused them, stored once all are recorded.
        """
        given = [{each: draft} for each, draft in drafts.items()] if apart and drafts else [drafts]
        self.letters.put(session_id, given, after=after, at=at, taken=taken)
        self.watch()
        return QueueReceipt(
            session_id, tuple(drafts), tuple(each.type for each in drafts.values()), at
        )

    def deliver(self, session_id: str | None = None) -> None:
        """Record the queued entries of one session or of all, in the order of their posting.

        :raises StoreUnavailableError: where the server is away; the rest stays queued.
        """
        if session_id is not None and not self.letters.waits(session_id):
            return
        for name in self.letters.sessions() if session_id is None else (session_id,):
            with suppress(DomainError):  # a store that has the domain delivers it
                while self._deliver_some(name):
                    pass

    def watch(self) -> None:
        """Deliver in a background thread, which ends when the queue is empty."""
        if self._watch is not None and self._watch.is_alive() and self._process == os.getpid():
            return
        if self._process != os.getpid():  # a forked child has none of its parent's threads
            self._process, self._closed = os.getpid(), threading.Event()
        self._watch = threading.Thread(
            target=self._deliver_by_and_by, name="ujsx outbox", daemon=True
        )
        self._watch.start()

    def close(self) -> None:
        """Stop delivering."""
        self._closed.set()

    def _deliver_by_and_by(self) -> None:
        while not self._closed.wait(self._log.breaker.left or AGAIN):
            with suppress(StoreError):  # `ujsx doctor` reports what waits, and why
                self.deliver()
                self._log.breaker.worked()
                if not self.letters.sessions():
                    return

    @tried_again
    def _deliver_some(self, session_id: str) -> bool:
        """Record some of a session's entries; return False if there were none.

        The session is locked meanwhile. Entries are dropped after the commit; after a kill before that, the
        ids of their events identify them.
        """
        done: list[QueuedEvents] = []
        refused: list[tuple[str, QueuedEvents]] = []
        with self._log.exclusive(session_id):
            letters = self.letters.first(session_id, BATCH)
            if not letters:
                return False
            why = self._refusal(session_id)
            if why is not None:
                refused += [(why, letter) for letter in letters]
            else:
                self._record(self._open_session(session_id), letters, done, refused)
        self.letters.settle(done, refused)
        return True

    def _refusal(self, session_id: str) -> str | None:
        if self._log.is_purged(session_id):
            return f'session "{session_id}" was purged: its id is not used again'
        if not self._log.head(session_id).version:
            return f'session "{session_id}" has not begun'
        return None

    def _record(
        self,
        session: SessionLog[Any],
        letters: list[QueuedEvents],
        done: list[QueuedEvents],
        refused: list[tuple[str, QueuedEvents]],
    ) -> None:

        refused += [(letter.refusal, letter) for letter in letters if letter.refusal is not None]
        letters = [letter for letter in letters if letter.refusal is None]
        after = min((letter.after for letter in letters), default=0)
        there = {event.id for event in session.events(after)}
        session.refresh()
        for letter in letters:
            try:
                if letter.drafts and there.isdisjoint(letter.ids):
                    session.append_drafts(letter.drafts, letter.ids)
            except EventError as error:
                refused.append((str(error), letter))
            else:
                done.append(letter)
            if letter.taken is not None:  # also for refused events: the request was processed
                deliver_heard(session, letter.taken)
