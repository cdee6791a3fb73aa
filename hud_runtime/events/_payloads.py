"""What each type of event says: one frozen model per type, built on the drafts of the HUD's items.

A payload holds what its author can know. A new item may bring an id of its own; otherwise the
store makes one. An operation on an item names it by ``id``.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from hud_components._models import (
    BlockerDraft,
    DecisionDraft,
    ErrorDraft,
    FileDraft,
    FileStatus,
    HudModel,
    HudState,
    Line,
    NoteDraft,
    StepDraft,
    TaskDraft,
    UsageReading,
)
from hud_runtime.events._change import changeable

SectionName: TypeAlias = Literal[
    "task", "decisions", "active_files", "next_steps", "notes", "blockers", "errors"
]
"""A section of the HUD, by its field in the state."""

LISTS: tuple[SectionName, ...] = (
    "decisions", "active_files", "next_steps", "notes", "blockers", "errors",
)  # fmt: skip
"""The sections that hold several items."""


class Payload(HudModel):
    """What an event says, beyond who said it and when."""


class New(Payload):
    """A new item."""

    id: Line | None = None
    """An id of the author's choice; the store makes a short one where there is none."""


class Target(Payload):
    """An operation on one item."""

    id: Line
    """The item's id."""


class Change(Target):
    """New values for some fields of an item; a field that is not given stays as it is.

    >>> from hud_runtime.events import NoteUpdate
    >>> NoteUpdate(id="n-2", content="Port 8080").values()
    {'content': 'Port 8080'}
    """

    def values(self) -> dict[str, object]:
        """Return the fields that change, with their new values."""
        given = (name for name in type(self).model_fields if name in self.model_fields_set)
        return {name: getattr(self, name) for name in given if name != "id"}

    @model_validator(mode="after")
    def _says_something(self) -> Change:
        if not self.values():
            known = ", ".join(name for name in type(self).model_fields if name != "id")
            raise ValueError(f"nothing would change; give at least one of: {known}")
        return self

    @model_serializer(mode="wrap")
    def _only_what_changes(self, write: SerializerFunctionWrapHandler) -> dict[str, object]:
        written = write(self)
        return {name: value for name, value in written.items() if name in self.model_fields_set}


class SessionStart(Payload):
    """A session begins: always its first event, so that the log alone tells the state."""

    project: Line | None = None
    """The project it works on."""

    title: Line | None = None
    """What the session is called."""

    parent: Line | None = None
    """The session that started this one."""

    parent_version: Annotated[int, Field(ge=0)] | None = None
    """The parent's version whose state is inherited."""

    inherited: HudState | None = None
    """What the session starts with: the project's defaults, and the parent's state."""


class SessionTitle(Payload):
    """The session gets a name."""

    title: Line
    """What the session is called."""


class TaskSet(Payload, TaskDraft):
    """The agent starts on a task."""


class TaskUpdate(Payload, TaskDraft):
    """The agent understands its task better."""


class TaskClear(Payload):
    """There is no task any more."""


class DecisionRecord(New, DecisionDraft):
    """The agent decides something."""


class NoteAdd(New, NoteDraft):
    """The agent keeps something in mind."""


class StepAdd(New, StepDraft):
    """The agent plans a step, at the end of its plan."""

    completed: bool = False
    """Whether it is done already."""


class StepComplete(Target):
    """A step is done."""


class StepReorder(Payload):
    """The plan's steps change places."""

    ids: Annotated[tuple[Line, ...], Field(min_length=1)]
    """The steps in their new order; those that are not named follow in their old one."""


class BlockerAdd(New, BlockerDraft):
    """Something stops the work."""


class BlockerResolve(Target):
    """A blocker is out of the way; it stays in the state as resolved."""


class ErrorEncountered(New, ErrorDraft):
    """Something went wrong."""


class ErrorResolved(Target):
    """An error is dealt with; it stays in the state as resolved."""


class DecisionRemove(Target):
    """A decision no longer holds."""


class NoteRemove(Target):
    """A note is no longer needed."""


class StepRemove(Target):
    """A step is dropped from the plan."""


class BlockerRemove(Target):
    """A blocker was none."""


class FileOpen(Payload, FileDraft):
    """The agent looks at a file, or something points it there."""

    status: Literal["reading", "referenced"] = "reading"
    """Whether the file is read, or only mentioned. A file that is edited stays so."""


class FileEdit(Payload, FileDraft):
    """The agent changes a file."""


class FileClose(Payload, FileDraft):
    """A file is gone, or falls out of what the agent works on."""


class FileKept(Payload, FileDraft):
    """A file in a replaced section."""

    status: FileStatus = "reading"
    """What the agent does with it."""


class ContextSnapshot(Payload, UsageReading):
    """The context window was measured."""


class CompactBefore(Payload):
    """The host is about to compact the conversation: the state up to here must survive."""

    reason: str = ""
    """Why now, in a few words."""


class CompactAfter(Payload):
    """The conversation was compacted."""

    summary: str = ""
    """The text that stands for the conversation before it."""


class SectionClear(Payload):
    """A section is emptied."""

    section: SectionName | None = None
    """The section; all of them where none is named."""


class SectionReplace(Payload):
    """One section gets new contents, as after an edit of the HUD by hand.

    An item whose id is known keeps what the store knows of it.
    """

    decisions: tuple[DecisionRecord, ...] | None = None
    """The decisions that hold now."""

    active_files: tuple[FileKept, ...] | None = None
    """The files in use now."""

    next_steps: tuple[StepAdd, ...] | None = None
    """The plan, in its order."""

    notes: tuple[NoteAdd, ...] | None = None
    """The notes that are kept."""

    blockers: tuple[BlockerAdd, ...] | None = None
    """The blockers that are known."""

    errors: tuple[ErrorEncountered, ...] | None = None
    """The errors that are known."""

    @model_validator(mode="after")
    def _one_section(self) -> SectionReplace:
        given = [name for name in type(self).model_fields if getattr(self, name) is not None]
        if len(given) != 1:
            names = ", ".join(type(self).model_fields)
            raise ValueError(f"give exactly one section of: {names}")
        return self

    @property
    def section(self) -> SectionName:
        """The section that is replaced."""
        return next(name for name in LISTS if getattr(self, name) is not None)


DecisionUpdate = changeable("DecisionUpdate", DecisionDraft, Change, "A decision reads anew.")
NoteUpdate = changeable("NoteUpdate", NoteDraft, Change, "A note reads anew.")
StepUpdate = changeable("StepUpdate", StepAdd, Change, "A step reads anew, or is open again.")
BlockerUpdate = changeable("BlockerUpdate", BlockerDraft, Change, "A blocker reads anew.")
