"""A warning before the context is full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Self

from hud_components._levels import THRESHOLDS, Level, level_for, threshold_for
from hud_components._models import ContextUsage
from hud_components.declaring._section import HudSection, bound
from hud_components.declaring._state import State
from hud_components.sections._parsed_usage import least_usage
from hud_components.words._reading import text_of
from hud_components.words._texts import format_text
from ujsx import Child, Children, Density, Disclosure, RenderContext, Rung, mdast
from ujsx.elements import BlockQuote, Paragraph

_TEXTS: Mapping[str, str] = MappingProxyType(
    {
        "warning.red": "The context is {percent}% full or more; compaction is near. What the HUD holds "
        "survives it.",
        "warning.critical": "The context is {percent}% full or more; compaction is due. What the HUD "
        "holds survives it.",
        "warning.red.short": "compaction is near",
        "warning.critical.short": "compaction is due",
    }
)

WARNED: frozenset[Level] = frozenset(
    threshold.level for threshold in THRESHOLDS if f"warning.{threshold.level}" in _TEXTS
)
"""The levels that there is a warning for."""


class WarningBanner(HudSection):
    """A warning from 85 % on; what it says depends on the level. Below, there is none."""

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(Rung(Density.MINIMAL), Rung(Density.COMPACT), Rung(Density.FULL)),
        weight=2.0,
        layer="turn",
    )

    texts = MappingProxyType({name: f"⚠ {text}" for name, text in _TEXTS.items()})
    texts_without_signs = _TEXTS
    stays_shown = True

    usage: ContextUsage | None = None
    """The use of the context; the session's last reading when None."""

    @classmethod
    def of_state(
        cls, state: State, usage: ContextUsage | None = None, now: int | None = None
    ) -> Self | None:
        if usage is None or level_for(usage.percentage) not in WARNED:
            return None
        return cls.model_construct(usage=usage)

    def render(self, ctx: RenderContext, children: Children) -> Child:
        usage = self.usage or bound(ctx).usage
        if usage is None:
            return None
        threshold = threshold_for(usage.percentage)
        if threshold.level not in WARNED:
            return None
        ctx = self.with_texts(ctx)
        name = f"warning.{threshold.level}"
        percent = int(threshold.percentage)  # that of the level, which stays for many turns
        if ctx.density is Density.MINIMAL:
            return Paragraph()[format_text(ctx, f"{name}.short", percent=percent)]
        return BlockQuote()[format_text(ctx, name, percent=percent)]

    def as_shown_in(self, ctx: RenderContext) -> Self | None:
        usage = self.usage or bound(ctx).usage
        if usage is None or level_for(usage.percentage) not in WARNED:
            return None
        return type(self)(usage=least_usage(threshold_for(usage.percentage).percentage))

    @classmethod
    def parse(cls, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Self, int] | None:
        ctx = cls.with_texts(ctx)
        quote = type(blocks[0]) is mdast.Blockquote and len(blocks[0].children) == 1
        said = text_of(blocks[0].children[0] if quote else blocks[0])
        for threshold in THRESHOLDS:
            if threshold.level not in WARNED:
                continue
            name = f"warning.{threshold.level}"
            percent = int(threshold.percentage)
            name = name if quote else f"{name}.short"
            if format_text(ctx, name, percent=percent) == said:
                return cls(usage=least_usage(threshold.percentage)), 1
        return None
