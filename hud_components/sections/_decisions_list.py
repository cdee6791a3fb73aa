"""What has been decided."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from hud_components._models import Decision
from hud_components.declaring._form import Form
from hud_components.declaring._items_section import ItemsSection
from hud_components.words._cut import lines
from ujsx import Density, Disclosure, RenderContext, Rung, Template


class DecisionsList(ItemsSection):
    """The decisions that later work relies on, oldest first."""

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
    kind = prop = field = "decisions"
    model = Decision
    forms = (Form("decisions.item", ("summary", "details")), Form("decisions.short", ("summary",)))

    decisions: tuple[Decision, ...] | None = None
    """The decisions; those of the session when None."""

    def rows(
        self, items: Sequence[Decision], ctx: RenderContext, templates: Sequence[Template]
    ) -> Sequence[Any]:
        in_full, in_short = templates
        if ctx.density is not Density.FULL:
            labels = [each.label or each.summary for each in items]
            return [(in_short, text) for text in lines(labels, ctx.density)]
        summaries = lines([each.summary for each in items])
        details = lines([each.details for each in items])
        return [
            (in_full, summary, why) if why else (in_short, summary)
            for summary, why in zip(summaries, details, strict=True)
        ]
