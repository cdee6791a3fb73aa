"""A circuit breaker: a service that does not answer is left alone for a while; one caller then tries it again.

This is what is elsewhere called a circuit breaker. Each thing that may not answer has one of its own, with its
:class:`Backoff`. And what broke off without any effect is called again: :func:`tried_again`.
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
    """How long something is left alone after a try that has failed, in seconds; each time twice as long."""

    first: float
    longest: float


SERVER = Backoff(first=0.25, longest=5.0)
"""A server that cannot be reached. A restart takes a second or two, and a try that is refused some milliseconds: so the
first pauses are short. One that is away for an hour is asked 720 times; when it is back, that is known within five
seconds."""

LOCKED = Backoff(first=5.0, longest=5.0)
"""A store that somebody else has locked: each try waits for as long (:data:`hud_runtime.log.store.BUSY_TIMEOUT`), so
that a minute's lock costs a turn a second and not a minute."""


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

    :param clock: seconds, from anywhere on.
    """

    def __init__(self, pauses: Backoff, clock: Callable[[], float] = time.monotonic) -> None:
        self._pauses = pauses
        self._clock = clock
        self._lock = mutex()
        self._failure: StoreError | None = None
        self._not_before = 0.0
        self._pause = 0.0
        self._trying: int | None = None
        """The process in which somebody looks whether it is back: a forked child has none of its parent's threads."""

    @property
    def is_open(self) -> bool:
        """True if who asks now is refused."""
        return self._failure is not None and (self.left > 0 or self._trying == os.getpid())

    @property
    def answers(self) -> bool:
        """True if nothing is known to be wrong."""
        return self._failure is None

    @property
    def left(self) -> float:
        """Seconds until it is tried again; 0 where it may be tried now."""
        return 0.0 if self._failure is None else max(self._not_before - self._clock(), 0.0)

    def refuse(self) -> None:
        """Raise what went wrong last, where it is not time to try again yet."""
        failure = self._failure
        if failure is None or not self.is_open:
            return
        left = self.left
        when = f"it is tried again in {left:.1f} s" if left else "it is being tried again"
        raise type(failure)(f"{failure}; {when}")

    def look(self, reach: Callable[[], object]) -> None:
        """Return where nothing is known to be wrong; else look whether it is back, or refuse.

        Of all threads that come when a pause is over one looks. Whatever ends that, the next one may.

        :param reach: looks; it raises a :class:`StoreError`, which is told to the others, where it is not back.
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
        """Note that a try has failed: the others are refused from now on. While they are, it is no news."""
        with self._lock:
            if self.is_open:
                return
            pauses = self._pauses
            self._pause = min(2 * self._pause, pauses.longest) if self._failure else pauses.first
            self._not_before = self._clock() + self._pause
            self._failure = failure

    def worked(self) -> None:
        """Note that it answers."""
        self._failure = None


def tried_again(work: Callable[P, ResultT]) -> Callable[P, ResultT]:
    """A function that is called again when its transaction was lost with the connection to a server.

    For functions whose effects are those of one transaction. The error tells that the server has taken all of it back,
    and how long it may be tried again. A part of a larger transaction is called once: the whole is lost with it, and
    only whoever began that can call it again.

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
