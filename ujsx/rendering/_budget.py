"""Token budgets: the choice of a rung for each ladder of a tree."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Self, TypeAlias

import msgspec

from ujsx._density import UNRANKED, Density, Disclosure, Priority, Rung, elided
from ujsx.components._component import Component
from ujsx.errors import RenderError, shown
from ujsx.mdast import Heading, Paragraph, TableCell
from ujsx.mdast.util import to_string
from ujsx.rendering._rendered import Piece, Rendered
from ujsx.tokens import TokenCounter


class Alternative(msgspec.Struct, frozen=True, gc=False, repr_omit_defaults=True):
    """The cost of one rung of a ladder. ``rung`` is ``None`` if the component is hidden."""

    rung: Rung | None
    tokens: int
    is_least: bool = False
    """True if ``tokens`` is a lower bound that already exceeds the budget."""


class RungStep(msgspec.Struct, frozen=True, gc=False):
    """A step up one ladder: from its alternative ``to - 1`` to its alternative ``to``."""

    ladder: int
    to: int
    tokens: int
    priority: float
    """Its value per token."""

    worth: Priority = UNRANKED
    """Its priority over others, whatever its cost."""

    is_least: bool = False
    """True if ``tokens`` is a lower bound, so that its priority may be lower."""


def rungs_within(disclosure: Disclosure, ceiling: Density | None) -> list[Rung | None]:
    """Return the rungs that a budget may choose, from the least to the most.

    Densities are no ceiling for a pinned ladder. The first is the floor, or ``None`` (hidden) without one. The last is
    the highest of the ceiling's density, or the top of the ladder without a ceiling. Spare rungs are included at the
    highest density only: at a lower one they would show more than the next density does.

    >>> ladder = (Rung(Density.MINIMAL, 0), Rung(Density.COMPACT, 3), Rung(Density.FULL))
    >>> [str(rung) for rung in rungs_within(Disclosure(ladder), Density.COMPACT)]
    ['None', 'minimal/0', 'compact/3']
    """
    ladder = disclosure.ladder
    most = ladder[-1].density if ceiling is None or disclosure.is_pinned else ceiling
    within = [rung for rung in ladder if rung.density <= most] or [ladder[0]]
    top = within[-1].density
    rungs = [rung for rung in within if not rung.only_if_room or rung.density is top]
    lowest = disclosure.lowest
    if lowest is None:
        return [None, *rungs]
    floor = next(rung for rung in ladder if rung.density >= lowest)
    return [*rungs[rungs.index(floor) :]] if floor in rungs else [rungs[-1]]


def worthwhile(alternatives: Sequence[Alternative]) -> list[Alternative]:
    """Return a ladder's alternatives without those that save no tokens.

    A rung that costs as much as one above it is never chosen: the one above shows more, and takes over its worth.

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
    """Return an alternative that also replaces a lower rung."""
    rung = alternative.rung
    if rung is None or lower is None or not lower.worth < rung.worth:
        return alternative
    return msgspec.structs.replace(alternative, rung=replace(rung, worth=lower.worth))


def within_own(alternatives: Sequence[Alternative], budget: int | None) -> Sequence[Alternative]:
    """Return the worthwhile alternatives within a component's own budget; the first is always included.

    Their cost increases, so a larger budget only adds alternatives.

    >>> low, high = Rung(Density.MINIMAL), Rung(Density.FULL)
    >>> within_own([Alternative(low, 5), Alternative(high, 9)], 8)
    [Alternative(rung=Rung(density=<Density.MINIMAL: 'minimal'>, limit=None, only_if_room=False, inner_density=None, width=None, detailed_items=None), tokens=5)]
    """
    if budget is None:
        return alternatives
    return [each for n, each in enumerate(alternatives) if n == 0 or each.tokens <= budget]


def steps_of(
    ladders: Sequence[Sequence[Alternative]], disclosures: Sequence[Disclosure]
) -> list[RungStep]:
    """Return all steps in the order of a budget.

    Steps are ordered by the worth of their rung, then by value per token: a rung is worth twice as much as the next one
    adds, times the component's weight. A step never precedes the one below it on its ladder.
    """
    steps: list[RungStep] = []
    for ladder, (alternatives, disclosure) in enumerate(zip(ladders, disclosures, strict=True)):
        priority, worth_of = float("inf"), Priority(0, "")
        for to in range(1, len(alternatives)):
            lower, upper = alternatives[to - 1], alternatives[to]
            tokens = upper.tokens - lower.tokens
            gain = worth(upper.rung, disclosure) - worth(lower.rung, disclosure)
            own = UNRANKED if upper.rung is None else upper.rung.worth
            if worth_of < own:  # the best step of a lower worth follows all of a higher one
                worth_of, priority = own, float("inf")
            priority = min(priority, disclosure.weight * gain / tokens)
            steps.append(RungStep(ladder, to, tokens, priority, worth_of, upper.is_least))
    return sorted(steps, key=lambda step: (step.worth.rank, -step.priority))


