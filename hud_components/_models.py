"""The HUD's facts as data: what an author says (drafts), what the store adds, and the whole state.

An item is a draft plus what only the store can know. ``DecisionDraft`` is what an agent fills in,
and so a tool's arguments and an event's payload; ``Decision`` adds the id and the time. All models
are frozen and compare by value. Times are milliseconds since the Unix epoch.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints
from pydantic_core import PydanticKnownError

from ujsx.text import is_text


def _of_characters(value: object) -> object:
    """Refuse half of a surrogate pair: it is no character, and no file can hold it."""
    if isinstance(value, str) and not is_text(value):
        raise PydanticKnownError("string_unicode")
    return value


Text: TypeAlias = Annotated[str, BeforeValidator(_of_characters)]
"""Text of whole characters; it may be empty. A plain ``str`` would take what cannot be stored."""

Line: TypeAlias = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
"""Text that says something: white space at its edges is dropped, and it is never empty.

Pydantic itself refuses half of a surrogate pair where a text has constraints.
"""

Milliseconds: TypeAlias = Annotated[int, Field(ge=0)]
"""A time, in milliseconds since the Unix epoch."""

FileStatus: TypeAlias = Literal["reading", "editing", "referenced"]
"""What the agent does with a file."""

Trend: TypeAlias = Literal["stable", "growing", "growing rapidly"]
"""How the context fills up, in words."""

Origin: TypeAlias = Literal["project", "parent"]
"""Where an inherited item comes from: the project's defaults, or the parent session."""


class HudModel(BaseModel):
    """A frozen, closed Pydantic model whose attribute docstrings describe its fields."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
        cache_strings="keys",  # values are data, and no cache of the process keeps those
    )


class Identified(HudModel):
    """Something that later events can name."""

    id: Text = ""
    """The store's short id, such as "d-12"; empty for what is not recorded."""

    @property
    def origin(self) -> Origin | None:
        """Where an inherited item comes from, as its id says; None for the session's own.

        >>> Note(id="project:n-2", content="Port 8080").origin
        'project'
        """
        if self.id.startswith("project:"):
            return "project"
        return "parent" if self.id.startswith("parent:") else None


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


class DecisionDraft(HudModel):
    """A choice that later work relies on."""

    summary: Line
    """The decision in one line."""

    details: Text = ""
    """Why, and what was weighed."""

    label: Line | None = None
    """A word or two that stand for the decision where space is short."""


class Decision(Identified, DecisionDraft):
    """A recorded decision."""

    recorded_at: Milliseconds = 0
    """When it was recorded."""


class NoteDraft(HudModel):
    """Something worth keeping in mind."""

    content: Line
    """The note; it may have several lines."""


class Note(Identified, NoteDraft):
    """A kept note."""

    updated_at: Milliseconds = 0
    """When it was added or last changed."""


class FileDraft(HudModel):
    """A file by its path."""

    path: Line
    """The path as the agent wrote it."""


class ActiveFile(FileDraft):
    """A file that the agent is using."""

    status: FileStatus = "reading"
    """What the agent does with it."""

    last_accessed: Milliseconds = 0
    """When it was last used."""


class StepDraft(HudModel):
    """One thing to do."""

    description: Line
    """The step in one line."""


class Step(Identified, StepDraft):
    """A step of the plan."""

    completed: bool = False
    """Whether it is done."""

    order: int = 0
    """Its place in the plan: steps are worked on in ascending order."""


class BlockerDraft(HudModel):
    """Something that stops the work."""

    description: Line
    """What is in the way."""


class Blocker(Identified, BlockerDraft):
    """A blocker, open until it is resolved."""

    resolved: bool = False
    """Whether it is out of the way."""


class ErrorDraft(HudModel):
    """Something that went wrong."""

    message: Line
    """What was reported."""


class ErrorRecord(Identified, ErrorDraft):
    """An error, open until it is resolved."""

    resolved: bool = False
    """Whether it is dealt with."""

    resolved_at: Milliseconds | None = None
    """When it was dealt with."""


class UsageReading(HudModel):
    """One reading of the context window."""

    used: Annotated[int, Field(ge=0)]
    """Tokens in the context: input, output, and cached ones."""

    limit: Annotated[int, Field(gt=0)] = 200_000
    """Tokens that the model's context holds; 200,000 where the host does not say."""

    model: Text | None = None
    """The model's name."""


class ContextUsage(UsageReading):
    """How full the context is, and where that is going.

    >>> ContextUsage(used=150_000).percentage
    75.0
    """

    trend: Trend | None = None
    """How it fills up, from the last readings; None while there are too few."""

    @property
    def percentage(self) -> float:
        """The used share of the limit, in percent; above 100 when the limit is exceeded."""
        return 100 * self.used / self.limit


class SessionInfo(HudModel):
    """The session that the HUD belongs to."""

    id: Text
    """The session's id."""

    title: Line | None = None
    """What the session is called."""

    project: Line | None = None
    """The project it works on."""

    started_at: Milliseconds = 0
    """When it began."""

    compactions: Annotated[int, Field(ge=0)] = 0
    """How often its history was compacted."""


class HudState(HudModel):
    """Everything the HUD can show: the fold of a session's events.

    It holds every item, resolved and completed ones too, oldest first; only rendering leaves
    things out.
    """

    session: SessionInfo | None = None
    """The session; None for a state of no session."""

    task: Task | None = None
    """The current task."""

    decisions: tuple[Decision, ...] = ()
    """What was decided."""

    active_files: tuple[ActiveFile, ...] = ()
    """The files in use."""

    next_steps: tuple[Step, ...] = ()
    """The plan, completed steps among it."""

    notes: tuple[Note, ...] = ()
    """What is kept in mind."""

    blockers: tuple[Blocker, ...] = ()
    """What stops or stopped the work."""

    errors: tuple[ErrorRecord, ...] = ()
    """What went wrong."""

    usage: ContextUsage | None = None
    """How full the context is; None before the first reading."""

    readings: tuple[UsageReading, ...] = ()
    """The last readings of the context window, oldest first; the trend is read off them."""

    compacted_context: Text | None = None
    """The summary of the last compaction."""

    updated_at: Milliseconds = 0
    """When its author last changed it: what hosts report, such as files and readings, is not
    counted. 0 when that is not known."""
