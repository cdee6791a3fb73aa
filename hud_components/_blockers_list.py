"""What stops the work."""

from __future__ import annotations

from typing import ClassVar

from hud_components._cut import line
from hud_components._models import Blocker
from hud_components._section import HudSection, bound
from hud_components._texts import say
from ujsx import Child, Children, Density, Disclosure, RenderContext, Rung
from ujsx.elements import Item, List, Paragraph, Section, strong

_ITEM = Item()


class BlockersList(HudSection):
    """The open blockers, all of them at every density."""

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(Rung(Density.MINIMAL), Rung(Density.COMPACT), Rung(Density.FULL)),
        weight=4.0,
        floor=Density.MINIMAL,
    )

    blockers: tuple[Blocker, ...] | None = None
    """The blockers; those of the session when None."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        blockers = bound(ctx).blockers if self.blockers is None else self.blockers
        texts = [line(each.description, ctx.density) for each in blockers if not each.resolved]
        if not texts:
            return None
        if ctx.density is Density.MINIMAL:
            sign = strong(say(ctx, "blockers.line"))
            return [Paragraph()[sign, " ", text] for text in texts]
        return Section(title=say(ctx, "blockers.title"))[List()[[_ITEM[text] for text in texts]]]
