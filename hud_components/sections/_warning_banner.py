"""A warning before the context is full, and the least use that a line can have told."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from pydantic import model_validator

from hud_components._levels import LEVELS, THRESHOLDS, Level, Thresholds, reached, thresholds_in
from hud_components._models import ContextUsage, Trend, usage_of_props
from hud_components.declaring._section import UNSET, HudSection, UsageProp, bound
from hud_components.declaring._state import ABOUT, State
from hud_components.words._cut import text_before_call, text_of, with_call
from hud_components.words._texts import NUMBER, format_text, parse_text
from ujsx import Child, Children, Density, Disclosure, Examples, RenderContext, Rung, mdast
from ujsx.elements import BlockQuote, Paragraph

if TYPE_CHECKING:
    from dataclasses import InitVar

# The least use of a context that a line can have told: what is read back is a use like that.

USUAL_LIMIT = 200_000
"""Tokens of a context whose limit is not told: the founding documents' figure when unknown."""

LARGER_LIMITS = (1_000_000, 10_000_000, 100_000_000)
"""Limits that are tried where a table goes by the tokens that are left, and the usual one does not have the level."""


class Share(NamedTuple):
    """A share of a context that a line can have told."""

    percentage: float
    limit: int


def least_usage(
    percentage: float,
    limit: int = USUAL_LIMIT,
    model: str | None = None,
    trend: Trend | None = None,
    *,
    is_share: bool = False,
) -> ContextUsage:
    """Return the least use that has at least that share: of no known limit, the share alone.

    >>> least_usage(85).used
    170000
    """
    used = math.ceil(limit * percentage / 100)
    while 100 * used / limit < percentage:
        used += 1
    return ContextUsage(used=used, limit=limit, model=model, trend=trend, is_share=is_share)


def least_share(
    percent: int,
    levels: Collection[Level],
    thresholds: Thresholds = THRESHOLDS,
    limit: int | None = None,
) -> Share | None:
    """Return the least share, in percent, from ``percent`` on that is of one of the levels.

    :param limit: what the context holds; the usual limit, or the next larger one that will do, when None.

    >>> share = least_share(85, {"critical"})
    >>> share.percentage > 92, share.limit
    (True, 200000)
    """
    for size in (USUAL_LIMIT, *LARGER_LIMITS) if limit is None else (limit,):
        for level, start, end in _ranges(thresholds, size):
            if level in levels and percent < end:
                return Share(max(percent, start), size)
    return None


def step_for(percent: int, share: float, usual: int) -> int:
    """Return the step in which ``percent`` is what is told of a share: the usual one if it can be."""
    steps = (usual, *range(2, 101), 1)
    return next((step for step in steps if int(share // step) * step == percent), usual)


def _ranges(thresholds: Thresholds, limit: int) -> Iterator[tuple[Level, float, float]]:
    """The shares of each level in a context of so many tokens, as far as it has any."""
    edges: list[tuple[Level, float]] = [(each.level, each.edge(limit)) for each in thresholds]
    ends = [min((edge for _, edge in edges[n + 1 :]), default=math.inf) for n in range(len(edges))]
    for (level, start), end in zip(edges, ends, strict=True):
        if start < end:
            yield level, start, end


_TEXTS: Mapping[str, str] = MappingProxyType(
    {
        "warning.red": "{percent}% of the context is used; compaction is near, and what the HUD holds "
        "survives it",
        "warning.critical": "{percent}% of the context is used; compaction is due, and what the HUD "
        "holds survives it",
        "warning.red.short": "{percent}% used: compaction is near",
        "warning.critical.short": "{percent}% used: compaction is due",
    }
)

_CALL: Mapping[str, str] = MappingProxyType({"warning.handle": "hud_compact"})

WARNED: frozenset[Level] = frozenset(each for each in LEVELS if f"warning.{each}" in _TEXTS)
"""The levels that there is a warning for."""


class WarningBanner(HudSection):
    """A warning from the level "red" on, at 85 %; what it says depends on the level. Below, there is none.

    It tells the share itself: where it stands in a HUD's default layout, no :class:`ContextBar` does.
    """

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(Rung(Density.MINIMAL), Rung(Density.COMPACT, worth=ABOUT)),
        weight=2.0,
        floor=Density.MINIMAL,
        layer="turn",
    )

    texts = MappingProxyType({**{name: f"⚠ {text}" for name, text in _TEXTS.items()}, **_CALL})
    texts_without_signs = _TEXTS
    stays_shown = True

    examples: ClassVar[Examples] = lambda: {
        "critical": WarningBanner(usage=ContextUsage(used=178_000)),
    }

    usage: UsageProp = UNSET
    """The use of the context; the session's last reading when None."""

    if TYPE_CHECKING:  # what a usage is given by, in its place
        percentage: InitVar[float | str | None] = None
        used: InitVar[int | None] = None

    _of_props = model_validator(mode="before")(usage_of_props)

    @classmethod
    def of_state(
        cls,
        state: State,
        usage: ContextUsage | None = None,
        now: int | None = None,
        *,
        thresholds: Thresholds = THRESHOLDS,
    ) -> Self | None:
        if usage is None or reached(usage, thresholds).level not in WARNED:
            return None
        return cls.model_construct(usage=usage)

    def render(self, ctx: RenderContext, children: Children) -> Child:
        usage = self.usage or bound(ctx).usage
        if usage is None:
            return None
        level = reached(usage, thresholds_in(ctx)).level
        if level not in WARNED:
            return None
        ctx, percent = self.with_texts(ctx), int(usage.percentage)
        if ctx.density is Density.MINIMAL:
            text = format_text(ctx, f"warning.{level}.short", percent=percent)
            return Paragraph()[text]
        text = format_text(ctx, f"warning.{level}", percent=percent)
        return BlockQuote()[Paragraph()[with_call(ctx, text, "warning")]]

    def as_shown_in(self, ctx: RenderContext) -> Self | None:
        usage = self.usage or bound(ctx).usage
        if usage is None:
            return None
        thresholds = thresholds_in(ctx)
        level = reached(usage, thresholds).level
        return self._told(int(usage.percentage), level, thresholds) if level in WARNED else None

    @classmethod
    def _told(cls, percent: int, level: Level, thresholds: Thresholds) -> Self | None:
        share = least_share(percent, {level}, thresholds)
        return None if share is None else cls(usage=least_usage(*share, is_share=True))

    @classmethod
    def parse(cls, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Self, int] | None:
        ctx = cls.with_texts(ctx)
        quote = type(blocks[0]) is mdast.Blockquote and len(blocks[0].children) == 1
        said = (
            text_before_call(blocks[0].children[0], "warning", ctx) if quote else text_of(blocks[0])
        )
        for level in WARNED if said is not None else ():
            name = f"warning.{level}" if quote else f"warning.{level}.short"
            told = parse_text(ctx, name, said or "", percent=NUMBER)
            section = (
                None if told is None else cls._told(int(told["percent"]), level, thresholds_in(ctx))
            )
            if section is not None:
                return section, 1
        return None
