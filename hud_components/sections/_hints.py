"""Hints that appear at certain moments of a session."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Self, TypeAlias, get_args

from msgspec.structs import replace

from hud_components._models import ContextUsage, Line
from hud_components.declaring._checks import verbs_of
from hud_components.declaring._section import HudSection, bound
from hud_components.declaring._state import ABOUT, State
from hud_components.folding import Add
from hud_components.words._cut import OPERATION, call_in, text_before_call, with_call
from hud_components.words._texts import format_text
from ujsx import Child, Children, Density, Disclosure, Examples, RenderContext, Rung
from ujsx.elements import Paragraph

Hint: TypeAlias = Literal["new", "compacted", "more"]
"""A session without any record, one that was just compacted, and one that has more to show."""


class Hints(HudSection):
    """Where to go on: a new session, one that was just compacted, a HUD that shows counts alone.

    Each is one line with the call that it is about.

    >>> from ujsx import render
    >>> print(render(Hints(hints=("new",))), end="")
    A new session begins with nothing recorded: `hud help`
    """

    texts = MappingProxyType(
        {
            "hint.new": "A new session begins with nothing recorded",
            "hint.new.handle": "hud help",
            "hint.compacted": "The history was compacted; what is recorded survives the next time too",
            "hint.compacted.handle": "hud notes.add",
            "hint.more": "Full state",
            "hint.more.handle": "hud snapshot",
        }
    )
    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(
            Rung(Density.MINIMAL, worth=ABOUT),
            Rung(Density.COMPACT, worth=ABOUT),
            Rung(Density.FULL, worth=ABOUT),
        ),
        weight=0.5,
        layer="turn",
    )

    told_in_changes = "never"

    examples: ClassVar[Examples] = lambda: {
        "new session": Hints(hints=("new",)),
        "after a compaction": Hints(hints=("compacted", "more")),
    }

    hints: tuple[Hint, ...] | None = None
    """The hints; those that the bound state gives rise to when None."""

    keep: Line | None = None
    """The operation that keeps something new; that of the bound state's domain when None."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        hints, ctx = self._shown(ctx), self._worded(ctx)
        return [
            Paragraph()[with_call(ctx, format_text(ctx, f"hint.{hint}"), f"hint.{hint}")]
            for hint in hints
        ]

    @classmethod
    def of_state(
        cls, state: State, usage: ContextUsage | None = None, now: int | None = None
    ) -> Self | None:
        # The state's own reading is among its readings, which tell a trend by their number.
        hints = hints_for(state, None if usage is state.usage else usage)
        if not hints:
            return None
        keep = _keeping(state.sections)
        told: dict[str, Any] = {} if keep is None else {"keep": keep}
        return cls.model_construct(hints=hints, **told)

    def _worded(self, ctx: RenderContext) -> RenderContext:
        """A context with its texts, and the call with which the domain keeps something."""
        keep = _keeping(bound(ctx).sections) if self.keep is None else self.keep
        ctx = self.with_texts(ctx)
        return ctx if keep is None else replace(ctx, texts={**ctx.texts, _KEEP: f"hud {keep}"})

    def _shown(self, ctx: RenderContext) -> tuple[Hint, ...]:
        hints = hints_for(bound(ctx)) if self.hints is None else self.hints
        if ctx.density is Density.MINIMAL:
            return ()
        shown: list[Hint] = [
            hint for hint in hints if hint != "more" or ctx.density is Density.COMPACT
        ]
        return tuple(shown)

    def as_shown_in(self, ctx: RenderContext) -> Self | None:
        hints = self._shown(ctx)
        if not hints:
            return None
        call = self._worded(ctx).texts[_KEEP]
        usual = "compacted" not in hints or call == self.with_texts(ctx).texts[_KEEP]
        return type(self)(hints=hints, keep=None if usual else call.removeprefix("hud "))

    @classmethod
    def parse(cls, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Self, int] | None:
        ctx = cls.with_texts(ctx)
        hints: list[Hint] = []
        keep: str | None = None
        for block in blocks:
            hint, call = _read(block, ctx)
            if hint is None:
                break
            hints.append(hint)
            if hint == "compacted" and call != ctx.texts[_KEEP]:
                keep = call.removeprefix("hud ")
        return (cls(hints=tuple(hints), keep=keep), len(hints)) if hints else None


_KEEP = "hint.compacted.handle"
"""The name of the call that keeps something."""


@lru_cache(maxsize=64)
def _keeping(sections: tuple[type[HudSection], ...]) -> str | None:
    """The operation that keeps something new, where a domain has not the usual one."""
    operations = [
        f"{section.name}.{verb.name}"
        for section in sections
        if section.kind is not None and section.has_operations
        for verb in verbs_of(section)
        if isinstance(verb, Add) and verb.is_operation
    ]
    if not sections or Hints.texts[_KEEP].removeprefix("hud ") in operations:
        return None
    return operations[0] if operations else "help"


def _read(block: Any, ctx: RenderContext) -> tuple[Hint | None, str]:
    """The hint that a paragraph is, and the call that it is about."""
    call = call_in(block)
    if OPERATION.fullmatch(call):
        ctx = replace(ctx, texts={**ctx.texts, _KEEP: call})
    for hint in get_args(Hint):
        kind = f"hint.{hint}"
        if call and text_before_call(block, kind, ctx) == format_text(ctx, kind):
            return hint, call
    return None, ""


def hints_for(state: State, usage: ContextUsage | None = None) -> tuple[Hint, ...]:
    """Return the hints that a state gives rise to.

    A session is new while nothing was ever recorded in it, what cannot be read included. It was just
    compacted while the readings, which a compaction clears, are too few for a trend.

    :param usage: a reading that is not in the state; one with a trend is past the compaction.

    >>> from hud_components import HudState, Note, SessionInfo
    >>> hints_for(HudState(session=SessionInfo(id="s")))
    ('new',)
    >>> hints_for(HudState(session=SessionInfo(id="s"), notes=(Note(content="Port 8080"),)))
    ('more',)
    """
    hints: list[Hint] = []
    session = state.session
    own = [section for section in state.sections if section.field]
    has_more = any(getattr(state, each.field) for each in own if each.is_cut)
    if session is not None:
        has_trend = len(state.readings) >= _FOR_A_TREND or (usage is not None and usage.trend)
        if session.compactions:
            if not has_trend:
                hints.append("compacted")
        elif not (
            state.updated_at or state.unreadable or any(getattr(state, each.field) for each in own)
        ):
            hints.append("new")
    if has_more:
        hints.append("more")
    return tuple(hints)


_FOR_A_TREND = 2
