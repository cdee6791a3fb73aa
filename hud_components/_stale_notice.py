"""A word of warning about a state that nobody has touched for a while."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from hud_components._age import MINUTE, Now, age
from hud_components._call import with_call
from hud_components._models import Milliseconds
from hud_components._section import HudSection, bound
from hud_components._texts import say
from ujsx import Child, Children, Density, Disclosure, RenderContext, Rung
from ujsx.elements import Paragraph


class StaleNotice(HudSection):
    """That the state was last updated a while ago: a stale state misleads. Else nothing.

    It says so when it knows what time it is and when the state was last updated.

    >>> from ujsx import render
    >>> print(render(StaleNotice(updated_at=1, now=43 * 60_000)), end="")
    The HUD was last updated 40 min ago and may be stale: `hud help`
    """

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(Rung(Density.MINIMAL), Rung(Density.COMPACT)),
        layer="turn",
        floor=Density.MINIMAL,
    )

    updated_at: Milliseconds | None = None
    """When the state was last changed; as the bound state says when None."""

    now: Milliseconds | None = None
    """What time it is; the context's ``Now`` when None."""

    after: Annotated[int, Field(ge=1)] = 30
    """From how many minutes on it says so."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        updated_at = bound(ctx).updated_at if self.updated_at is None else self.updated_at
        now = ctx.get(Now) if self.now is None else self.now
        if now is None or not updated_at or now - updated_at < self.after * MINUTE:
            return None
        words = age(ctx, now - updated_at)
        if ctx.density is Density.MINIMAL:
            return Paragraph()[say(ctx, "stale.short", age=words)]
        return Paragraph()[with_call(ctx, say(ctx, "stale", age=words), "stale")]
