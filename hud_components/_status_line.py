"""Everything in one line."""

from __future__ import annotations

from typing import ClassVar

from hud_components._context_bar import in_steps
from hud_components._cut import cut, line
from hud_components._levels import level_for
from hud_components._models import HudState
from hud_components._section import HudSection, bound
from hud_components._texts import counted, say
from ujsx import Child, Children, Density, Disclosure, RenderContext, Rung
from ujsx.elements import Paragraph

_TASK_WIDTH = 60
"""Characters of the task; 20 tokens for a task, by the HUD's design documents."""


class StatusLine(HudSection):
    """The task, how many items of each kind there are, and what is amiss, in one line."""

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(Rung(Density.MINIMAL), Rung(Density.FULL)), layer="turn", floor=Density.MINIMAL
    )

    state: HudState | None = None
    """What to sum up; the session's state when None."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        state = self.state or bound(ctx)
        parts = [*_counts(state, ctx), *_alerts(state, ctx)]
        if ctx.density is Density.FULL:
            task = state.task.description if state.task else say(ctx, "status.no task")
            parts.insert(0, cut(line(task), _TASK_WIDTH))
        return Paragraph()[say(ctx, "status.separator").join(parts)] if parts else None


def _counts(state: HudState, ctx: RenderContext) -> list[str]:
    counts = {
        "decisions": len(state.decisions),
        "files": len(state.active_files),
        "steps": sum(not step.completed for step in state.next_steps),
        "notes": len(state.notes),
    }
    return [counted(ctx, kind, count, "status.count") for kind, count in counts.items() if count]


def _alerts(state: HudState, ctx: RenderContext) -> list[str]:
    alerts = {
        "blockers": sum(not blocker.resolved for blocker in state.blockers),
        "errors": sum(not error.resolved for error in state.errors),
    }
    parts = [counted(ctx, kind, count, "status.alert") for kind, count in alerts.items() if count]
    if state.usage is not None:
        sign = say(ctx, f"context.{level_for(state.usage.percentage)}")
        parts.append(say(ctx, "status.usage", sign=sign, percent=in_steps(state.usage)))
    return parts
