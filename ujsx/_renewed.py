"""A cache for a sequence that changes a little from one time to the next: a diff, and results that are reused.

In: the items of last time with their results, and the items of now. Items that were there before keep their
result; only new ones are computed. The common start and the common end are compared first, which is quick;
what is left in the middle is looked up in a dictionary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from operator import eq, indexOf
from typing import Any, TypeAlias

Make: TypeAlias = Callable[[Any, Any], Any]
"""Gives the result for an item; its second argument is the result of what stood in its place, or ``None``."""


def renewed(
    before: Sequence[Any], results: Sequence[Any], given: Sequence[Any], make: Make
) -> Sequence[Any]:
    """Return a result for each that is given: that of its equal before, or what is made of it now.

    >>> renewed("abcd", [1, 2, 3, 4], "xabed", lambda new, old: f"new {new} for {old}")
    ['new x for 1', 1, 2, 'new e for None', 4]
    """
    shorter = min(len(before), len(given))
    first = _length(map(eq, before, given), shorter)
    if first == len(given) == len(before):
        return results
    last = _length(map(eq, reversed(before), reversed(given)), shorter - first)
    ended, end = len(before) - last, len(given) - last
    # Where one item changed, to hash it would take as long as to compare it.
    moved = ended - first > 1 and end > first
    known = dict(zip(before[first:ended], results[first:ended], strict=True)) if moved else {}
    renewals = [*results[:first]]
    for place in range(first, end):
        found = known.get(given[place]) if known else None
        if found is None:
            found = make(given[place], results[place] if place < ended else None)
        renewals.append(found)
    return [*renewals, *results[ended:]]


def _length(same: Iterable[bool], most: int) -> int:
    """How many are the same, from the first on."""
    try:
        return indexOf(islice(same, most), False)
    except ValueError:  # all of them
        return most
