"""The task section: what the agent is working on."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Self

from pydantic import BeforeValidator, Field, StringConstraints

from hud_components._models import Actor, HudModel, Kept, Line, Milliseconds, Origin
from hud_components.declaring._form import Form
from hud_components.declaring._section import UNSET, ValueProp
from hud_components.declaring._state import State, recalls
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
from hud_components.folding._verb import Folded
from hud_components.sections import CodingValue
from hud_components.words._quoted import RequestWords
from hud_components.words._texts import line
from ujsx import Child, ContentModel, Density, Examples, RenderContext
from ujsx.elements import Paragraph


class TaskDraft(HudModel):
    """What the agent is working on."""

    description: Line
    """The task in a sentence or two."""


def _is_none(value: object) -> bool:
    # Not written where there is none: states from before tasks had goals stay the same.
    return value is None


class Task(CodingValue, TaskDraft):
    """The current task. It is the user's or the agent's: neither is marked."""

    expected_from: ClassVar[tuple[Actor, ...]] = ("agent", "user")

    updated_at: Milliseconds = 0
    """When it was last set or refined."""

    goal: Kept[Line | None] = Field(default=None, exclude_if=_is_none)
    """What the session is about, where that is more than the newest request; None where the
    description says it."""

    before: Kept[Line | None] = Field(default=None, exclude_if=_is_none)
    """What the user asked for before, the newest first; None where that is all."""

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


class TaskGoal(Payload):
    """It is clear what the session is about."""

    goal: Line
    """What the session is about, in a sentence or two."""


def aimed(task: Task | None, said: TaskGoal, moment: Moment) -> Task:
    """The task has this goal; where its description says the same, none beside it."""
    if task is None:
        return Task(description=said.goal, updated_at=moment.timestamp)
    goal = None if said.goal == task.description else said.goal
    return with_values(task, goal=goal, before=_beside(said.goal, task.before))


ASK = 80
"""Characters of an ask that is not the newest."""

ASKS = 4
"""Asks before the newest that are kept."""

_OLDER = " ← "
"""Between an ask and the one before it."""


def _beside(goal: str | None, before: str | None) -> str | None:
    """Earlier asks, each once, without the one that is the goal."""
    asks = dict.fromkeys((before or "").split(_OLDER))
    told = [each for each in asks if not (goal or "").startswith(each.rstrip("…"))]
    return _OLDER.join(told[:ASKS]) or None


class SetTask(Set):
    """There is this task from now on; the goal of the session stays, and what the user asked for before."""

    def apply(self, section: Folded, value: Any, said: Any, moment: Moment) -> Any:
        task = Set.apply(self, section, value, said, moment)
        if task is value or value is None:
            return task
        task = with_values(task, before=_asked_before(value, task))
        if value.goal is None or value.goal == task.description:
            return task
        return with_values(task, goal=value.goal, **said_anew(value, moment))


def _asked_before(value: Task, task: Task) -> str | None:
    """The user's requests before a task; a task that only adds to the one before it has the same before it."""
    older = [] if value.before is None else value.before.split(_OLDER)
    if value.said_by == "user" and not task.description.startswith(value.description):
        older.insert(0, line(value.description.replace(_OLDER, " "), ASK))
    return _beside(value.goal, _OLDER.join(older))


_BOTH = ("description", "goal")
_ALL = ("description", "before", "goal")
_TEXT = Form("task.text", _BOTH[:1], source="{description}")
_LINE = Form("task.line", _BOTH[:1], source="**Task:** {description}")
_TEXT_AND_GOAL = Form("task.text.goal", _BOTH, source="{description} — *goal:* {goal}")
_TEXT_AND_BEFORE = Form(
    "task.text.before", _ALL[:2], source="{description} — *before that:* {before}"
)
_TEXT_AND_ALL = Form(
    "task.text.all",
    _ALL,
    source="{description} — *before that:* {before} — *goal:* {goal}",
)
_LINE_AND_GOAL = Form("task.line.goal", _BOTH, source="**Task:** {description} — *goal:* {goal}")
_UNSAID = {"description": ""}
_GOAL = Form("task.goal", _BOTH[1:], _UNSAID, source="*goal:* {goal}")
_BEFORE = Form("task.before", _ALL[1:2], _UNSAID, source="*before that:* {before}")
_BEFORE_AND_GOAL = Form(
    "task.before.goal", _ALL[1:], _UNSAID, source="*before that:* {before} — *goal:* {goal}"
)
"""The rest where a delivery does not repeat the ask."""


class TaskSection(ValueSection[Task]):
    """The current task."""

    content_model = ContentModel(("flow",), "flow")
    takes_children: ClassVar[bool] = True
    name = field = prop = "task"
    aliases = ("current_task",)
    is_cut = False
    from_parent = True
    draft = TaskDraft
    title = "Task"
    forms = MappingProxyType(
        {
            Density.FULL: (
                _TEXT_AND_ALL,
                _TEXT_AND_BEFORE,
                _TEXT_AND_GOAL,
                _TEXT,
                _BEFORE_AND_GOAL,
                _BEFORE,
                _GOAL,
            ),
            Density.COMPACT: (_LINE_AND_GOAL, _LINE),
            Density.MINIMAL: (_LINE,),
        }
    )
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
        """The rest of the task, where the request has the user's ask; nothing, where it has, or was told, all."""
        if value is None:
            return None
        beside = {"before": value.before, "goal": value.goal}
        missing = {
            name: None if each and request.has(each) else each for name, each in beside.items()
        }
        # What a delivery told stays in its line: a line that comes and goes would be told each time.
        told = {name: each for name, each in beside.items() if each and request.tells(each)}
        if value.said_by == "user" and request.completes(value.description):
            if not any(each for name, each in missing.items() if name not in told):
                return None
            return with_values(value, description="", **missing)
        return with_values(value, **missing | told)

    recalled: bool = False
    """Whether it repeats what the conversation said before a compaction: what the user asked for before."""

    @classmethod
    def told_by(cls, state: State) -> Mapping[str, object]:
        return {"recalled": True} if recalls(state) else {}

    def given(self, ctx: RenderContext) -> Task | None:
        """Return the task; what the user asked for before it only where it repeats that."""
        task: Task | None = super().given(ctx)
        if task is None or task.before is None or self.recalled:
            return task
        task = with_values(task, before=None)
        return task if task.description or task.goal else None

    @classmethod
    def _of(cls, said: Mapping[str, Any], origin: str | None) -> Self | None:
        made = super()._of(said, origin)
        if made is not None and "before" in said:
            return made.model_copy(update={"recalled": True})
        return made

    @classmethod
    def told(cls, value: Task, ctx: RenderContext) -> Child:
        form = _TEXT_AND_GOAL if value.goal else _TEXT
        return Paragraph()[form.template(ctx).fill(*form.texts_of(dict(value)))]

    examples: ClassVar[Examples] = lambda: {
        "usual": TaskSection(task="Let users sign in with short-lived tokens"),
    }

    task: ValueProp[Task] = UNSET
    """The task; that of the session when None."""