def most_within(count: int, fits: Callable[[int], bool]) -> int | None:
    """Return the place of the last of ``count`` alternatives that fits, by binary search; ``None`` if none fits.

    Steps are powers of two, so that the tried places hardly depend on the count: renderings for one budget are reused
    for the next. A place that fits a budget fits a larger one, so more tokens or more alternatives never lead to an
    earlier place, even if an alternative costs less than one before it.

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


GUESSES = 4
"""Places that are tried as foreseen, before what is left between two of them is halved."""


def last_foreseen(
    places: range,
    cost: Callable[[int], float],
    forecasts: Sequence[Callable[[int], float]],
    tokens: float,
) -> int:
    """Return the last of ``places`` that costs no more than ``tokens``; the first one does, and costs grow.

    A place behind one that fits is not tried if it exceeds them by every likely forecast.

    :param forecasts: what a place is going to cost, about, in each way that may hold: what was found of others tells
        which one does, and corrects it.

    >>> tried = []
    >>> ways = [lambda place: 9 * place, lambda place: 3 * place]
    >>> last_foreseen(range(90), lambda place: tried.append(place) or 7 + 3 * place, ways, 100), tried
    (31, [0, 10, 31])
    """
    first = fitting = places.start
    over = places.stop
    least, slope, tries = cost(fitting), 1.0, 0
    known, foreseen, likely = least, forecasts[0], forecasts
    while between := range(fitting + 1, over):
        next_one = min(each(fitting + 1) - each(fitting) for each in likely)
        if tries and least + next_one > tokens + _UNSURE:
            break
        wanted = foreseen(fitting) + (tokens - least) * slope
        place = bisect_right(between, wanted, key=foreseen) - 1
        guess = between[max(place, 0) if tries < GUESSES else len(between) // 2]
        found, tries = cost(guess), tries + 1
        misses = [abs(each(guess) - each(first) + known - found) for each in forecasts]
        foreseen = forecasts[misses.index(min(misses))]
        most = min(misses) + max(_UNSURE, (found - known) * _UNLIKELY)
        likely = [each for each, miss in zip(forecasts, misses, strict=True) if miss <= most]
        if found <= tokens:
            fitting, least = guess, found
        else:
            over = guess
            slope = (foreseen(over) - foreseen(fitting)) / (found - least)
    return fitting


_LEFT_OUT: tuple[Callable[[int, int], range], ...] = (
    lambda count, limit: range(limit, count),
    elided,
    lambda count, limit: range(count - limit),
)
"""The places that lists leave out under a limit: all but the first items, those in the middle, all but the newest."""


class Forecast(msgspec.Struct, frozen=True, gc=False):
    """The cost of a list under any limit, foreseen from two renderings: of all its items, and of a few.

    Few items may be left over by several ways to leave items out: each has its forecast.
    """

    tokens: int
    """The cost of the few."""

    texts: Sequence[str]
    """The text of each item, as the few have it."""

    limit: int
    left_out: Callable[[int, int], range]
    count_tokens: TokenCounter
    scale: float = 1.0
    """The tokens of an item as written, to those of its text."""

    @classmethod
    def of(
        cls,
        few: Sequence[Any],
        whole: Sequence[Any],
        limit: int,
        costs: tuple[int, int],
        count_tokens: TokenCounter,
    ) -> list[Self]:
        """Return the forecasts; none where the few are not so many items of the whole, or count no less.

        :param few: its blocks under ``limit``, whose texts may be cut.
        :param whole: its blocks with all items.
        :param costs: the tokens of both.
        """
        texts = [to_string(item) for item in max(_siblings(whole), key=len)]
        total, found = len(texts), list[Self]()
        if limit >= total:
            return found
        runs = [[*map(to_string, run)] for run in _siblings(few) if 0 <= len(run) - limit <= 1]
        for left_out in _LEFT_OUT:
            gap = left_out(total, limit)
            expected = [*texts[: gap.start], *texts[gap.stop :]]
            for run in runs:
                said = _said(run, expected)
                if said is None:
                    continue
                width = None if said == expected else max(map(len, said))
                cut = [text[:width] for text in texts]
                made = cls(costs[0], cut, limit, left_out, count_tokens)
                mark = count_tokens(_BETWEEN.join(run)) - made._sum(limit)  # "… 9 more"
                added = made._sum(total) - made._sum(limit)
                if added > 0:
                    scale = (costs[1] - costs[0] + mark) / added
                    found.append(msgspec.structs.replace(made, scale=scale))
                break
        return found

    def from_place(self, start: int) -> Callable[[int], float]:
        """Return the cost by places, of which ``start`` is that of the few, and each later one has an item more."""

        @cache
        def at(place: int) -> float:
            return self.at(self.limit - start + place)

        return at

    def at(self, limit: int) -> float:
        """Return what the list costs under a limit."""
        return self.tokens + self.scale * (self._sum(limit) - self._sum(self.limit))

    def _sum(self, limit: int) -> int:
        total = len(self.texts)
        gap = self.left_out(total, min(limit, total))
        return self.count_tokens(_BETWEEN.join([*self.texts[: gap.start], *self.texts[gap.stop :]]))


_BETWEEN = "\n- "
"""The separator of items whose tokens are counted together."""

_UNSURE = 2
"""Tokens by which an item may cost less than foreseen."""

_UNLIKELY = 1 / 20
"""The part of the added tokens by which a forecast may miss more than the best one, and still be likely."""


def _siblings(nodes: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Yield nodes, and those inside of them down to the lines, siblings together."""
    yield nodes
    for node in nodes:
        children = getattr(node, "children", ())
        if children and not isinstance(node, Paragraph | Heading | TableCell):
            yield from _siblings(children)


