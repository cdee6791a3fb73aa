"""What the agent is working on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

from hud_components._models import Task
from hud_components.declaring._form import ORIGIN, Form, read_item
from hud_components.declaring._section import HudSection, bound, titled
from hud_components.words._cut import line
from hud_components.words._reading import is_titled, line_of
from hud_components.words._texts import format_text
from ujsx import Child, Children, ContentModel, Density, Disclosure, Element, RenderContext, Rung
from ujsx.elements import Paragraph

_TEXT = Form("task.text", ("description",))
_LINE = Form("task.line", ("description",))


class TaskSection(HudSection):
    """The current task."""

    content_model = ContentModel(("flow",), "flow")
    takes_children: ClassVar[bool] = True
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
        is_full = ctx.density is Density.FULL
        form = _TEXT if is_full else _LINE
        if task.origin is None:
            told = form.template(ctx).fill(description)
        else:
            origin = format_text(ctx, f"origin.{task.origin}")
            told = form.template(ctx, behind=ORIGIN).fill(description, "", origin)
        if not is_full:
            return Paragraph()[told]
        return Element(titled(format_text(ctx, "task.title")), (*told, *children))

    def as_shown_in(self, ctx: RenderContext) -> Self | None:
        task = self.task or bound(ctx).task
        if task is None:
            return None
        description = line(task.description, ctx.density)
        return type(self)(task=Task(description=description, origin=task.origin))

    @classmethod
    def parse(cls, blocks: Sequence[Any], ctx: RenderContext) -> tuple[Self, int] | None:
        if is_titled(blocks, format_text(ctx, "task.title"), ctx):
            said, taken = read_item([_TEXT], ctx, line_of(blocks[1])), 2
        else:
            said, taken = read_item([_LINE], ctx, line_of(blocks[0])), 1
        if said is None or "description" not in said:
            return None
        origin = said.pop("id", "").removesuffix(":") or None
        return cls(task=Task.model_validate({**said, "origin": origin})), taken
