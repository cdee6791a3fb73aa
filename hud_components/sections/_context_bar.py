"""The context bar, with the fullness of the context, and the warning before it is full."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self, get_args

from pydantic import Field, model_validator

from hud_components._models import ContextUsage, Trend, usage_of_props
from hud_components.declaring._section import UNSET, HudSection, UsageProp, bound
from hud_components.declaring._state import State, Worth
from hud_components.levels import LEVELS, THRESHOLDS, Level, Thresholds, reached, thresholds_in
from hud_components.words._texts import (
    NUMBER,
    format_text,
    handle_of,
    line,
    line_of,
    parse_text,
    text_before_call,
    text_of,
    value_of,
    with_call,
)
from ujsx import Child, Children, Density, Disclosure, Examples, RenderContext, Rung, mdast
from ujsx.elements import BlockQuote, Paragraph

if TYPE_CHECKING:
    from dataclasses import InitVar

# The least usage that a line can represent: reading back returns such a usage.

USUAL_LIMIT = 200_000
"""The assumed size of a context with unknown limit, in tokens: the founding documents' figure."""

LARGER_LIMITS = (1_000_000, 10_000_000, 100_000_000)
"""Limits to try for a table by remaining tokens, if the usual one does not have the level."""


def least_usage(
    percent: int,
    levels: Collection[Level],
    thresholds: Thresholds = THRESHOLDS,
    limit: int | None = None,
    **said: Any,
) -> ContextUsage | None:
    """Return the least usage with a share from ``percent`` up, and one of the levels.

    :param limit: the size of the context; the usual limit, or the next larger suitable one, when None.
    :param said: its other fields.

    >>> least_usage(85, {"red"}).used, least_usage(85, {"critical"}).percentage > 92
    (170000, True)
    """
    for size in (USUAL_LIMIT, *LARGER_LIMITS) if limit is None else (limit,):
        for level, start, end in _ranges(thresholds, size):
            if level in levels and percent < end:
                return ContextUsage(used=_tokens(max(percent, start), size), limit=size, **said)
    return None


def _tokens(share: float, limit: int) -> int:
    """Return the fewest tokens with at least that share of a limit."""
    used = math.ceil(limit * share / 100)
    while 100 * used / limit < share:
        used += 1
    return used


def levels_signed(sign: str, ctx: RenderContext) -> set[Level]:
    """Return the levels with a sign."""
    found: set[Level] = {
        each.level
        for each in thresholds_in(ctx)
        if format_text(ctx, f"context.{each.level}") == sign
    }
    return found


