"""What events say of the task, and of decisions, notes, steps, blockers and errors.

Each is built on the draft of its item, so that a field is declared once.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from hud_components import (
    BlockerDraft,
    DecisionDraft,
    ErrorDraft,
    Line,
    NoteDraft,
    StepDraft,
    TaskDraft,
)
from hud_runtime.events._change import changeable
from hud_runtime.events._payload import New, Payload, Target, Update


class TaskSet(Payload, TaskDraft):
    """The agent starts on a task."""


class TaskUpdate(Payload, TaskDraft):
    """The agent understands its task better."""


class TaskClear(Payload):
    """There is no task any more."""


class DecisionRecord(New, DecisionDraft):
    """The agent decides something."""


class DecisionRemove(Target):
    """A decision no longer holds."""


class NoteAdd(New, NoteDraft):
    """The agent keeps something in mind."""


class NoteRemove(Target):
    """A note is no longer needed."""


class StepAdd(New, StepDraft):
    """The agent plans a step, at the end of its plan."""

    completed: bool = False
    """Whether it is done already."""


class StepComplete(Target):
    """A step is done."""


class StepRemove(Target):
    """A step is dropped from the plan."""


class StepReorder(Payload):
    """The plan's steps change places."""

    ids: Annotated[tuple[Line, ...], Field(min_length=1)]
    """The steps in their new order; those that are not named follow in their old one."""


class BlockerAdd(New, BlockerDraft):
    """Something stops the work."""


class BlockerResolve(Target):
    """A blocker is out of the way; it stays in the state as resolved."""


class BlockerRemove(Target):
    """A blocker was none."""


class ErrorEncountered(New, ErrorDraft):
    """Something went wrong."""


class ErrorResolved(Target):
    """An error is dealt with; it stays in the state as resolved."""


DecisionUpdate = changeable("DecisionUpdate", DecisionDraft, Update, "A decision reads anew.")

NoteUpdate = changeable("NoteUpdate", NoteDraft, Update, "A note reads anew.")

StepUpdate = changeable("StepUpdate", StepAdd, Update, "A step reads anew, or is open again.")

BlockerUpdate = changeable("BlockerUpdate", BlockerDraft, Update, "A blocker reads anew.")
