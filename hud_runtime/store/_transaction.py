"""Who writes: one thread, and one asyncio task of it, at a time; all others wait or are refused.

A transaction belongs to whoever began it. What is called within it, by the same thread and task, is a
part of it. Another task of the same thread cannot wait: it would stop the very thread that has to let
go. So it is refused at once; other threads wait for as long as the time-out allows.
"""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from hud_runtime._errors import StoreLockedError

if TYPE_CHECKING:
    from asyncio import Task

Caller: TypeAlias = "tuple[int, Task[Any] | None]"
"""A thread by its number, and the task that it is running, if any."""


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

    __slots__ = ("_known", "caller", "parent", "since", "what")

    def __init__(self, caller: Caller, what: str, parent: Transaction | None = None) -> None:
        self.caller = caller
        self.what = what
        """What is being done, such as ``exclusive() of session "s"``."""
        self.parent = parent
        """The transaction that this one is a part of."""
        self.since = time.monotonic()
        self._known: dict[Published, Any] | None = None

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
    """

    def __init__(self, place: str) -> None:
        self._place = place
        self._lock = threading.Lock()
        self._innermost: Transaction | None = None

    def current(self) -> Transaction | None:
        """Return the innermost transaction that the caller is in; None outside of any."""
        innermost = self._innermost
        if innermost is None or innermost.caller != caller():
            return None
        return innermost

    def enter(self, what: str, timeout: float) -> Transaction:
        """Begin a transaction, or a part of the one that the caller is in.

        Raises :class:`StoreLockedError`, which says who is writing, after ``timeout`` milliseconds;
        at once when that is another task of this thread.
        """
        me = caller()
        innermost = self._innermost
        if innermost is not None and innermost.caller == me:
            self._innermost = part = Transaction(me, what, innermost)
            return part
        if not self._lock.acquire(blocking=False):
            self._wait(me, timeout)
        self._innermost = whole = Transaction(me, what)
        return whole

    def try_to_enter(self, what: str) -> Transaction | None:
        """Begin a transaction if nobody is in one, the caller included."""
        if not self._lock.acquire(blocking=False):
            return None
        self._innermost = whole = Transaction(caller(), what)
        return whole

    def leave(self, transaction: Transaction) -> None:
        """End a transaction; with the outermost one, the next writer gets its turn.

        One that was a part of what has ended already, out of its order, is no more to be ended.
        """
        if not self.is_open(transaction):
            return
        self._innermost = transaction.parent
        if transaction.parent is None:
            self._lock.release()

    def is_innermost(self, transaction: Transaction) -> bool:
        """Tell whether nothing that was begun within a transaction is still open."""
        return self._innermost is transaction

    def is_open(self, transaction: Transaction) -> bool:
        """Tell whether a transaction, and all that it is a part of, has not ended."""
        one = self._innermost
        while one is not None and one is not transaction:
            one = one.parent
        return one is transaction

    def _wait(self, me: Caller, timeout: float) -> None:
        holder = self._innermost
        if holder is not None and holder.caller[0] == me[0]:
            raise StoreLockedError(
                f"{self._place}: {holder}; that is this very thread, so waiting here would be"
                " for ever: write before or after it, or from within that task; an asyncio.Lock"
                " around both makes one wait for the other"
            )
        if not self._lock.acquire(timeout=timeout / 1_000):
            who = str(self._innermost or "another thread is writing")
            raise StoreLockedError(
                f"{self._place}: {who}; it did not end within {timeout / 1_000:g} s, so nothing"
                " was written; try again"
            )
