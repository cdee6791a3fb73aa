"""How full the context is."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from hud_components._cut import line
from hud_components._levels import level_for
from hud_components._models import ContextUsage
from hud_components._section import HudSection, bound
from hud_components._texts import say
from ujsx import Child, Children, Density, Disclosure, RenderContext, Rung
from ujsx.elements import Paragraph


class ContextBar(HudSection):
    """The use of the context window. Without a reading there is no line."""

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(Rung(Density.MINIMAL), Rung(Density.COMPACT), Rung(Density.FULL)),
        weight=2.0,
        floor=Density.MINIMAL,
        layer="turn",
    )

    usage: ContextUsage | None = None
    """The use of the context; the session's last reading when None."""

    step: Annotated[int, Field(ge=1, le=100)] = 1
    """The steps in which the share grows, in percent. With 5 the line stays the same for turns, and
    leaves out the number of tokens, which would not."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        usage = self.usage or bound(ctx).usage
        if usage is None:
            return None
        model = line(usage.model or "")
        name = f"context.{ctx.density}"
        if ctx.density is Density.FULL:
            name = "context.full.model" if model else name
            name = name if self.step == 1 else "context.compact"
        text = say(
            ctx,
            name,
            sign=say(ctx, f"context.{level_for(usage.percentage)}"),
            percent=int(usage.percentage // self.step) * self.step,
            used=f"{usage.used:,}",
            limit=f"{usage.limit:,}",
            model=model,
        )
        if usage.trend is not None and ctx.density is not Density.MINIMAL:
            text += say(ctx, "context.trend", trend=say(ctx, f"context.{usage.trend}"))
        return Paragraph()[text]
