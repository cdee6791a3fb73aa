"""What the agent is working on."""

from __future__ import annotations

from types import MappingProxyType
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, StringConstraints

from hud_components._models import HudModel, Line, Milliseconds, Origin
from hud_components.declaring._form import Form
from hud_components.declaring._value_section import ValueSection
from hud_components.folding import Clear, Set, timestamp
from ujsx import ContentModel, Density


class TaskDraft(HudModel):
    """What the agent is working on."""

    description: Line
    """The task in a sentence or two."""


class Task(TaskDraft):
    """The current task."""

    updated_at: Milliseconds = 0
    """When it was last set or refined."""

    origin: Origin | None = None
    """Where an inherited task comes from; None for the session's own."""


def _empty_if_null(value: object) -> object:
    # Not a type of the field: a schema that says so would need a shape of its own for the task.
    return "" if value is None else value


class TaskWords(HudModel):
    """What the agent is working on, or that it is nothing."""

    description: Annotated[
        str, StringConstraints(strip_whitespace=True), BeforeValidator(_empty_if_null)
    ]
    """The task in a sentence or two; empty, or null, for none."""


_TEXT = Form("task.text", ("description",))
_LINE = Form("task.line", ("description",))


class TaskSection(ValueSection[Task]):
    """The current task."""

    content_model = ContentModel(("flow",), "flow")
    takes_children: ClassVar[bool] = True
    name = field = prop = "task"
    is_sourced: ClassVar[bool] = False  # its stored states and texts are older than sources
    is_cut = False
    from_parent = True
    draft = TaskDraft
    forms = MappingProxyType(
        {Density.FULL: (_TEXT,), Density.COMPACT: (_LINE,), Density.MINIMAL: (_LINE,)}
    )
    verbs = (
        Set(
            "set",
            help="a new task",
            doc="The agent starts on a task.",
            answer="Task set.",
            told="task set: {text}{was}",
            arguments=TaskWords,
            sets={"updated_at": timestamp},
        ),
        Set(
            "update",
            help="its wording",
            doc="The agent understands its task better.",
            answer="Task updated.",
            told="task reads: {text}{was}",
            arguments=TaskWords,
            sets={"updated_at": timestamp},
        ),
        Clear(
            "clear",
            help="it",
            doc="There is no task any more.",
            answer="Task cleared.",
            told="task cleared{was}",
        ),
    )

    task: Task | None = None
    """The task; that of the session when None."""
