"""A warning before the context is full."""

from __future__ import annotations

from typing import ClassVar

from hud_components._levels import threshold_for
from hud_components._models import ContextUsage
from hud_components._section import HudSection, bound
from hud_components._texts import TEXTS, say
from ujsx import Child, Children, Density, Disclosure, RenderContext, Rung
from ujsx.elements import BlockQuote, Paragraph


class WarningBanner(HudSection):
    """A warning from 85 % on; what it says depends on the level. Below, there is none."""

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(Rung(Density.MINIMAL), Rung(Density.COMPACT), Rung(Density.FULL)),
        weight=2.0,
        layer="turn",
    )

    usage: ContextUsage | None = None
    """The use of the context; the session's last reading when None."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        usage = self.usage or bound(ctx).usage
        if usage is None:
            return None
        threshold = threshold_for(usage.percentage)
        name = f"warning.{threshold.level}"
        if name not in TEXTS:
            return None
        percent = int(threshold.percentage)  # that of the level, which stays for many turns
        if ctx.density is Density.MINIMAL:
            return Paragraph()[say(ctx, f"{name}.short", percent=percent)]
        return BlockQuote()[say(ctx, name, percent=percent)]
