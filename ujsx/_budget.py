"""Which rung each ladder stands on, so that a rendering fits a number of tokens.

All ladders of a tree are climbed together. Their steps stand in one fixed order, best value per
token first, and a budget takes as many of them from the front as it can pay for. So more budget
never shows less of anything, and what a budget shows explains itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ujsx._density import Density, Disclosure, Rung


@dataclass(frozen=True, slots=True)
class Offer:
    """What one rung of a ladder costs. ``rung`` is ``None`` where the component is hidden."""

    rung: Rung | None
    tokens: int


@dataclass(frozen=True, slots=True)
class Step:
    """A step up one ladder: from its offer ``to - 1`` to its offer ``to``."""

    ladder: int
    to: int
    tokens: int
    priority: float


def rungs_within(disclosure: Disclosure, ceiling: Density | None) -> list[Rung | None]:
    """Return the rungs that a budget may choose, from the least to the most.

    The least is the floor, or ``None`` for hidden where there is no floor. The most is what
    ``ceiling`` picks, or the top of the ladder without a ceiling.

    >>> ladder = (Rung(Density.MINIMAL, 0), Rung(Density.COMPACT, 3), Rung(Density.FULL))
    >>> [str(rung) for rung in rungs_within(Disclosure(ladder), Density.COMPACT)]
    ['None', 'minimal/0', 'compact/3']
    """
    ladder = disclosure.ladder
    top = ladder[-1] if ceiling is None else disclosure.at(ceiling)
    rungs = ladder[: ladder.index(top) + 1]
    if disclosure.floor is None:
        return [None, *rungs]
    floor = disclosure.at(disclosure.floor)
    start = ladder.index(floor)
    return list(rungs[start:]) or [top]


def worthwhile(offers: Sequence[Offer]) -> list[Offer]:
    """Return the offers of a ladder without those that save nothing.

    A rung that costs as much as one above it is never chosen: the one above shows more.

    >>> low, high = Rung(Density.MINIMAL), Rung(Density.FULL)
    >>> [str(offer.rung) for offer in worthwhile([Offer(low, 9), Offer(high, 7)])]
    ['full']
    """
    kept: list[Offer] = []
    for offer in reversed(offers):
        if not kept or offer.tokens < kept[-1].tokens:
            kept.append(offer)
    kept.reverse()
    return kept


def steps_of(ladders: Sequence[Sequence[Offer]], disclosures: Sequence[Disclosure]) -> list[Step]:
    """Return all steps in the order in which a budget takes them.

    A rung is worth twice as much as the one above it adds, times the component's weight. A step
    never stands before the one below it on its ladder.
    """
    steps: list[Step] = []
    for ladder, (offers, disclosure) in enumerate(zip(ladders, disclosures, strict=True)):
        priority = float("inf")
        for to in range(1, len(offers)):
            lower, upper = offers[to - 1], offers[to]
            tokens = upper.tokens - lower.tokens
            worth = _worth(upper.rung, disclosure) - _worth(lower.rung, disclosure)
            priority = min(priority, disclosure.weight * worth / tokens)
            steps.append(Step(ladder, to, tokens, priority))
    return sorted(steps, key=lambda step: -step.priority)


def affordable(steps: Sequence[Step], tokens: int) -> int:
    """Return how many of ``steps``, from the front, cost no more than ``tokens`` together.

    >>> affordable([Step(0, 1, 30, 2.0), Step(1, 1, 50, 1.0), Step(0, 2, 5, 0.5)], 60)
    1
    """
    for count, step in enumerate(steps):
        tokens -= step.tokens
        if tokens < 0:
            return count
    return len(steps)


def _worth(rung: Rung | None, disclosure: Disclosure) -> float:
    return 0.0 if rung is None else 1 - 0.5 ** (disclosure.ladder.index(rung) + 1)
