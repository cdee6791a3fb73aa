"""The notice about a context that is nearly full: how full it is, and what can be done."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from hud_components._levels import Level, reached, thresholds_in
from hud_components._models import ContextUsage
from hud_components.words._texts import format_text
from ujsx import Child, Children, Component, ContentModel, RenderContext
from ujsx.elements import Item, List, Paragraph, code

ACTIONS: Mapping[str, str] = MappingProxyType(
    {
        "pressure.compact": "hud_compact",
        "pressure.record": "hud",
        "pressure.trim": "hud section.fold",
    }
)
"""What can be done, by the names of the texts that say so, and the call for each."""


class PressureNotice(Component):
    """How full the context is, in the words of the working memory of 004, and what can be done about it.

    It stands in no HUD, whose :class:`WarningBanner` warns as long as there is reason to: it is what an
    intervention says, once.

    >>> from ujsx import render
    >>> print(render(PressureNotice(usage=ContextUsage(used=174_000))), end="")
    [Memory Pressure: 87% (high) - 174,000/200,000 tokens]
    <BLANKLINE>
    What can be done while there is room:
    <BLANKLINE>
    - A compaction can be asked for; what the HUD holds survives it: `hud_compact`
    - What only the conversation tells can be recorded in the HUD before that: `hud`
    - What no longer holds can be removed from the HUD, and sections can be folded: `hud section.fold`
    """

    content_model = ContentModel(("flow",))
    takes_children = False

    usage: ContextUsage
    """The use of the context."""

    level: Level | None = None
    """The level that holds; that of the use, by the thresholds of the context, when None."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        usage = self.usage
        level = self.level or reached(usage, thresholds_in(ctx)).level
        notice = format_text(
            ctx,
            "pressure.share" if usage.is_share else "pressure.notice",
            percent=int(usage.percentage),
            level=format_text(ctx, f"pressure.{level}"),
            used=f"{usage.used:,}",
            limit=f"{usage.limit:,}",
        )
        joint = format_text(ctx, "call")
        actions = [
            Item()[format_text(ctx, name), joint, code(call)] for name, call in ACTIONS.items()
        ]
        about = format_text(ctx, "pressure.actions")
        return [Paragraph()[notice], Paragraph()[about], List()[actions]]