def step_for(percent: int, share: float, usual: int) -> int:
    """Return the step in which a share is shown as ``percent``: the usual one if possible."""
    steps = (usual, *range(2, 101), 1)
    return next((step for step in steps if int(share // step) * step == percent), usual)


def _ranges(thresholds: Thresholds, limit: int) -> Iterator[tuple[Level, float, float]]:
    """Return the range of shares of each level in a context of ``limit`` tokens, if there is one."""
    edges: list[tuple[Level, float]] = [(each.level, each.edge(limit)) for each in thresholds]
    ends = [min((edge for _, edge in edges[n + 1 :]), default=math.inf) for n in range(len(edges))]
    for (level, start), end in zip(edges, ends, strict=True):
        if start < end:
            yield level, start, end


_TEXTS: Mapping[str, str] = {
    "warning.red": "{percent}% of the context is used; compaction is near, and what the HUD holds "
    "survives it",
    "warning.critical": "{percent}% of the context is used; compaction is due, and what the HUD "
    "holds survives it",
    "warning.red.short": "{percent}% used: compaction is near",
    "warning.critical.short": "{percent}% used: compaction is due",
}

_CALL: Mapping[str, str] = MappingProxyType({"warning.handle": "hud_compact"})

WARNED: frozenset[Level] = frozenset(each for each in LEVELS if f"warning.{each}" in _TEXTS)
"""The levels with a warning."""


class WarningBanner(HudSection):
    """A warning from the level "red" on, at 85 %; what it says depends on the level. Below, there is none.

    It tells the share itself: where it stands in a HUD's default layout, no :class:`ContextBar` does.
    """

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(Rung(Density.MINIMAL), Rung(Density.COMPACT, worth=Worth.ABOUT)),
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
            if told is None:
                continue
            percent = int(told["percent"])
            usage = least_usage(percent, {level}, thresholds_in(ctx), is_share=True)
            if usage is not None:
                return cls(usage=usage), 1
        return None


# The context bar: the fullness of the context.

_LINE = Paragraph()

_MODEL = 80
"""The most characters of a model's name."""

STEP = 5
"""The step in percent: fine enough to be informative, and coarse enough that the line rarely changes."""


SIGNS: Mapping[str, str] = {
    "context.green": "🟢",
    "context.yellow": "🟡",
    "context.red": "🟠",
    "context.critical": "🔴",
}
"""The sign of each level."""

WORDS_FOR_SIGNS: Mapping[str, str] = MappingProxyType(
    {name: f"({name.removeprefix('context.')})" for name in SIGNS}
)
"""The word for each level without signs."""


class ContextBar(HudSection):
    """The use of the context window, where it is going, and what the level means.

    Without a reading there is no line. Where a warning stands in the same HUD, that tells it; and where
    the line stands last, so that nothing is behind it to be billed again, it tells the exact share.

    >>> from ujsx import render
    >>> usage = ContextUsage(used=62_000, trend="growing")
    >>> print(render(ContextBar(usage=usage)), end="")
    🟢 Context: 31% used (62,000 / 200,000 tokens), growing
    >>> print(render(ContextBar(usage=usage, step=5)), end="")
    🟢 Context: 30% of 200,000 tokens used, growing
    """

    texts = {  # noqa: RUF012 - a declaration
        "context.full": "{sign} Context: {percent}% of {limit} tokens used",
        "context.full.model": "{sign} Context: {percent}% of {limit} tokens used ({model})",
        "context.exact": "{sign} Context: {percent}% used ({used} / {limit} tokens)",
        "context.exact.model": "{sign} Context: {percent}% used ({used} / {limit} tokens, {model})",
        "context.compact": "{sign} Context: {percent}% used",
        "context.minimal": "{sign} {percent}% used",
        "context.trend": ", {trend}",
        "context.stable": "stable",
        "context.growing": "growing",
        "context.growing rapidly": "growing rapidly",
        "context.advice": ". {advice}",
        **SIGNS,
        "advice.green": "",
        "advice.yellow": "A compaction is possible; what the HUD holds survives it",
        "advice.red": "",
        "advice.critical": "",
        "advice.handle": "hud_compact",
    }
    texts_without_signs = WORDS_FOR_SIGNS
    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(
            Rung(Density.MINIMAL, worth=Worth.FULLNESS),
            Rung(Density.COMPACT, worth=Worth.ABOUT),
            Rung(Density.FULL, worth=Worth.ABOUT),
        ),
        weight=2.0,
        floor=Density.MINIMAL,
        layer="turn",
    )

    examples: ClassVar[Examples] = lambda: {
        "half full": ContextBar(usage=ContextUsage(used=100_000)),
        "nearly full": ContextBar(usage=ContextUsage(used=178_000, trend="growing")),
    }

    usage: UsageProp = UNSET
    """The use of the context; the session's last reading when None."""

    if TYPE_CHECKING:  # what a usage is given by, in its place
        percentage: InitVar[float | str | None] = None
        used: InitVar[int | None] = None

    @model_validator(mode="before")
    @classmethod
    def _of_props(cls, props: Any) -> Any:
        """Show an author's reading exactly, unless the author also sets steps."""
        given = usage_of_props(props)
        is_given = isinstance(props, dict) and given.get("usage") is not None
        return {"step": 1, **given} if is_given else given

    step: Annotated[int, Field(ge=1, le=100)] = STEP
    """The steps in which the share grows, in percent, so that the line stays the same for turns.
    With 1 it tells the exact number of tokens too, and changes every turn; so it does at the end of a
    HUD, unless another step is given."""

    @classmethod
    def of_state(
        cls,
        state: State,
        usage: ContextUsage | None = None,
        now: int | None = None,
        *,
        thresholds: Thresholds = THRESHOLDS,
    ) -> Self | None:
        if usage is None:
            return None
        if WarningBanner in state.sections and reached(usage, thresholds).level in WARNED:
            return None  # that tells it
        behind = (
            state.sections[state.sections.index(cls) + 1 :] if cls in state.sections else (cls,)
        )
        stands_last = all(each.disclosure.layer == "turn" for each in behind)
        return cls.model_construct(usage=usage, step=1 if stands_last else STEP)

    def disclosed(self) -> Disclosure:
        """Return the disclosure: without a warning, the line ranks below names in the HUD's shortest form."""
        usual = super().disclosed()
        is_calm = self.usage is not None and reached(self.usage).level not in WARNED
        return _calm(usual) if is_calm else usual

    def exact(self) -> Self:
        """Return the line with exact figures, unless its author has set the steps."""
        if "step" in self.model_fields_set:
            return self
        return self.model_copy(update={"step": 1})

    def render(self, ctx: RenderContext, children: Children) -> Child:
        usage = self.usage or bound(ctx).usage
        if usage is None:
            return None
        ctx = self.with_texts(ctx)
        level = reached(usage, thresholds_in(ctx)).level
        model = line(usage.model, _MODEL) if usage.model else ""
        name = f"context.{ctx.density}"
        if usage.is_share and ctx.density is Density.FULL:
            name = "context.compact"
        elif ctx.density is Density.FULL:
            name = "context.exact" if self.step == 1 else name
            name = f"{name}.model" if model else name
        text = format_text(
            ctx,
            name,
            sign=format_text(ctx, f"context.{level}"),
            percent=in_steps(usage, self.step),
            used=f"{usage.used:,}",
            limit=f"{usage.limit:,}",
            model=model,
        )
        if ctx.density is Density.MINIMAL:
            return _LINE[text]
        if usage.trend is not None:
            text += _trend(usage.trend, ctx)
        advice = _advice(level, ctx)
        return _LINE[with_call(ctx, text + advice, "advice") if advice else text]

    # --- Reading ---

    @classmethod
    def parse(cls, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Self, int] | None:
        ctx = cls.with_texts(ctx)
        text, *call = line_of(blocks[0]) or (None,)
        advised = mdast.InlineCode(handle_of(ctx, "advice") or "")
        if type(text) is not mdast.Text or call not in ([], [advised]):
            return None
        joint = format_text(ctx, "call")
        said = value_of(text).removesuffix(joint) if call else value_of(text)
        for advice in {_advice(each.level, ctx) for each in thresholds_in(ctx)}:
            if bool(advice) is bool(call) and said.endswith(advice):
                section = cls._parse_text(said.removesuffix(advice), advice, ctx)
                if section is not None:
                    return section, 1
        return None

    @classmethod
    def _parse_text(cls, said: str, advice: str, ctx: RenderContext) -> Self | None:
        known: tuple[Trend, ...] = get_args(Trend)
        trends: dict[str, Trend | None] = {_trend(each, ctx): each for each in known}
        trends[""] = None
        for (ending, trend), name in product(trends.items(), _LINES):
            is_short = name == _LINES[-1]
            if not said.endswith(ending) or (is_short and (advice or ending)):
                continue
            figures = {"percent": NUMBER, "used": _FIGURE, "limit": _FIGURE}
            told = parse_text(ctx, name, said.removesuffix(ending), **figures, model=".+")
            signed = () if told is None else levels_signed(told.get("sign", ""), ctx)
            levels: list[Level] = [
                each for each in signed if is_short or _advice(each, ctx) == advice
            ]
            if told is not None and levels:
                return cls._told(told, levels, trend, thresholds_in(ctx))
        return None

    @classmethod
    def _told(
        cls,
        told: Mapping[str, str],
        levels: Collection[Level],
        trend: Trend | None,
        thresholds: Thresholds,
    ) -> Self | None:
        """Return the bar that shows only this."""
        used, limit = (int(told.get(name, "0").replace(",", "")) for name in ("used", "limit"))
        model = told.get("model")
        if limit and "used" in told:
            return cls(usage=ContextUsage(used=used, limit=limit, model=model, trend=trend), step=1)
        percent, others = int(told["percent"]), {"model": model, "trend": trend}
        usage = least_usage(
            percent, levels, thresholds, limit or None, is_share=not limit, **others
        )
        if usage is None:
            return None
        return cls(usage=usage, step=step_for(percent, usage.percentage, STEP))


@lru_cache(maxsize=64)
def _calm(usual: Disclosure) -> Disclosure:
    return replace(usual, floor=None)


_LINES = (
    "context.exact.model",
    "context.exact",
    "context.full.model",
    "context.full",
    "context.compact",
    "context.minimal",
)
"""The possible texts of a line, the most informative first."""

_FIGURE = r"\d[\d,]*"


def _trend(trend: Trend, ctx: RenderContext) -> str:
    return format_text(ctx, "context.trend", trend=format_text(ctx, f"context.{trend}"))


def _advice(level: Level, ctx: RenderContext) -> str:
    advice = format_text(ctx, f"advice.{level}")
    return format_text(ctx, "context.advice", advice=advice) if advice else ""


def in_steps(usage: ContextUsage, step: int = STEP) -> int:
    """Return the used share in percent, rounded down to a step.

    >>> in_steps(ContextUsage(used=158_000))
    75
    """
    return int(usage.percentage // step) * step
