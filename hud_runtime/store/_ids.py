"""Ids of events: unique without asking anybody, and in the order of their making."""

from __future__ import annotations

import os
from collections.abc import Callable

from hud_runtime._fork import mutex

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
