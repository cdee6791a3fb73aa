"""What the last compaction kept of the history."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from hud_components._cut import cut, line
from hud_components._paragraphs import paragraphs
from hud_components._section import HudSection, bound
from hud_components._texts import HANDLES, counted, say
from ujsx import Child, Children, Density, Disclosure, RenderContext, Rung
from ujsx.elements import Omitted, Paragraph, Section, strong


class CompactedContext(HudSection):
    """The summary of the history before the last compaction: always shown when there is one.

    Its rungs count characters: 500, and 200 from red on, as the HUD's design documents have it.

    >>> from ujsx import render
    >>> summary = CompactedContext(text="Goal: sign-in. Done: the schema.", limit=20)
    >>> print(render(summary, density="minimal"), end="")
    **Before the compaction:** Goal: sign-in.… *… 18 more characters: `hud snapshot`*
    """

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(
            Rung(Density.MINIMAL, 200),
            Rung(Density.COMPACT, 500),
            Rung(Density.FULL, 500),
            Rung(Density.FULL),
        ),
        weight=3.0,
        floor=Density.MINIMAL,
    )

    text: str | None = None
    """The summary; that of the session when None."""

    limit: Annotated[int, Field(ge=1)] | None = None
    """How many characters it shows at most, whatever the HUD's density allows."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        text = bound(ctx).compacted_context if self.text is None else self.text
        if not text or text.isspace():
            return None
        text = text.strip()
        limit = len(text) if ctx.limit is None else ctx.limit
        shown = cut(text, limit)
        hidden = len(text) - len(shown.removesuffix("…")) if len(text) > limit else 0
        mark = hidden > 0 and Omitted(
            count=hidden,
            handle=HANDLES["compacted"],
            text=counted(ctx, "characters", hidden, "more"),
        )
        if ctx.density is Density.FULL:
            parts = [Paragraph()[part] for part in paragraphs(shown)]
            return Section(title=say(ctx, "compacted.title"))[parts, mark and Paragraph()[mark]]
        sign = strong(say(ctx, "compacted.line"))
        return Paragraph()[sign, " ", line(shown), mark and [" ", mark]]
