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

Make: TypeAlias = Callable[[Sequence[Any]], Sequence[Any]]
"""Gives a result for each."""


def renewed(
    before: Sequence[Any],
    results: Sequence[Any],
    given: Sequence[Any],
    make: Make,
    *,
    by_value: bool = True,
) -> Sequence[Any]:
    """Return a result for each that is given: that of its like before, or what is made of it now.

    :param by_value: whether equal things are the same; only the same object is it else.

    >>> renewed("abcd", [1, 2, 3, 4], "xabed", lambda new: [f"new {each}" for each in new])
    ['new x', 1, 2, 'new e', 4]
    """
    same = eq if by_value else is_
    shorter = min(len(before), len(given))
    first = _length(map(same, before, given), shorter)
    last = _length(map(same, reversed(before), reversed(given)), shorter - first)
    if first == len(given) == len(before):
        return results
    ended, end = len(before) - last, len(given) - last
    middle = given[first:end]
    between = _looked_up(before[first:ended], results[first:ended], middle, by_value=by_value)
    others = [each for each, result in zip(middle, between, strict=True) if result is None]
    fresh = iter(make(others) if others else ())
    return [
        *results[:first],
        *[next(fresh) if result is None else result for result in between],
        *results[ended:],
    ]


def _looked_up(
    before: Sequence[Any], results: Sequence[Any], given: Sequence[Any], *, by_value: bool
) -> Sequence[Any]:
    if not given:
        return ()
    if by_value:
        if len(before) < 2:  # a neighbour changed: to hash it would take as long as to compare it
            return [None] * len(given)
        known = dict(zip(before, results, strict=True))
        return list(map(known.get, given))
    named = dict(zip(map(id, before), results, strict=True))
    return [named.get(id(each)) for each in given]


def _length(same: Iterable[bool], most: int) -> int:
    """How many are the same, from the first on."""
    try:
        return indexOf(islice(same, most), False)
    except ValueError:  # all of them
        return most
