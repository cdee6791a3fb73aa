"""What has been decided."""

from __future__ import annotations

from typing import ClassVar

from hud_components._cut import line
from hud_components._models import Decision
from hud_components._section import HudSection, bound, listing, newest
from hud_components._texts import say
from ujsx import Child, Children, Density, Disclosure, RenderContext, Rung
from ujsx.elements import Item, strong

_ITEM = Item()


class DecisionsList(HudSection):
    """The decisions that later work relies on, oldest first; the newest when not all are shown."""

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(
            Rung(Density.MINIMAL, 0),
            Rung(Density.COMPACT, 3),
            Rung(Density.COMPACT, 5),
            Rung(Density.FULL, 10),
            Rung(Density.FULL),
        ),
        weight=3.0,
        floor=Density.MINIMAL,
    )

    decisions: tuple[Decision, ...] | None = None
    """The decisions; those of the session when None."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        decisions = bound(ctx).decisions if self.decisions is None else self.decisions
        shown, hidden = newest(decisions, ctx.limit)
        if ctx.density is Density.FULL:
            joint = say(ctx, "decisions.details")
            items = [_in_full(decision, joint) for decision in shown]
        else:
            items = [_in_short(decision, ctx.density) for decision in shown]
        return listing(ctx, "decisions", items, hidden)


def _in_full(decision: Decision, joint: str) -> Child:
    summary = line(decision.summary)
    if not decision.details:
        return _ITEM[summary]
    return _ITEM[strong(summary), joint + line(decision.details)]


def _in_short(decision: Decision, density: Density) -> Child:
    return _ITEM[line(decision.label or decision.summary, density)]
