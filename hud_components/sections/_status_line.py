"""Everything in one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field

from hud_components._levels import THRESHOLDS, Level, level_for
from hud_components._models import ContextUsage, HudModel, HudState
from hud_components.declaring._form import Form, read_item
from hud_components.declaring._section import HudSection, bound
from hud_components.sections._context_bar import in_steps
from hud_components.sections._parsed_usage import least_share, least_usage
from hud_components.words._cut import cut, line
from hud_components.words._parse_text import NUMBER, parse_count, parse_text
from hud_components.words._reading import line_of
from hud_components.words._separators import apart, separated, text_in
from hud_components.words._texts import counted, format_text
from ujsx import Child, Children, Density, Disclosure, RenderContext, Rung
from ujsx.elements import Paragraph

_TASK_WIDTH = 60
"""Characters of the task; 20 tokens for a task, by the HUD's design documents."""

Count = Annotated[int, Field(ge=0)]


class Tally(HudModel):
    """What a status line tells: the task, and how many items of each kind there are.

    >>> Tally.of(HudState()).notes
    0
    """

    task: str | None = None
    """The task's description."""

    decisions: Count = 0
    files: Count = 0
    steps: Count = 0
    """Open steps."""
    notes: Count = 0
    blockers: Count = 0
    """Open blockers."""
    errors: Count = 0
    """Open errors."""

    usage: ContextUsage | None = None
    """The use of the context."""

    @classmethod
    def of(cls, state: HudState) -> Tally:
        """Return the tally of a state."""
        return cls(
            task=state.task.description if state.task else None,
            decisions=len(state.decisions),
            files=len(state.active_files),
            steps=sum(not step.completed for step in state.next_steps),
            notes=len(state.notes),
            blockers=sum(not blocker.resolved for blocker in state.blockers),
            errors=sum(not error.resolved for error in state.errors),
            usage=state.usage,
        )


_COUNTS = {
    **dict.fromkeys(("decisions", "files", "steps", "notes"), "status.count"),
    **dict.fromkeys(("blockers", "errors"), "status.alert"),
}
"""What is counted, in its order, and the text that tells it."""

_TASK = Form("status.task", ("task",))


class StatusLine(HudSection):
    """The task, how many items of each kind there are, and what is amiss, in one line.

    >>> from ujsx import render
    >>> tally = Tally(task="Add login", notes=3, blockers=1)
    >>> print(render(StatusLine(tally=tally)), end="")
    **Add login** · 3 notes · ⚠ 1 blocker
    """

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(Rung(Density.MINIMAL), Rung(Density.FULL)), layer="turn", floor=Density.MINIMAL
    )

    state: HudState | None = None
    """What to sum up; the session's state when None."""

    tally: Tally | None = None
    """The sum itself, in place of a state."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        told = self._told(ctx)
        parts: list[Child] = []
        if told.task is not None:
            parts.append(_TASK.template(ctx).fill(told.task))
        elif ctx.density is Density.FULL:
            parts.append(format_text(ctx, "status.no task"))
        for kind, name in _COUNTS.items():
            count: int = getattr(told, kind)
            if count:
                parts.append(counted(ctx, kind, count, name))
        if told.usage is not None:
            sign = format_text(ctx, f"context.{level_for(told.usage.percentage)}")
            parts.append(format_text(ctx, "status.usage", sign=sign, percent=in_steps(told.usage)))
        return Paragraph()[separated(parts, ctx)] if parts else None

    def _told(self, ctx: RenderContext) -> Tally:
        """What is told at that density."""
        tally = self.tally or Tally.of(self.state or bound(ctx))
        task = tally.task if ctx.density is Density.FULL else None
        return tally.model_copy(update={"task": task and cut(line(task), _TASK_WIDTH)})

    # --- Reading ---

    def as_shown_in(self, ctx: RenderContext) -> Self | None:
        told = self._told(ctx)
        if told == Tally() and ctx.density is not Density.FULL:
            return None
        if told.usage is None:
            return type(self)(tally=told)
        sign = format_text(ctx, f"context.{level_for(told.usage.percentage)}")
        usage = _usage(in_steps(told.usage), sign, ctx)
        return type(self)(tally=told.model_copy(update={"usage": usage}))

    @classmethod
    def parse(cls, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Self, int] | None:
        told: dict[str, Any] = {}
        parts = apart(line_of(blocks[0]), ctx)
        for part in parts:
            read = read_item([_TASK], ctx, part) or _read(text_in(part), ctx)
            if read is None:
                return None
            told.update(read)
        return (cls(tally=Tally(**told)), 1) if parts != [[]] else None


def _read(text: str, ctx: RenderContext) -> dict[str, Any] | None:
    if text == format_text(ctx, "status.no task"):
        return {}
    for kind, name in _COUNTS.items():
        numbers = parse_count(ctx, kind, text, name)
        if numbers is not None:
            return {kind: numbers.get("count", 0)}
    told = parse_text(ctx, "status.usage", text, percent=NUMBER)
    usage = _usage(int(told["percent"]), told.get("sign", ""), ctx) if told else None
    return None if usage is None else {"usage": usage}


def _usage(percent: int, sign: str, ctx: RenderContext) -> ContextUsage | None:
    """The least use that is told so."""
    levels: set[Level] = {
        each.level for each in THRESHOLDS if format_text(ctx, f"context.{each.level}") == sign
    }
    share = least_share(percent, levels)
    return None if share is None else least_usage(share)