def _said(run: Sequence[str], texts: Sequence[str]) -> list[str] | None:
    """The texts as siblings say them, in their order: each, or its beginning; None where they say others.

    Siblings between them are passed over.
    """
    rest = iter(run)
    said = [next((each for each in rest if _begins(text, each)), "") for text in texts]
    return said if all(said) else None


def _begins(text: str, said: str) -> bool:
    return bool(said) and text.startswith(said.removesuffix("…"))


def affordable(steps: Sequence[RungStep], tokens: int) -> int:
    """Return the number of leading ``steps`` that fit ``tokens`` together.

    >>> affordable([RungStep(0, 1, 30, 2.0), RungStep(1, 1, 50, 1.0), RungStep(0, 2, 5, 0.5)], 60)
    1
    """
    for count, step in enumerate(steps):
        tokens -= step.tokens
        if tokens < 0:
            return count
    return len(steps)


SPARE = 12
"""With a previous rendering, a section climbs only if a twelfth of the budget stays free, so that the next few words do
not undo the step. Measured on the prefix run over 300 turns: a twentieth keeps 88 % of the bytes at 900 and 1,200
tokens, a twelfth 90 % and 94 %, a fifth no more. A larger share shows fewer notes (decision 0004).
"""


class TakenSteps(msgspec.Struct, gc=False):
    """The steps that a budget takes, in order, and the first one that it cannot afford as a whole."""

    steps: list[RungStep]
    following: RungStep | None = None
    left: int = 0
    """The remaining tokens, for a part of that step."""

    spare: int = 0
    """The part of them that stays free, unless it shows again what was shown before."""


def taken(steps: Sequence[RungStep], tokens: int) -> TakenSteps:
    """Return the steps that ``tokens`` afford.

    >>> found = taken([RungStep(0, 1, 30, 2.0), RungStep(1, 1, 50, 1.0), RungStep(0, 2, 5, 0.5)], 60)
    >>> len(found.steps), found.following.tokens, found.left
    (1, 50, 30)
    """
    count = affordable(steps, tokens)
    return TakenSteps(list(steps[:count]), _at(steps, count), tokens - _sum(steps[:count]))


def _at(steps: Sequence[RungStep], place: int) -> RungStep | None:
    return steps[place] if place < len(steps) else None


def _sum(steps: Sequence[RungStep]) -> int:
    return sum(step.tokens for step in steps)


