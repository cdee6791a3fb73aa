"""What stops the work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

from hud_components._models import Blocker
from hud_components.declaring._form import Form, decorated, read_item
from hud_components.declaring._items_section import ItemsSection, Split
from hud_components.words._cut import line, lines
from hud_components.words._reading import line_of
from ujsx import Child, Children, Density, Disclosure, RenderContext, Rung, Template
from ujsx.elements import Paragraph

_LINE = Form("blockers.line", ("description",))


class BlockersList(ItemsSection):
    """The open blockers, all of them at every density; a single one takes one line at minimal."""

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(Rung(Density.MINIMAL), Rung(Density.COMPACT), Rung(Density.FULL)),
        weight=4.0,
        floor=Density.MINIMAL,
    )
    kind = prop = field = "blockers"
    model = Blocker
    forms = (Form("blockers.item", ("description",)),)

    blockers: tuple[Blocker, ...] | None = None
    """The blockers; those of the session when None."""

    def given(self, ctx: RenderContext) -> Sequence[Blocker]:
        return [blocker for blocker in super().given(ctx) if not blocker.resolved]

    def split(self, items: Sequence[Blocker], limit: int | None) -> Split:
        """Return all of the blockers."""
        return items, (), 0

    def rows(
        self, items: Sequence[Blocker], ctx: RenderContext, templates: Sequence[Template]
    ) -> Sequence[Any]:
        (template,) = templates
        told = lines([blocker.description for blocker in items], ctx.density)
        return [(template, text) for text in told]

    def render(self, ctx: RenderContext, children: Children) -> Child:
        if ctx.density is not Density.MINIMAL or self.unlisted or len(self.given(ctx)) != 1:
            return super().render(ctx, children)
        (blocker,) = self.given(ctx)
        row = (_LINE.template(ctx), line(blocker.description, ctx.density))
        template, *texts = decorated(row, blocker, ctx, show_id=self.show_ids)
        return Paragraph()[template.fill(*texts)]

    @classmethod
    def parse(cls, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Self, int] | None:
        said = read_item([_LINE], ctx, line_of(blocks[0]))
        section = None if said is None else cls._of([said], 0, None)
        return super().parse(blocks, ctx) if section is None else (section, 1)
