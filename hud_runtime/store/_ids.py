"""Ids of events: unique without asking anybody, and in the order of their making."""

from __future__ import annotations

import os
from collections.abc import Callable

from hud_runtime._fork import mutex

COUNTER_BITS = 12

DRAWN = 512
"""Random bytes that are taken from the system at once: it is asked once for 64 ids."""


class Entropy:
    """Random bytes of the system, some of them drawn ahead; a forked child draws its own.

    >>> entropy = Entropy()
    >>> len(entropy(8)), entropy(8) == entropy(8)
    (8, False)
    """

    def __init__(self) -> None:
        self._drawn = b""
        self._lock = mutex()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forget)

    def __call__(self, count: int) -> bytes:
        with self._lock:
            if len(self._drawn) < count:
                self._drawn = os.urandom(max(DRAWN, count))
            taken, self._drawn = self._drawn[:count], self._drawn[count:]
            return taken

    def _forget(self) -> None:
        self._drawn = b""


ENTROPY = Entropy()


class EventIds:
    """Makes UUIDs of version 7 (RFC 9562, section 5.7).

    The 12 bits after the milliseconds count the ids of one millisecond, so that a process's
    ids sort as they were made; the 62 bits at the end are random.

    >>> ids = EventIds(lambda: 1_700_000_000_000)
    >>> first, second = ids.next(), ids.next()
    >>> first < second, first[:18]
    (True, '018bcfe5-6800-7000')
    """

    def __init__(self, clock: Callable[[], int], entropy: Callable[[int], bytes] = ENTROPY) -> None:
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
