"""What the agent is working on."""

from __future__ import annotations

from typing import ClassVar

from hud_components._cut import line
from hud_components._form import Form
from hud_components._models import Task
from hud_components._section import HudSection, bound
from hud_components._texts import say
from ujsx import Child, Children, Density, Disclosure, RenderContext, Rung
from ujsx.elements import Paragraph, Section

_LINE = Form("task.line", ("description",))


class TaskSection(HudSection):
    """The current task."""

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(Rung(Density.MINIMAL), Rung(Density.COMPACT), Rung(Density.FULL)),
        weight=4.0,
        floor=Density.MINIMAL,
        layer="static",
    )

    task: Task | None = None
    """The task; that of the session when None."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        task = self.task or bound(ctx).task
        if task is None:
            return None
        description = line(task.description, ctx.density)
        if ctx.density is Density.FULL:
            return Section(title=say(ctx, "task.title"))[description, children]
        return Paragraph()[_LINE.template(ctx).fill(description)]
