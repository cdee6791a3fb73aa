"""Components whose rungs cost as many tokens as a test says: a token is an ``x``."""

from __future__ import annotations

from typing import ClassVar

from ujsx import Child, Children, Component, Density, Disclosure, RenderContext, Renderer, Rung
from ujsx.elements import Paragraph

LOW, MIDDLE, HIGH = Rung(Density.MINIMAL, 0), Rung(Density.COMPACT, 2), Rung(Density.FULL)

COUNTED = RenderContext(count_tokens=lambda text: text.count("x"))
"""A context in which a token is an ``x``."""


class Priced(Component):
    """A text with a cost for each density, from the least to the most."""

    disclosure: ClassVar[Disclosure] = Disclosure((LOW, MIDDLE, HIGH))
    costs: tuple[int, ...]

    def render(self, ctx: RenderContext, children: Children) -> Child:
        densities = [each.density for each in self.disclosure.ladder]
        return Paragraph()["x" * self.costs[densities.index(ctx.density)]]


def priced(*costs: int, weight: float = 1.0, rungs: tuple[Rung, ...] | None = None) -> Priced:
    """Return a component with a rung for each cost: of a low, a middle and a full density, in this order."""
    ladder = rungs or {1: (LOW,), 2: (LOW, HIGH), 3: (LOW, MIDDLE, HIGH)}[len(costs)]
    kind = type("Priced", (Priced,), {"disclosure": Disclosure(ladder, weight=weight)})
    return kind(costs=costs)


def counting() -> Renderer:
    """Return a renderer to which a token is an ``x``."""
    return Renderer(context=COUNTED)
