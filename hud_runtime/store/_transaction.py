"""The right to write: one thread, and one asyncio task of it, at a time; all others wait or are refused.

A transaction belongs to the thread or task that began it. What is called within it, by the same thread and task, is a
part of it. Another task of the same thread cannot wait: it would stop the very thread that has to let
go. So it is refused at once, and so is a signal handler that comes while the store is at work; other
threads wait for as long as the time-out allows.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from hud_runtime._errors import StoreLockedError

if TYPE_CHECKING:
    from asyncio import Task

Caller: TypeAlias = "tuple[int, Task[Any] | None]"
"""A thread by its number, and the task that it is running, if any."""


HOLDER = "innermost"
"""The one key of :class:`WriteLock`'s dictionary."""


class Published(Protocol):
    """Something that knows the end of a log, and hears of what was committed."""

    def publish(self, known: Any) -> None:
        """Go on to what is known now."""
        ...


class Transaction:
    """A transaction, or a part of one: who is in it, and what is known in it alone.

    What somebody learns within it may be rolled back. It is kept here, and only published when the
    whole is committed; after an error, nobody has ever heard of it.
    """

    __slots__ = ("_known", "caller", "is_busy", "parent", "since", "what")

    def __init__(
        self,
        caller: Caller,
        what: str,
        parent: Transaction | None = None,
        *,
        is_busy: bool = False,
    ) -> None:
        self.caller = caller
        self.what = what
        """The work that is under way, such as ``exclusive() of session "s"``."""
        self.parent = parent
        """The transaction that this one is a part of."""
        self.is_busy = is_busy
        """Whether the store itself is at work in it. Whoever comes from the same thread now has
        interrupted it, as a signal handler does, and must not take part."""
        self.since = time.monotonic()
        self._known: dict[Published, Any] | None = None

    @property
    def depth(self) -> int:
        """The number of transactions that it is a part of."""
        return 0 if self.parent is None else 1 + self.parent.depth

    def keep(self, view: Published, known: Any) -> None:
        """Keep what a view knows within this transaction."""
        self._known = {**(self._known or {}), view: known}

    def known(self, view: Published) -> Any:
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
                f"{self._place}: {holder}; that is this very thread, so waiting here would be"
                " for ever: write before or after it, or from within that task; an asyncio.Lock"
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
