"""What events say of a section of the HUD as a whole."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import model_validator

from hud_components import FileDraft, FileStatus
from hud_runtime.events._about_items import (
    BlockerAdd,
    DecisionRecord,
    ErrorEncountered,
    NoteAdd,
    StepAdd,
)
from hud_runtime.events._payload import Payload

SectionName: TypeAlias = Literal[
    "task", "decisions", "active_files", "next_steps", "notes", "blockers", "errors"
]
"""A section of the HUD, by its field in the state."""

LISTS: tuple[SectionName, ...] = (
    "decisions", "active_files", "next_steps", "notes", "blockers", "errors",
)  # fmt: skip
"""The sections that hold several items."""


class SectionClear(Payload):
    """A section is emptied."""

    section: SectionName | None = None
    """The section; all of them where none is named."""


class FileKept(Payload, FileDraft):
    """A file in a replaced section."""

    status: FileStatus = "reading"
    """What the agent does with it."""


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
