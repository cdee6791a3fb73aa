"""Recording with an outbox: what a server that is away cannot take waits on the disk, and is delivered later.

What is delivered is recorded then as if it had been said then: names mean what they mean in that state, and it gets
the next versions. So nobody sees it before, and a state stays what its events come to.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from hud_runtime._breaker import tried_again
from hud_runtime._errors import DomainError, EventError, StoreError, StoreUnavailableError
from hud_runtime._limits import Limits
from hud_runtime.events import EventDraft
from hud_runtime.outbox import Letter, Letters, Outbox, Posted
from hud_runtime.secrets import Secrets
from hud_runtime.session._recording import Recorder
from hud_runtime.store import EventIds

if TYPE_CHECKING:
    from hud_components import Domain
    from hud_runtime.session._session import HudSession
    from hud_runtime.store._log_store import LogStore

AGAIN = 5.0
"""Seconds after which what waits is tried again where it is not known that the server is away."""

BATCH = 100
"""Letters of a session that are delivered in one transaction."""


def letters_of(outbox: Outbox, address: str) -> Letters:
    """Return the letters for the store at an address, which need not be there.

    :raises StoreError: for what is no address.
    """
    from hud_runtime.postgres._address import identity, parsed, shown

    settings = parsed(address)
    return Letters(outbox, shown(settings), identity(settings))


def post_unseen(
    letters: Letters, session_id: str, draft: EventDraft, domain: Domain[Any]
) -> Posted:
    """Keep what is to be recorded in a session of a store that cannot even be opened.

    :raises EventError: for what no state would take.
    """

    def now() -> int:
        return time.time_ns() // 1_000_000

    ids = EventIds(now)
    limits, secrets = Limits.of_environment(), Secrets.of_environment()
    kept = Recorder(session_id, domain, ids, now, limits, secrets).postable(draft)
    name, at = ids.next(), now()
    letters.put(session_id, [{name: kept}], after=0, at=at)
    return Posted(session_id, (name,), (kept.type,), at)


class Posting:
    """The outbox of an open store."""

    def __init__(
        self, letters: Letters, log: LogStore, open_session: Callable[[str], HudSession[Any]]
    ) -> None:
        self.letters = letters
        self._log = log
        self._open_session = open_session
        self._closed = threading.Event()
        self._watch: threading.Thread | None = None
        self._process = os.getpid()

    def begin(self) -> None:
        """Deliver what waits from before; what cannot be delivered now is tried again."""
        try:
            self.letters.check()
            self.deliver()
        except StoreError:
            self.watch()

    @property
    def is_away(self) -> bool:
        """True if the server is known to be away, and not asked yet whether it is back."""
        return self._log.breaker.is_open

    def is_clear(self, session_id: str) -> bool:
        """Deliver what waits for a session; tell whether it can be recorded in, or the server is away.

        :raises StoreError: where the store takes nothing for another reason.
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
    ) -> Posted:
        """Keep drafts, by the ids of their events, until the server is back.

        :param apart: whether each may be recorded without the others.
        :param taken: what is kept of the tellings that have led to them, when all of them are recorded.
        """
        given = [{each: draft} for each, draft in drafts.items()] if apart and drafts else [drafts]
        self.letters.put(session_id, given, after=after, at=at, taken=taken)
        self.watch()
        return Posted(session_id, tuple(drafts), tuple(each.type for each in drafts.values()), at)

    def deliver(self, session_id: str | None = None) -> None:
        """Record what waits, for one session or for all, in the order of its posting.

        :raises StoreUnavailableError: where the server is away; what was not recorded waits on.
        """
        if session_id is not None and not self.letters.waits(session_id):
            return
        for name in self.letters.sessions() if session_id is None else (session_id,):
            with suppress(DomainError):  # somebody who has its domain delivers it
                while self._deliver_some(name):
                    pass

    def watch(self) -> None:
        """Deliver by and by, in a thread that ends when nothing waits any more."""
        if self._watch is not None and self._watch.is_alive() and self._process == os.getpid():
            return
        if self._process != os.getpid():  # a forked child has none of its parent's threads
            self._process, self._closed = os.getpid(), threading.Event()
        self._watch = threading.Thread(
            target=self._deliver_by_and_by, name="ujsx outbox", daemon=True
        )
        self._watch.start()

    def close(self) -> None:
        """Deliver nothing any more."""
        self._closed.set()

    def _deliver_by_and_by(self) -> None:
        while not self._closed.wait(self._log.breaker.left or AGAIN):
            with suppress(StoreError):  # the doctor tells what waits, and why
                self.deliver()
                self._log.breaker.worked()
                if not self.letters.sessions():
                    return

    @tried_again
    def _deliver_some(self, session_id: str) -> bool:
        """Record some of what waits for a session; tell whether there was anything.

        Nobody else delivers for the session meanwhile. Letters are dropped when they are committed, and who is killed
        before that is known by the ids of their events.
        """
        done: list[Letter] = []
        refused: list[tuple[str, Letter]] = []
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
        session: HudSession[Any],
        letters: list[Letter],
        done: list[Letter],
        refused: list[tuple[str, Letter]],
    ) -> None:
        from hud_runtime.session._heard import deliver_heard

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
            if letter.taken is not None:  # also of what is refused: it was told, and is kept apart
                deliver_heard(session, letter.taken)
