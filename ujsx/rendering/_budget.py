"""The rungs of all ladders, chosen so that a rendering fits a number of tokens.

All ladders of a tree are climbed together. Their steps stand in one fixed order, what is worth more
first, and a budget takes as many of them from the front as it can pay for. What is left over is spent
inside of the next step, item by item, and never on a later one. So more budget never shows less of
anything, and what a budget shows explains itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import msgspec

from ujsx._density import UNRANKED, Density, Disclosure, Rung, Worth


class Alternative(msgspec.Struct, frozen=True, gc=False, repr_omit_defaults=True):
    """What one rung of a ladder costs. ``rung`` is ``None`` where the component is hidden."""

    rung: Rung | None
    tokens: int
    is_least: bool = False
    """Whether it may cost more, and in any case more than a budget has: nobody counted."""


class Step(msgspec.Struct, frozen=True, gc=False):
    """A step up one ladder: from its alternative ``to - 1`` to its alternative ``to``."""

    ladder: int
    to: int
    tokens: int
    priority: float
    """What it gives for its tokens."""

    worth: Worth = UNRANKED
    """What it is worth beside others, whatever it costs."""

    is_least: bool = False
    """Whether it may cost more, so that its priority may be lower."""


def rungs_within(disclosure: Disclosure, ceiling: Density | None) -> list[Rung | None]:
    """Return the rungs that a budget may choose, from the least to the most.

    To a ladder that is pinned no density is a ceiling.
    The least is the floor, or ``None`` for hidden where there is no floor. The most is the highest of
    the ceiling's density, or the top of the ladder without a ceiling. Spare rungs are among them where
    they are of the highest density: below that they would show what the next density does not.

    >>> ladder = (Rung(Density.MINIMAL, 0), Rung(Density.COMPACT, 3), Rung(Density.FULL))
    >>> [str(rung) for rung in rungs_within(Disclosure(ladder), Density.COMPACT)]
    ['None', 'minimal/0', 'compact/3']
    """
    ladder = disclosure.ladder
    most = ladder[-1].density if ceiling is None or disclosure.is_pinned else ceiling
    within = [rung for rung in ladder if rung.density <= most] or [ladder[0]]
    top = within[-1].density
    rungs = [rung for rung in within if not rung.is_spare or rung.density is top]
    lowest = disclosure.lowest
    if lowest is None:
        return [None, *rungs]
    floor = next(rung for rung in ladder if rung.density >= lowest)
    return [*rungs[rungs.index(floor) :]] if floor in rungs else [rungs[-1]]


def worthwhile(alternatives: Sequence[Alternative]) -> list[Alternative]:
    """Return the alternatives of a ladder without those that save nothing.

    A rung that costs as much as one above it is never chosen: the one above shows more, and is worth
    what that was.

    >>> low, high = Rung(Density.MINIMAL), Rung(Density.FULL)
    >>> [str(alternative.rung) for alternative in worthwhile([Alternative(low, 9), Alternative(high, 7)])]
    ['full']
    """
    kept: list[Alternative] = []
    for alternative in reversed(alternatives):
        if not kept or alternative.tokens < kept[-1].tokens:
            kept.append(alternative)
        else:
            kept[-1] = _worth_as_much(kept[-1], alternative.rung)
    kept.reverse()
    return kept


def _worth_as_much(alternative: Alternative, lower: Rung | None) -> Alternative:
    """An alternative that stands in place of a lower rung, too."""
    rung = alternative.rung
    if rung is None or lower is None or not lower.worth < rung.worth:
        return alternative
    return msgspec.structs.replace(alternative, rung=replace(rung, worth=lower.worth))


def within_own(alternatives: Sequence[Alternative], budget: int | None) -> Sequence[Alternative]:
    """Return the worthwhile alternatives that a component's own budget leaves; the least is always left.

    They cost more from one to the next, so those that are left are the first of them, whatever the
    budget: a larger one only adds some.

    >>> low, high = Rung(Density.MINIMAL), Rung(Density.FULL)
    >>> within_own([Alternative(low, 5), Alternative(high, 9)], 8)
    [Alternative(rung=Rung(density=<Density.MINIMAL: 'minimal'>, limit=None, is_spare=False, inside=None, width=None, detailed=None), tokens=5)]
    """
    if budget is None:
        return alternatives
    return [each for n, each in enumerate(alternatives) if n == 0 or each.tokens <= budget]


def steps_of(
    ladders: Sequence[Sequence[Alternative]], disclosures: Sequence[Disclosure]
) -> list[Step]:
    """Return all steps in the order in which a budget takes them.

    They stand by the worth of the rungs that they lead to, and of equal worth by what they give for
    their tokens: a rung gives twice as much as the one above it adds, times the component's weight.
    A step never stands before the one below it on its ladder.
    """
    steps: list[Step] = []
    for ladder, (alternatives, disclosure) in enumerate(zip(ladders, disclosures, strict=True)):
        priority, worth_of = float("inf"), Worth(0, "")
        for to in range(1, len(alternatives)):
            lower, upper = alternatives[to - 1], alternatives[to]
            tokens = upper.tokens - lower.tokens
            gain = worth(upper.rung, disclosure) - worth(lower.rung, disclosure)
            own = UNRANKED if upper.rung is None else upper.rung.worth
            if worth_of < own:  # the best of a lower worth stands behind all of a higher one
                worth_of, priority = own, float("inf")
            priority = min(priority, disclosure.weight * gain / tokens)
            steps.append(Step(ladder, to, tokens, priority, worth_of, upper.is_least))
    return sorted(steps, key=lambda step: (step.worth.rank, -step.priority))


def most_within(count: int, fits: Callable[[int], bool]) -> int | None:
    """Return the place of the last of ``count`` alternatives that fits, by halving; ``None`` for none.

    It is looked for in steps of powers of two, so that which places are tried hardly depends on how
    many there are: what was rendered for one budget is of use for the next. What fits with less fits
    with more, so that more tokens, and more alternatives, never lead to an earlier place, even where
    an alternative costs less than one before it.

    >>> most_within(10, lambda place: place < 4), most_within(10, lambda place: False)
    (3, None)
    """
    found = -1
    step = 1 << max(count, 1).bit_length() - 1
    while step:
        if found + step < count and fits(found + step):
            found += step
        step >>= 1
    return found if found >= 0 else None


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


SPARE = 12
"""With a rendering to hold on to, a section climbs higher only if this part of the budget stays free:
a twelfth. What was gained is then not lost again with the next few words. Tried on the prefix run over
300 turns: a twentieth keeps 88 % of the bytes at 900 and 1,200 tokens, a twelfth 90 % and 94 %, a fifth no
more than that, and all of them show fewer notes the more stays free (decision 0004).
"""


class Taken(msgspec.Struct, gc=False):
    """The steps that a budget takes, in their order, and the one that it cannot pay for as a whole."""

    steps: list[Step]
    following: Step | None = None
    left: int = 0
    """The tokens that are left over for a part of that step."""

    spare: int = 0
    """How many of those stay free, unless they show what was shown before."""


def taken(steps: Sequence[Step], tokens: int) -> Taken:
    """Return the steps that ``tokens`` pay for.

    >>> found = taken([Step(0, 1, 30, 2.0), Step(1, 1, 50, 1.0), Step(0, 2, 5, 0.5)], 60)
    >>> len(found.steps), found.following.tokens, found.left
    (1, 50, 30)
    """
    count = affordable(steps, tokens)
    return Taken(list(steps[:count]), _at(steps, count), tokens - _sum(steps[:count]))


def _at(steps: Sequence[Step], place: int) -> Step | None:
    return steps[place] if place < len(steps) else None


def _sum(steps: Sequence[Step]) -> int:
    return sum(step.tokens for step in steps)


def choose(steps: Sequence[Step], tokens: int, held: Sequence[int | None], spare: int) -> Taken:
    """Return the steps that ``tokens`` pay for when ladders hold the rungs that they stood on.

    First come the steps that were taken before, in their order, while they can be paid for; those of
    ladders that are new are among them. Only when all of them fit are others taken, in their
    order too, while ``spare`` tokens stay free. So more tokens never buy less.

    :param held: the alternative that each ladder stood on, or ``None`` for a ladder that is new.

    >>> steps = [Step(0, 1, 30, 3.0), Step(1, 1, 30, 2.0), Step(0, 2, 30, 1.0)]
    >>> [(step.ladder, step.to) for step in choose(steps, 65, held=[2, 0], spare=5).steps]
    [(0, 1), (0, 2)]
    >>> [(step.ladder, step.to) for step in choose(steps, 95, held=[2, 0], spare=5).steps]
    [(0, 1), (0, 2), (1, 1)]
    """
    wanted: list[Step] = []
    others: list[Step] = []
    for step in steps:
        place = held[step.ladder]
        (wanted if place is None or step.to <= place else others).append(step)
    count = affordable(wanted, tokens)
    if count < len(wanted):
        return taken(wanted, tokens)
    left = tokens - _sum(wanted)
    more = others[: affordable(others, left - spare)]
    return Taken(wanted + more, _at(others, len(more)), left - _sum(more), spare)


def highest_within(
    alternatives: Sequence[Alternative], rung: Rung | None, disclosure: Disclosure
) -> int:
    """Return the place of the highest alternative that shows no more than ``rung``.

    >>> low, high = Rung(Density.MINIMAL), Rung(Density.FULL)
    >>> highest_within([Alternative(None, 0), Alternative(high, 9)], low, Disclosure((low, high)))
    0
    """
    most = _height(rung, disclosure)
    return max(
        (n for n, each in enumerate(alternatives) if _height(each.rung, disclosure) <= most),
        default=0,
    )


def _height(rung: Rung | None, disclosure: Disclosure) -> tuple[int, int]:
    """How high a rung stands, and how high what is inside of it; one that the ladder does not have,
    above those that show less.
    """
    if rung is None:
        return -1, -1
    place = sum(_reach(each) <= _reach(rung) for each in disclosure.ladder) - 1
    return place, (rung.inside or rung.density).rank


def _reach(rung: Rung) -> tuple[float, ...]:
    given = (rung.limit, rung.detailed, rung.width)
    return (rung.density.rank, *(math.inf if each is None else each for each in given))


def worth(rung: Rung | None, disclosure: Disclosure) -> float:
    """Return what a rung is worth, before the component's weight: the next one adds half as much.

    >>> low, high = Rung(Density.MINIMAL), Rung(Density.FULL)
    >>> [worth(rung, Disclosure((low, high))) for rung in (None, low, high)]
    [0.0, 0.5, 0.75]
    """
    if rung is None:
        return 0.0
    if rung in disclosure.ladder:
        return 1 - 0.5 ** (disclosure.ladder.index(rung) + 1)
    place, inside = _height(rung, disclosure)  # between the rung below and its own
    return 1 - 0.5**place + 0.5 ** (place + 1) * (inside + 1) / (rung.density.rank + 1)
