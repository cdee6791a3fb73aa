"""How full the context is."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from hud_components._call import with_call
from hud_components._cut import line
from hud_components._levels import level_for
from hud_components._models import ContextUsage
from hud_components._section import HudSection, bound
from hud_components._texts import say
from ujsx import Child, Children, Density, Disclosure, RenderContext, Rung
from ujsx.elements import Paragraph

STEP = 5
"""Percent: fine enough to tell, and coarse enough that the line mostly stays as it was."""


class ContextBar(HudSection):
    """The use of the context window, where it is going, and what the level means.

    Without a reading there is no line.

    >>> from ujsx import render
    >>> usage = ContextUsage(used=62_000, trend="growing")
    >>> print(render(ContextBar(usage=usage)), end="")
    🟢 Context: 30% of 200,000 tokens used, growing
    >>> print(render(ContextBar(usage=usage, step=1)), end="")
    🟢 Context: 31% used (62,000 / 200,000 tokens), growing
    """

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(Rung(Density.MINIMAL), Rung(Density.COMPACT), Rung(Density.FULL)),
        weight=2.0,
        floor=Density.MINIMAL,
        layer="turn",
    )

    usage: ContextUsage | None = None
    """The use of the context; the session's last reading when None."""

    step: Annotated[int, Field(ge=1, le=100)] = STEP
    """The steps in which the share grows, in percent, so that the line stays the same for turns.
    With 1 it tells the exact number of tokens too, and changes every turn."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        usage = self.usage or bound(ctx).usage
        if usage is None:
            return None
        level = level_for(usage.percentage)
        model = line(usage.model or "")
        name = f"context.{ctx.density}"
        if ctx.density is Density.FULL:
            name = "context.exact" if self.step == 1 else name
            name = f"{name}.model" if model else name
        text = say(
            ctx,
            name,
            sign=say(ctx, f"context.{level}"),
            percent=in_steps(usage, self.step),
            used=f"{usage.used:,}",
            limit=f"{usage.limit:,}",
            model=model,
        )
        if ctx.density is Density.MINIMAL:
            return Paragraph()[text]
        if usage.trend is not None:
            text += say(ctx, "context.trend", trend=say(ctx, f"context.{usage.trend}"))
        advice = say(ctx, f"advice.{level}")
        if not advice:
            return Paragraph()[text]
        return Paragraph()[
            with_call(ctx, text + say(ctx, "context.advice", advice=advice), "advice")
        ]


def in_steps(usage: ContextUsage, step: int = STEP) -> int:
    """Return the used share in percent, rounded down to a step.

    >>> in_steps(ContextUsage(used=158_000))
    75
    """
    return int(usage.percentage // step) * step
