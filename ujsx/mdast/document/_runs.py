"""Two lists of nodes side by side: which nodes they share, and what is between those.

A node of the wanted tree is one of the source if it has its position, which copies keep, or is equal to it
at an end of the list.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, cast

from ujsx.mdast._nodes import Position


class Pair(NamedTuple):
    """A node that two trees share: as it was, and as it is wanted."""

    old: Any
    new: Any


class Run(NamedTuple):
    """The nodes that two lists do not share, between two that they do."""

    before: Pair | None
    removed: list[Any]
    added: list[Any]
    after: Pair | None


def runs_of(olds: Sequence[Any], news: Sequence[Any]) -> Iterator[Run]:
    """Yield what two lists of nodes do not share, each with the node behind it that they do.

    A node is shared if it has the position of one of the source; as many as can be keep their order.
    """
    old = new = 0
    before: Pair | None = None
    for one, other in _shared(olds, news):
        after = Pair(olds[one], news[other])
        yield Run(before, [*olds[old:one]], [*news[new:other]], after)
        before, old, new = after, one + 1, other + 1
    if old < len(olds) or new < len(news):
        yield Run(before, [*olds[old:]], [*news[new:]], None)


def _shared(olds: Sequence[Any], news: Sequence[Any]) -> list[tuple[int, int]]:
    """Return pairs of places of nodes that two lists share, in order."""
    head = _alike(olds, news)
    tail = _alike(olds[head:][::-1], news[head:][::-1])
    inner = _rising(olds[head : len(olds) - tail], news[head : len(news) - tail])
    return [
        *[(index, index) for index in range(head)],
        *[(head + old, head + new) for old, new in inner],
        *[(len(olds) - index, len(news) - index) for index in range(tail, 0, -1)],
    ]


def _alike(olds: Sequence[Any], news: Sequence[Any]) -> int:
    """Return how many nodes at the start of two lists are the same, or have the same place."""
    count = 0
    for old, new in zip(olds, news, strict=False):
        if old is not new and not _has_place(new, old) and old != new:
            break
        count += 1
    return count


def _has_place(node: Any, other: Any) -> bool:
    return node.position is not None and node.position is other.position


def _rising(olds: Sequence[Any], news: Sequence[Any]) -> list[tuple[int, int]]:
    """Return the longest list of pairs of places, of nodes with one position, that rises on both sides."""
    places = {id(node.position): index for index, node in enumerate(olds) if node.position}
    pairs = [
        (places[id(node.position)], index)
        for index, node in enumerate(news)
        if node.position is not None and id(node.position) in places
    ]
    # The lowest end of a chain of each length, and the chain: a pair, and the chain before it.
    tops: list[int] = []
    chains: list[Any] = []
    for pair in pairs:
        length = bisect_left(tops, pair[0])
        chains[length : length + 1] = [(pair, chains[length - 1] if length else None)]
        tops[length : length + 1] = [pair[0]]
    result: list[tuple[int, int]] = []
    longest: Any = chains[-1] if chains else None
    while longest is not None:
        pair, longest = longest
        result.append(pair)
    return result[::-1]


def siblings_of(run: Run) -> list[Any]:
    """Return the nodes of the source that a run touches: one before, those removed, one behind."""
    before = [] if run.before is None else [run.before.old]
    return [*before, *run.removed, *([] if run.after is None else [run.after.old])]


def region_of(run: Run) -> tuple[int, int]:
    """Return the part of the source that a run changes: up to the nodes that stay."""
    siblings = siblings_of(run)
    start = start_of(siblings[0]) if run.before is None else end_of(run.before.old)
    end = end_of(siblings[-1]) if run.after is None else start_of(run.after.old)
    return start, end


def start_of(node: Any) -> int:
    """Return where a node of the source starts."""
    return cast("Position", node.position).start.offset or 0


def end_of(node: Any) -> int:
    """Return the first place behind a node of the source."""
    return cast("Position", node.position).end.offset or 0
