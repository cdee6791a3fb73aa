"""A cache for a sequence that changes a little from one time to the next: a diff, and results that are reused.

In: the items of last time with their results, and the items of now. Items that were there before keep their
result; only new ones are computed. The common start and the common end are compared first, which is quick;
what is left in the middle is looked up in a dictionary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from operator import eq, indexOf, is_
from typing import Any, TypeAlias

Make: TypeAlias = Callable[[Any, Any], Any]
"""Gives the result for an item; its second argument is the result of what stood in its place, or ``None``."""


def renewed(
    before: Sequence[Any],
    results: Sequence[Any],
    given: Sequence[Any],
    make: Make,
    *,
    by_value: bool = True,
) -> Sequence[Any]:
    """Return a result for each that is given: that of its equal before, or what is made of it now.

    :param by_value: whether equal things are the same; only the same object is it else.

    >>> renewed("abcd", [1, 2, 3, 4], "xabed", lambda new, old: f"new {new} for {old}")
    ['new x for 1', 1, 2, 'new e for None', 4]
    """
    same = eq if by_value else is_
    shorter = min(len(before), len(given))
    first = _length(map(same, before, given), shorter)
    if first == len(given) == len(before):
        return results
    last = _length(map(same, reversed(before), reversed(given)), shorter - first)
    ended, end = len(before) - last, len(given) - last
    known: dict[Any, Any] = {}
    name: Callable[[Any], Any] = _itself if by_value else id
    if ended - first > 1 and end > first:  # one that changed takes as long to hash as to compare
        known = dict(zip(map(name, before[first:ended]), results[first:ended], strict=True))
    renewals = [*results[:first]]
    for place in range(first, end):
        found = known.get(name(given[place])) if known else None
        if found is None:
            found = make(given[place], results[place] if place < ended else None)
        renewals.append(found)
    return [*renewals, *results[ended:]]


def _itself(value: Any) -> Any:
    return value


def _length(same: Iterable[bool], most: int) -> int:
    """How many are the same, from the first on."""
    try:
        return indexOf(islice(same, most), False)
    except ValueError:  # all of them
        return most
