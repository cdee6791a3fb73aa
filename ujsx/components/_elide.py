"""The choice of items in a long list, made so that a growing list appends instead of being rewritten.

A prompt cache holds a prefix: what stands behind the first changed byte is paid for again. A list
that shows its newest items drops the oldest at every turn, so all of it is rewritten. Here a list
keeps its first items for good and drops those behind them, some at a time.
"""

from __future__ import annotations

from functools import lru_cache

NEWEST = 5
"""Up to this limit a list is simply its newest items: there is little to keep, and all of it counts."""

SHORTEST_TAIL = 8
"""How many places the newest items have at least, where the limit has as many."""

TAIL = (3, 8)
"""The share of the limit that is for the newest items; the rest is for the first ones."""

STEP = (2, 3)
"""Items are dropped in steps of the largest power of two within this share of the tail.

The four figures were chosen on the prefix run (``make bench`` prints it): they keep at least nine
tenths of the previous bytes from a limit of 20 items on, with the fewest items left out.
"""


def elided(count: int, limit: int | None) -> range:
    """Return the places of the items to leave out, of ``count`` items under a limit.

    What is shown are the items before that range and those behind it, no more than ``limit``: the
    first ones of the list, and the newest, of which some are dropped at once when there are too many.
    A list that grows by one item then mostly appends it. The same arguments give the same range, a
    larger limit shows everything that a smaller one does, and the newest item is always shown, unless
    the limit is 0.

    :param count: how many items there are, oldest first.
    :param limit: how many may be shown; ``None`` for all.
    :raises ValueError: if either is negative.

    >>> elided(6, 8), elided(9, 8), elided(12, 8), elided(13, 8)
    (range(6, 6), range(0, 4), range(0, 4), range(0, 8))
    >>> [elided(count, 20) for count in (21, 24, 25)]
    [range(12, 16), range(12, 16), range(12, 20)]
    >>> items = "abcdefghijkl"
    >>> gap = elided(len(items), 10)
    >>> items[: gap.start], items[gap.stop :]
    ('ab', 'efghijkl')
    """
    if count < 0 or (limit is not None and limit < 0):
        raise ValueError(f"counts and limits are 0 or more, not {count} and {limit}")
    if limit is None or count <= limit:
        return range(count, count)
    if limit == 0:
        return range(count)
    return range(limit - _tail(limit), _start(count, limit))


@lru_cache(maxsize=4096)
def _start(count: int, limit: int) -> int:
    """Where the newest items start.

    Steps of two limits may stand at different places, so the start is the first of those of all
    limits up to this one: nothing is dropped that a smaller limit shows.
    """
    return min(_own_start(count, each) for each in range(1, limit + 1))


def _own_start(count: int, limit: int) -> int:
    tail = _tail(limit)
    step = _step(tail)
    return -(-(count - tail) // step) * step


def _tail(limit: int) -> int:
    share, whole = TAIL
    return max(min(limit, SHORTEST_TAIL), -(-limit * share // whole))


def _step(tail: int) -> int:
    share, whole = STEP
    return 1 if tail <= NEWEST else 1 << (tail * share // whole).bit_length() - 1
