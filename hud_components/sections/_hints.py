"""What is worth knowing at certain moments of a session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Self, TypeAlias, get_args

from hud_components._models import ContextUsage
from hud_components.declaring._section import HudSection, bound
from hud_components.declaring._state import State
from hud_components.words._call import text_before_call, with_call
from hud_components.words._texts import format_text
from ujsx import Child, Children, Density, Disclosure, RenderContext, Rung
from ujsx.elements import Paragraph

Hint: TypeAlias = Literal["new", "compacted", "more"]
"""A session without any record, one that was just compacted, and one that has more to show."""


class Hints(HudSection):
    """Where to go on: a new session, one that was just compacted, a HUD that shows counts alone.

    Each is one line with the call that it is about.

    >>> from ujsx import render
    >>> print(render(Hints(hints=("new",))), end="")
    New session: nothing is recorded yet: `hud help`
    """

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(Rung(Density.MINIMAL), Rung(Density.COMPACT)), weight=0.5, layer="turn"
    )

    hints: tuple[Hint, ...] | None = None
    """The hints; those that the bound state gives rise to when None."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return [
            Paragraph()[with_call(ctx, format_text(ctx, f"hint.{hint}"), f"hint.{hint}")]
            for hint in self._shown(ctx)
        ]

    @classmethod
    def of_state(
        cls, state: State, usage: ContextUsage | None = None, now: int | None = None
    ) -> Self | None:
        # The state's own reading is among its readings, which tell a trend by their number.
        hints = hints_for(state, None if usage is state.usage else usage)
        return cls.model_construct(hints=hints) if hints else None

    def _shown(self, ctx: RenderContext) -> tuple[Hint, ...]:
        hints = hints_for(bound(ctx)) if self.hints is None else self.hints
        if ctx.density is Density.MINIMAL:
            return hints
        shown: list[Hint] = [hint for hint in hints if hint != "more"]
        return tuple(shown)

    def as_shown_in(self, ctx: RenderContext) -> Self | None:
        hints = self._shown(ctx)
        return type(self)(hints=hints) if hints else None

    @classmethod
    def parse(cls, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Self, int] | None:
        hints: list[Hint] = []
        for block in blocks:
            hint = _read(block, ctx)
            if hint is None:
                break
            hints.append(hint)
        return (cls(hints=tuple(hints)), len(hints)) if hints else None


def _read(block: Any, ctx: RenderContext) -> Hint | None:
    for hint in get_args(Hint):
        kind = f"hint.{hint}"
        if text_before_call(block, kind, ctx) == format_text(ctx, kind):
            found: Hint = hint
            return found
    return None


def hints_for(state: State, usage: ContextUsage | None = None) -> tuple[Hint, ...]:
    """Return the hints that a state gives rise to.

    A session is new while nothing is recorded in it. It was just compacted while the readings,
    which a compaction clears, are too few for a trend.

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
        elif not any(getattr(state, each.field) for each in own):
            hints.append("new")
    if has_more:
        hints.append("more")
    return tuple(hints)


_FOR_A_TREND = 2
