"""The task section: the agent's current work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, StringConstraints
from pydantic.json_schema import SkipJsonSchema

from hud_components._models import Actor, HudModel, Kept, Line, Milliseconds, Origin
from hud_components.declaring._form import Form
from hud_components.declaring._section import UNSET, ValueProp
from hud_components.declaring._state import State, Worth, is_none, recalls
from hud_components.declaring._value_section import ValueSection
from hud_components.folding import (
    Clear,
    Moment,
    Payload,
    Set,
    Verb,
    said_anew,
    timestamp,
    with_values,
)
from hud_components.folding._verb import VerbSection
from hud_components.sections import CodingValue
from hud_components.words._quoted import RequestWords
from ujsx import Child, ContentModel, Density, Disclosure, Examples, RenderContext
from ujsx.elements import Paragraph


class TaskDraft(HudModel):
    """What the agent is working on."""

    description: Line
    """The task in a sentence or two."""


class Task(CodingValue, TaskDraft):
    """The current task. It is the user's or the agent's: neither is marked."""

    expected_from: ClassVar[tuple[Actor, ...]] = ("agent", "user")

    updated_at: Milliseconds = 0
    """When it was last set or refined."""

    goal: Kept[Line | None] = Field(default=None, exclude_if=is_none)
    """What the session is about, where that is more than the newest request; None where the
    description says it."""

    origin: Origin | None = None
    """Where an inherited task comes from; None for the session's own."""


def _empty_if_null(value: object) -> object:
    # Not part of the field's type: the schema would need a separate shape for the task.
    return "" if value is None else value


class TaskWords(HudModel):
    """What the agent is working on, or that it is nothing."""

    description: Annotated[
        str, StringConstraints(strip_whitespace=True), BeforeValidator(_empty_if_null)
    ]
    """The task in a sentence or two; empty, or null, for none."""


class TaskGoal(Payload):
    """It is clear what the session is about."""

    goal: Line
    """What the session is about, in a sentence or two."""


def aimed(task: Task | None, said: TaskGoal, moment: Moment) -> Task:
    """The task has this goal; where its description says the same, none beside it."""
    if task is None:
        return Task(description=said.goal, updated_at=moment.timestamp)
    goal = None if said.goal == task.description else said.goal
    return with_values(task, goal=goal)


class SetTask(Set):
    """There is this task from now on; the goal of the session stays."""

    def apply(self, section: VerbSection, value: Any, said: Any, moment: Moment) -> Any:
        task = Set.apply(self, section, value, said, moment)
        if task is value or value is None or value.goal in (None, task.description):
            return task
        return with_values(task, goal=value.goal, **said_anew(value, moment))


_BOTH = ("description", "goal")
_TEXT = Form("task.text", _BOTH[:1], source="{description}")
_LINE = Form("task.line", _BOTH[:1], source="**Task:** {description}")
_TEXT_AND_GOAL = Form("task.text.goal", _BOTH, source="{description} — *goal:* {goal}")
_LINE_AND_GOAL = Form("task.line.goal", _BOTH, source="**Task:** {description} — *goal:* {goal}")
_UNSAID = {"description": ""}
_GOAL = Form("task.goal", _BOTH[1:], _UNSAID, source="*goal:* {goal}")
"""The rest of the task if a delivery does not repeat the request."""


class TaskSection(ValueSection[Task]):
    """The current task."""

    content_model = ContentModel(("flow",), "flow")
    takes_children: ClassVar[bool] = True
    name = field = prop = "task"
    aliases = ("current_task",)
    former_fields = MappingProxyType({"before": None})
    is_cut = False
    from_parent = True
    draft = TaskDraft
    title = "Task"
    forms = {  # noqa: RUF012 - a declaration
        Density.FULL: (_TEXT_AND_GOAL, _TEXT, _GOAL),
        Density.COMPACT: (_LINE_AND_GOAL, _LINE),
        Density.MINIMAL: (_LINE,),
    }
    verbs = (
        SetTask(
            "set",
            help="a task",
            doc="The agent starts on a task.",
            answer="Task set.",
            told="task set: {text}{was}",
            arguments=TaskWords,
            sets={"updated_at": timestamp},
        ),
        SetTask(
            "update",
            help="the wording",
            doc="The agent understands its task better.",
            answer="Task updated.",
            told="task reads: {text}{was}",
            rare=True,
            arguments=TaskWords,
            sets={"updated_at": timestamp},
        ),
        Verb(
            "goal",
            aimed,
            doc="It is clear what the session is about.",
            told="the goal: {goal}",
            payload=TaskGoal,
            is_operation=False,
        ),
        Clear(
            "clear",
            help="the task",
            doc="There is no task any more.",
            answer="Task cleared.",
            told="task cleared{was}",
        ),
    )

    @classmethod
    def beyond(cls, value: Task | None, request: RequestWords) -> Task | None:
        """Return the rest of the task if the request contains the user's ask; nothing if it contains all of it."""
        if value is None:
            return None
        goal = value.goal
        if value.said_by == "user" and request.completes(value.description):
            said = goal is None or request.has(goal) or request.tells(goal)
            return None if said else with_values(value, description="")
        # Delivered content stays in its line: a line that comes and goes would be delivered each time.
        if goal is not None and request.has(goal) and not request.tells(goal):
            return with_values(value, goal=None)
        return value

    @classmethod
    def told(cls, value: Task, ctx: RenderContext) -> Child:
        form = _TEXT_AND_GOAL if value.goal else _TEXT
        return Paragraph()[form.template(ctx).fill(*form.texts_of(dict(value)))]

    examples: ClassVar[Examples] = lambda: {
        "usual": TaskSection(task="Let users sign in with short-lived tokens"),
    }

    task: ValueProp[Task] = UNSET
    """The task; that of the session when None."""

    recalled: SkipJsonSchema[bool] = False
    """Whether it stands after a compaction, which took away the request that it is about."""

    @classmethod
    def told_by(cls, state: State) -> Mapping[str, object]:
        return {"recalled": True} if recalls(state) else {}

    def disclosed(self) -> Disclosure:
        """Return the disclosure: after a compaction the words of the request come before the agent's."""
        usual = super().disclosed()
        return _recalled(usual) if self.recalled else usual


@lru_cache(maxsize=64)
def _recalled(usual: Disclosure) -> Disclosure:
    ladder = (
        replace(rung, worth=Worth.FINDING_RECALLED) if rung.worth is Worth.IN_FULL else rung
        for rung in usual.ladder
    )
    return replace(usual, ladder=tuple(ladder))
