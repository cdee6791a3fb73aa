"""What went wrong and is not dealt with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from hud_components._models import ErrorRecord
from hud_components.declaring._form import Form
from hud_components.declaring._items_section import ItemsSection
from hud_components.words._cut import lines
from ujsx import Density, Disclosure, RenderContext, Rung, Template


class ErrorsList(ItemsSection):
    """The open errors, oldest first."""

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
    kind = prop = field = "errors"
    model = ErrorRecord
    forms = (Form("errors.item", ("message",)),)

    errors: tuple[ErrorRecord, ...] | None = None
    """The errors; those of the session when None."""

    def given(self, ctx: RenderContext) -> Sequence[ErrorRecord]:
        return [error for error in super().given(ctx) if not error.resolved]

    def rows(
        self, items: Sequence[ErrorRecord], ctx: RenderContext, templates: Sequence[Template]
    ) -> Sequence[Any]:
        (template,) = templates
        told = lines([error.message for error in items], ctx.density)
        return [(template, text) for text in told]
