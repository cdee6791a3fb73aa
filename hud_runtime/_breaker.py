"""A circuit breaker: after a failure, calls are refused for a pause; then one caller tries the service again.

Each service has its own breaker, with its :class:`Backoff`. :func:`tried_again` retries a function whose
transaction was rolled back.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import wraps
from typing import NamedTuple, ParamSpec, TypeVar

from hud_runtime._errors import StoreError, StoreUnavailableError
from hud_runtime._fork import mutex

P = ParamSpec("P")
ResultT = TypeVar("ResultT")


class Backoff(NamedTuple):
    """The first and the longest pause after a failed attempt, in seconds; pauses double."""

    first: float
    longest: float


SERVER = Backoff(first=0.25, longest=5.0)
"""Pauses for an unreachable server. A restart takes a second or two, and a refused attempt some
milliseconds, so the first pauses are short. A server that is away for an hour is tried 720 times; its
return is noticed within five seconds.
"""

LOCKED = Backoff(first=5.0, longest=5.0)
"""Pauses for a locked store. Each attempt waits as long (:data:`hud_runtime.log.store.BUSY_TIMEOUT`), so
that a minute's lock costs each turn a second, not a minute.
"""


class Breaker:
    """The state of a breaker, shared by all threads.

    >>> from hud_runtime import StoreLockedError
    >>> now = [0.0]
    >>> breaker = Breaker(LOCKED, lambda: now[0])
    >>> breaker.failed(StoreLockedError("another process is writing"))
    >>> breaker.is_open
    True
    >>> breaker.refuse()
    Traceback (most recent call last):
    hud_runtime._errors.StoreLockedError: another process is writing; it is tried again in 5.0 s
    >>> now[0] = 5.0
    >>> breaker.refuse()

    :param clock: seconds from any start.
    """

    def __init__(self, pauses: Backoff, clock: Callable[[], float] = time.monotonic) -> None:
        self._pauses = pauses
        self._clock = clock
        self._lock = mutex()
        self._failure: StoreError | None = None
        self._not_before = 0.0
        self._pause = 0.0
        self._trying: int | None = None
        """The process that is trying the service: a forked child has none of its parent's threads."""

    @property
    def is_open(self) -> bool:
        """True if a call would be refused now."""
        return self._failure is not None and (self.left > 0 or self._trying == os.getpid())

    @property
    def answers(self) -> bool:
        """True if no failure is known."""
        return self._failure is None

    @property
    def left(self) -> float:
        """Seconds until the next attempt; 0 if it may start now."""
        return 0.0 if self._failure is None else max(self._not_before - self._clock(), 0.0)

    def refuse(self) -> None:
        """Raise the last failure while the breaker is open."""
        failure = self._failure
        if failure is None or not self.is_open:
            return
        left = self.left
        when = f"it is tried again in {left:.1f} s" if left else "it is being tried again"
        raise type(failure)(f"{failure}; {when}")

    def look(self, reach: Callable[[], object]) -> None:
        """Return if no failure is known; else try the service, or refuse.

        Of all threads that come after a pause, one tries. However that ends, the next one may.

        :param reach: tries the service. It raises :class:`StoreError`, which the other callers get too, if
            it is still away.
        """
        if self.answers:
            return
        is_mine = False
        try:
            with self._lock:
                self.refuse()
                if self.answers:
                    return
                is_mine = True
                self._trying = os.getpid()
            reach()
            self.worked()
        except StoreError as failure:
            with self._lock:
                if is_mine:
                    self._trying = None
                    self.failed(failure)
            raise
        finally:
            if is_mine:
                self._trying = None

    def failed(self, failure: StoreError) -> None:
        """Open the breaker after a failed attempt; no effect while it is open."""
        with self._lock:
            if self.is_open:
                return
            pauses = self._pauses
            self._pause = min(2 * self._pause, pauses.longest) if self._failure else pauses.first
            self._not_before = self._clock() + self._pause
            self._failure = failure

    def worked(self) -> None:
        """Close the breaker: the service works."""
        self._failure = None


def tried_again(work: Callable[P, ResultT]) -> Callable[P, ResultT]:
    """Retry a function whose transaction was lost with the connection to a server.

    For functions with a single transaction. The error confirms that the server has rolled it back, and sets
    how long to retry. Within a larger transaction the function runs once, because only the owner of that
    can retry it.

    >>> calls = []
    >>> @tried_again
    ... def work():
    ...     calls.append("call")
    ...     if len(calls) < 3:
    ...         error = StoreUnavailableError("the connection broke")
    ...         error.tries_until = time.monotonic() + 5
    ...         raise error
    ...     return "done"
    >>> work(), len(calls)
    ('done', 3)
    """

    @wraps(work)
    def tried(*args: P.args, **named: P.kwargs) -> ResultT:
        until = float("inf")
        while True:
            try:
                return work(*args, **named)
            except StoreUnavailableError as error:
                until = min(until, error.tries_until)
                if time.monotonic() >= until:
                    raise

    return tried
