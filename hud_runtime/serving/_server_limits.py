"""The limits of what a server takes from its clients, as one table: each with its purpose and its unit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from typing import Self

from hud_runtime._errors import LimitError
from ujsx.errors import did_you_mean, quoted

KNOWN = "ujsx.known"
"""The key by which an application notes in a request's scope that its client has shown who it is; the connections of
others are closed first."""


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """The limits of one server process.

    >>> ServerLimits.of(["rate=50", "body=100000"]).rate
    50
    """

    rate: int = 20
    """Requests of a token in a second, in the long run."""

    burst: int = 100
    """Requests of a token at once, after a pause."""

    connections: int = 4_000
    """Connections at once, and never more than descriptors less 64; beyond it one that waits is closed."""

    head: int = 10
    """Seconds that a client may take for the head of a request."""

    body: int = 4 * 1024 * 1024
    """Bytes of a request."""

    sending: int = 30
    """Seconds that a client may take to send its body."""

    at_once: int = 128
    """Requests that are answered at the same time."""

    at_once_of_token: int = 32
    """Of them, those of one token."""

    streams: int = 1_000
    """Clients that listen at the same time."""

    streams_of_token: int = 100
    """Of them, those of one token."""

    sessions: int = 1_000
    """Sessions that are kept in memory, those used last: the store has them all."""

    workers: int = 8
    """Threads that ask the store: as many as it has connections."""

    stopping: int = 10
    """Seconds that requests have to end when the server is told to stop."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if not isinstance(value, int) or not 1 <= value <= 2**40:
                raise LimitError(f"the limit {each.name} is a whole number above 0, not {value!r}")

    @classmethod
    def of(cls, given: Iterable[str]) -> Self:
        """Return the usual limits with others, each as ``NAME=NUMBER``.

        :raises LimitError: for a name that no limit has, and for what is no whole number above 0.
        """
        made, names = cls(), [each.name for each in fields(cls)]
        for each in given:
            name, _, text = each.partition("=")
            if name not in names:
                raise LimitError(f"there is no limit {quoted(name)}; {did_you_mean(name, names)}")
            if not (text.isascii() and text.isdecimal() and len(text) < 14):
                raise LimitError(f"the limit {name} is a whole number above 0, not {quoted(text)}")
            made = replace(made, **{name: int(text)})
        return made


class Buckets:
    """The requests that each token may make now: a bucket for each, which fills by the second.

    >>> now = 0.0
    >>> buckets = Buckets(rate=2, burst=1, clock=lambda: now)
    >>> buckets.wait("a"), buckets.wait("a"), buckets.wait("b")
    (0.0, 0.5, 0.0)
    """

    def __init__(
        self, *, rate: int, burst: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._full_at: dict[str, float] = {}
        """The time at which each bucket will be full, if nothing more is taken."""

    def wait(self, key: str) -> float:
        """Take one from a bucket, and return 0; or return the seconds until there is one to take."""
        now = self._clock()
        if len(self._full_at) > 1_000:  # those that are full by now need not be known
            self._full_at = {name: full for name, full in self._full_at.items() if full > now}
        full_at = max(self._full_at.get(key, now), now) + 1 / self._rate
        excess = full_at - now - self._burst / self._rate
        if excess > 1e-9:
            return excess
        self._full_at[key] = full_at
        return 0.0