def choose(
    steps: Sequence[RungStep], tokens: int, held: Sequence[int | None], spare: int
) -> TakenSteps:
    """Return the steps that ``tokens`` afford when ladders hold their previous rungs.

    Previously taken steps come first, in order, while they fit; steps of new ladders are among them. Only if all of
    them fit are others taken, in order, while ``spare`` tokens stay free. So more tokens never buy less.

    :param held: the previous alternative of each ladder, or ``None`` for a new one.

    >>> steps = [RungStep(0, 1, 30, 3.0), RungStep(1, 1, 30, 2.0), RungStep(0, 2, 30, 1.0)]
    >>> [(step.ladder, step.to) for step in choose(steps, 65, held=[2, 0], spare=5).steps]
    [(0, 1), (0, 2)]
    >>> [(step.ladder, step.to) for step in choose(steps, 95, held=[2, 0], spare=5).steps]
    [(0, 1), (0, 2), (1, 1)]
    """
    wanted: list[RungStep] = []
    others: list[RungStep] = []
    for step in steps:
        place = held[step.ladder]
        (wanted if place is None or step.to <= place else others).append(step)
    count = affordable(wanted, tokens)
    if count < len(wanted):
        return taken(wanted, tokens)
    left = tokens - _sum(wanted)
    more = others[: affordable(others, left - spare)]
    return TakenSteps(wanted + more, _at(others, len(more)), left - _sum(more), spare)


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
    """Return the height of a rung, and that of its nested components; a rung outside the ladder is above those that
    show less.
    """
    if rung is None:
        return -1, -1
    place = sum(_reach(each) <= _reach(rung) for each in disclosure.ladder) - 1
    return place, (rung.inner_density or rung.density).rank


def _reach(rung: Rung) -> tuple[float, ...]:
    given = (rung.limit, rung.detailed_items, rung.width)
    return (rung.density.rank, *(math.inf if each is None else each for each in given))


def worth(rung: Rung | None, disclosure: Disclosure) -> float:
    """Return the worth of a rung, before the component's weight: the next one adds half as much.

    >>> low, high = Rung(Density.MINIMAL), Rung(Density.FULL)
    >>> [worth(rung, Disclosure((low, high))) for rung in (None, low, high)]
    [0.0, 0.5, 0.75]
    """
    if rung is None:
        return 0.0
    known = disclosure.place_of(rung)
    if known is not None:
        return 1 - 0.5 ** (known + 1)
    place, inside = _height(rung, disclosure)  # between the rung below and its own
    return 1 - 0.5**place + 0.5 ** (place + 1) * (inside + 1) / (rung.density.rank + 1)


# The ladders of a tree, and their rungs within a budget.


class Ladder(msgspec.Struct, frozen=True, gc=False):
    """A piece with the cost of each of its rungs; without a component, a single alternative."""

    piece: Piece
    disclosure: Disclosure
    alternatives: Sequence[Alternative]
    """All rungs that may be chosen, in ascending order."""

    useful: Sequence[Alternative]
    """Those that save tokens against the one above, and fit the component's own budget."""

    is_capped: bool = False
    """True if some that save tokens do not fit that budget."""

    @classmethod
    def of(
        cls, piece: Piece, alternatives: Sequence[Alternative], budget: int | None = None
    ) -> Self:
        """Return the ladder of a piece.

        :param budget: the tokens of the whole tree; a component apart has as many for itself, and no steps.
        """
        component = Component if piece.ladder is None else piece.ladder
        disclosure = component.disclosure if piece.ladder is None else piece.ladder.disclosed()
        worth_it = worthwhile(alternatives)
        useful = within_own(worth_it, disclosure.budget)
        if disclosure.is_apart:
            useful = within_own(useful, budget)[-1:]
        return cls(piece, disclosure, alternatives, useful, len(useful) < len(worth_it))

    @property
    def top(self) -> Rung | None:
        """The highest allowed rung."""
        return self.useful[-1].rung

    def cap_at(self, rung: Rung | None) -> int | None:
        """Return the component's own budget if that alone keeps it from climbing above ``rung``."""
        return self.disclosure.budget if self.is_capped and rung == self.top else None


