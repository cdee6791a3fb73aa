"""The ladders of a tree, and how far a budget climbs them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import msgspec

from ujsx._density import Disclosure, Rung
from ujsx.components._component import Component
from ujsx.errors import RenderError, shown
from ujsx.rendering._budget import (
    SPARE,
    Alternative,
    Step,
    affordable,
    choose,
    highest_within,
    steps_of,
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
    def of(cls, piece: Piece, alternatives: Sequence[Alternative]) -> Self:
        component = Component if piece.ladder is None else piece.ladder
        disclosure = component.disclosure if piece.ladder is None else piece.ladder.disclosed()
        worth_it = worthwhile(alternatives)
        useful = within_own(worth_it, disclosure.budget)
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
        """The tokens of the least that the tree shows."""
        return sum(ladder.useful[0].tokens for ladder in self.ladders)

    def within(self, budget: int, previous: Rendered | None = None) -> list[Step]:
        """Return the steps that a budget takes, in their order.

        :param previous: the rendering whose rungs are held where they still fit.
        :raises RenderError: if that is no rendering.
        """
        left = budget - self.floor
        given: object = previous
        if not isinstance(given, Rendered | None):
            raise RenderError(f"what is held is an earlier rendering, not {shown(given)}")
        if previous is None:
            return list(self.steps[: affordable(self.steps, left)])
        return choose(self.steps, left, self._held(previous), budget // SPARE)

    def reached(self, taken: Iterable[Step]) -> list[Rung | None]:
        """Return the rung of each ladder once those steps are taken."""
        places = [0] * len(self.ladders)
        for step in taken:
            places[step.ladder] = step.to
        return [
            ladder.useful[place].rung for ladder, place in zip(self.ladders, places, strict=True)
        ]

    def _held(self, previous: Rendered) -> list[int | None]:
        """Which alternative each ladder stood on in a rendering, found by name and number."""
        stood = {
            known_as: section.rung
            for known_as, section in zip(
                _numbered(section.name for section in previous.sections),
                previous.sections,
                strict=True,
            )
        }
        names = _numbered(ladder.piece.name for ladder in self.ladders)
        return [
            highest_within(ladder.useful, stood[known_as], ladder.disclosure)
            if known_as in stood
            else None
            for known_as, ladder in zip(names, self.ladders, strict=True)
        ]


def _numbered(names: Iterable[str]) -> list[tuple[str, int]]:
    """Each name with how many of the same stood before it."""
    counts: dict[str, int] = {}
    numbered: list[tuple[str, int]] = []
    for name in names:
        counts[name] = counts.get(name, -1) + 1
        numbered.append((name, counts[name]))
    return numbered
