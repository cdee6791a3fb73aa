"""The ladders of a tree, and how far a budget climbs them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Self, TypeAlias

import msgspec

from ujsx._density import Disclosure, Rung
from ujsx.components._component import Component
from ujsx.errors import RenderError, shown
from ujsx.rendering._budget import (
    SPARE,
    Alternative,
    Step,
    Taken,
    choose,
    highest_within,
    most_within,
    steps_of,
    taken,
    within_own,
    worthwhile,
)
from ujsx.rendering._outline import Piece
from ujsx.rendering._rendered import Rendered


class Ladder(msgspec.Struct, frozen=True, gc=False):
    """A piece with what each of its rungs costs; one without a component has a single alternative."""

    piece: Piece
    disclosure: Disclosure
    alternatives: Sequence[Alternative]
    """Every rung that may be chosen, from the least to the most."""

    useful: Sequence[Alternative]
    """Those of them that save something against the one above, and that the component's own budget
    has room for."""

    is_capped: bool = False
    """Whether that budget has no room for some that save something."""

    @classmethod
    def of(
        cls, piece: Piece, alternatives: Sequence[Alternative], budget: int | None = None
    ) -> Self:
        """Return the ladder of a piece.

        :param budget: the tokens of the whole tree: what stands apart has as many for itself, and no steps.
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
        """The highest rung that may be taken."""
        return self.useful[-1].rung

    def cap_at(self, rung: Rung | None) -> int | None:
        """Return the component's own budget where that alone keeps it from climbing above ``rung``."""
        return self.disclosure.budget if self.is_capped and rung == self.top else None


@dataclass(frozen=True, slots=True)
class BudgetPlan:
    """All ladders of a tree in their order, and all steps in the order in which a budget takes them."""

    ladders: Sequence[Ladder]
    steps: Sequence[Step]

    @classmethod
    def of(cls, ladders: Sequence[Ladder]) -> Self:
        alternatives = [ladder.useful for ladder in ladders]
        return cls(ladders, steps_of(alternatives, [ladder.disclosure for ladder in ladders]))

    @property
    def floor(self) -> int:
        """The tokens of the least that the tree shows, without what stands apart."""
        return sum(each.useful[0].tokens for each in self.ladders if not each.disclosure.is_apart)

    def is_sure(self, budget: int, *, holds: bool) -> bool:
        """Tell whether a budget takes the same steps, whatever those cost that nobody counted.

        They cost more than all of it, so that none is taken. Where one stands is known if all steps behind
        it are worth less, and does not matter where the budget ends before.

        :param holds: whether rungs of an earlier rendering are held, so that steps are taken in another order.
        """
        ends = len(taken(self.steps, budget - self.floor).steps)
        following: list[Step | None] = [*self.steps[1:], None]
        return not any(each.useful[0].is_least for each in self.ladders) and all(
            not step.is_least
            or after is None
            or step.worth.rank < after.worth.rank
            or (place > ends and not holds)
            for place, (step, after) in enumerate(zip(self.steps, following, strict=False))
        )

    def within(self, budget: int, previous: Rendered | None = None) -> Taken:
        """Return the steps that a budget takes, in their order, and what is left for the next one.

        :param previous: the rendering whose rungs are held where they still fit.
        :raises RenderError: if that is no rendering.
        """
        left = budget - self.floor
        given: object = previous
        if not isinstance(given, Rendered | None):
            raise RenderError(f"what is held is an earlier rendering, not {shown(given)}")
        if previous is None:
            return taken(self.steps, left)
        return choose(self.steps, left, self._held(previous), budget // SPARE)

    def reached(self, taken: Iterable[Step]) -> list[Rung | None]:
        """Return the rung of each ladder once those steps are taken."""
        places = [0] * len(self.ladders)
        for step in taken:
            places[step.ladder] = step.to
        return [
            ladder.useful[place].rung for ladder, place in zip(self.ladders, places, strict=True)
        ]

    def in_part(
        self, found: Taken, cost: Callable[[int, Rung], int], previous: Rendered | None = None
    ) -> Rung | None:
        """Return how far the step that is not taken can be climbed with what is left; ``None`` for not.

        A component with a budget of its own stays within that.

        :param cost: the tokens of a ladder's piece on any rung.
        :param previous: the rendering whose rungs are held: what it showed of the step stays, while
            there is room; more of it is shown only while tokens stay free.
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

        def reached(left: int) -> int:
            limit = lower.tokens + left
            limit = limit if most is None else min(limit, most)
            place = most_within(
                len(between), lambda place: cost(step.ladder, between[place]) <= limit
            )
            return -1 if place is None else place

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
        """Which alternative each ladder stood on in a rendering, found by name and number."""
        stood = _stood(previous)
        return [
            highest_within(ladder.useful, stood[known_as], ladder.disclosure)
            if known_as in stood
            else None
            for known_as, ladder in zip(self._names, self.ladders, strict=True)
        ]


_Name: TypeAlias = tuple[str, int]
"""A section's name, and how many of the same stand before it."""


def _stood(previous: Rendered) -> dict[_Name, Rung | None]:
    """The rung of each section of a rendering; ``None`` for one that was hidden."""
    names = _numbered(section.name for section in previous.sections)
    return dict(zip(names, (section.rung for section in previous.sections), strict=True))


def _numbered(names: Iterable[str]) -> list[_Name]:
    counts: dict[str, int] = {}
    numbered: list[_Name] = []
    for name in names:
        counts[name] = counts.get(name, -1) + 1
        numbered.append((name, counts[name]))
    return numbered