class BudgetPlan(msgspec.Struct, frozen=True):
    """All ladders of a tree in order, and all steps in the order of a budget."""

    ladders: Sequence[Ladder]
    steps: Sequence[RungStep]

    @classmethod
    def of(cls, ladders: Sequence[Ladder]) -> Self:
        alternatives = [ladder.useful for ladder in ladders]
        return cls(ladders, steps_of(alternatives, [ladder.disclosure for ladder in ladders]))

    @property
    def floor(self) -> int:
        """The tokens of the tree's shortest form, without components apart."""
        return sum(each.useful[0].tokens for each in self.ladders if not each.disclosure.is_apart)

    def is_sure(self, budget: int, *, holds: bool) -> bool:
        """Tell whether a budget takes the same steps, whatever the cost of those not counted.

        Each of them exceeds the whole budget, so none is taken. The place of one is known if all later steps are worth
        less, and irrelevant if the budget ends before it.

        :param holds: whether rungs of an earlier rendering are held, which changes the order of steps.
        """
        ends = len(taken(self.steps, budget - self.floor).steps)
        following: list[RungStep | None] = [*self.steps[1:], None]
        return not any(each.useful[0].is_least for each in self.ladders) and all(
            not step.is_least
            or after is None
            or step.worth.rank < after.worth.rank
            or (place > ends and not holds)
            for place, (step, after) in enumerate(zip(self.steps, following, strict=False))
        )

    def within(self, budget: int, previous: Rendered | None = None) -> TakenSteps:
        """Return the steps that a budget takes, in order, and the tokens left for the next one.

        :param previous: the rendering whose rungs are held where they still fit.
        :raises RenderError: if that is not a rendering.
        """
        left = budget - self.floor
        given: object = previous
        if not isinstance(given, Rendered | None):
            raise RenderError(f"previous= takes an earlier Rendered, not {shown(given)}")
        if previous is None:
            return taken(self.steps, left)
        return choose(self.steps, left, self._held(previous), budget // SPARE)

    def reached(self, taken: Iterable[RungStep]) -> list[Rung | None]:
        """Return the rung of each ladder after those steps."""
        places = [0] * len(self.ladders)
        for step in taken:
            places[step.ladder] = step.to
        return [
            ladder.useful[place].rung for ladder, place in zip(self.ladders, places, strict=True)
        ]

    def in_part(
        self,
        found: TakenSteps,
        cost: Callable[[int, Rung], int],
        forecast: Callable[[int, Rung, Rung], list[Forecast]],
        previous: Rendered | None = None,
    ) -> Rung | None:
        """Return the part of the next step that the remaining tokens afford, or ``None``.

        A component with its own budget stays within it.

        :param cost: the tokens of a ladder's piece on any rung.
        :param forecast: the expected cost, from two of its rungs.
        :param previous: the rendering whose rungs are held: the part of the step that it showed stays while it fits; a
            larger part is shown only while tokens stay free.
        """
        step = found.following
        if step is None:
            return None
        ladder = self.ladders[step.ladder]
        lower, upper = ladder.useful[step.to - 1 : step.to + 1]
        if upper.rung is None or found.left <= 0:
            return None
        between = upper.rung.between(lower.rung, found.left)
        most = ladder.disclosure.budget

        start, stop, foreseen = between.listing.start, between.listing.stop, list[Forecast]()
        if stop - start > GUESSES and not step.is_least:
            few, below = between[start], lower.rung
            if below is not None and below == replace(few, limit=below.limit, only_if_room=False):
                few, start = below, start - 1  # it has an item less, and its cost is known
            foreseen = forecast(step.ladder, few, upper.rung)

        def reached(left: int) -> int:
            limit = lower.tokens + left
            limit = limit if most is None else min(limit, most)

            def priced(place: int) -> int:
                return lower.tokens if place < 0 else cost(step.ladder, between[place])

            def halved(start: int, stop: int) -> int:
                place = most_within(stop - start, lambda place: priced(start + place) <= limit)
                return start - 1 if place is None else start + place

            if not foreseen:
                return halved(0, len(between))
            if priced(start) > limit:
                return halved(0, start)
            ways = [each.from_place(start) for each in foreseen]
            last = last_foreseen(range(start, stop), priced, ways, limit)
            return last if last < stop - 1 else halved(stop, len(between))

        place = reached(found.left)
        if previous is not None:
            stood = _stood(previous).get(self._names[step.ladder])
            known = -1 if stood is None else between.place(stood)
            place = max(min(known, place), reached(found.left - found.spare))
        return between[place] if place >= 0 else None

    @property
    def _names(self) -> list[_Name]:
        return _numbered(ladder.piece.name for ladder in self.ladders)

    def _held(self, previous: Rendered) -> list[int | None]:
        """Return the alternative of each ladder in a rendering, found by name and number."""
        stood = _stood(previous)
        return [
            highest_within(ladder.useful, stood[known_as], ladder.disclosure)
            if known_as in stood
            else None
            for known_as, ladder in zip(self._names, self.ladders, strict=True)
        ]


_Name: TypeAlias = tuple[str, int]
"""A section's name, and the number of equal names before it."""


def _stood(previous: Rendered) -> dict[_Name, Rung | None]:
    """Return the rung of each section of a rendering; ``None`` for a hidden one."""
    names = _numbered(section.name for section in previous.sections)
    return dict(zip(names, (section.rung for section in previous.sections), strict=True))


def _numbered(names: Iterable[str]) -> list[_Name]:
    counts: dict[str, int] = {}
    numbered: list[_Name] = []
    for name in names:
        counts[name] = counts.get(name, -1) + 1
        numbered.append((name, counts[name]))
    return numbered
