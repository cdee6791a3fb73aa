"""What went wrong and is not dealt with."""

from __future__ import annotations

from typing import ClassVar

from hud_components._cut import line
from hud_components._models import ErrorRecord
from hud_components._section import HudSection, bound, listing, newest
from ujsx import Child, Children, Density, Disclosure, RenderContext, Rung
from ujsx.elements import Item

_ITEM = Item()


class ErrorsList(HudSection):
    """The open errors, oldest first; the newest when not all are shown."""

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(
            Rung(Density.MINIMAL, 0),
            Rung(Density.COMPACT, 3),
            Rung(Density.FULL, 10),
            Rung(Density.FULL),
        ),
        weight=2.0,
        floor=Density.MINIMAL,
    )

    errors: tuple[ErrorRecord, ...] | None = None
    """The errors; those of the session when None."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        errors = bound(ctx).errors if self.errors is None else self.errors
        shown, hidden = newest([each for each in errors if not each.resolved], ctx.limit)
        items = [_ITEM[line(error.message, ctx.density)] for error in shown]
        return listing(ctx, "errors", items, hidden)
