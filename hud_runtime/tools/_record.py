"""Operations that record an event: a table, and what they answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import cast

from pydantic import BaseModel

from hud_components import (
    BlockerDraft,
    DecisionDraft,
    ErrorDraft,
    FileDraft,
    HudState,
    NoteDraft,
    StepDraft,
)
from hud_components.words import cut, line
from hud_runtime._errors import EventError
from hud_runtime.events import (
    PAYLOADS,
    BlockerUpdate,
    DecisionUpdate,
    EventType,
    New,
    NoteUpdate,
    StepReorder,
    StepUpdate,
    Target,
    parse_payload,
)
from hud_runtime.projection import duplicate, kind_of
from hud_runtime.projection._index import carrying
from hud_runtime.tools._arguments import Nothing, Section, TaskWords
from hud_runtime.tools._lists import written
from hud_runtime.tools._session import SessionLike
from ujsx.elements import code


@dataclass(frozen=True, slots=True)
class Recording:
    """An operation that records: which event, with which arguments, and the answer."""

    event: EventType
    """The event; its payload is the arguments."""

    arguments: type[BaseModel]
    """The draft that an author fills in, or the event's own payload."""

    help: str
    """What it is for, in a few words."""

    answer: str
    """What is said when it is done; ``{id}`` is the item's id or the file's path."""

    rare: bool = False
    """Whether the router's schema leaves it to ``help``."""


RECORDINGS: Mapping[str, Recording] = MappingProxyType(
    {
        "task.set": Recording("task.set", TaskWords, "a new task", "Task set."),
        "task.update": Recording("task.update", TaskWords, "its wording", "Task updated."),
        "task.clear": Recording("task.clear", Nothing, "it", "Task cleared."),
        "decisions.record": Recording(
            "decision.record", DecisionDraft, "what later work relies on", "Recorded {id}."
        ),
        "decisions.update": Recording(
            "decision.update", DecisionUpdate, "its wording", "Updated {id}.", rare=True
        ),
        "decisions.remove": Recording(
            "decision.remove", Target, "one that no longer holds", "Removed {id}."
        ),
        "notes.add": Recording("note.add", NoteDraft, "what to keep in mind", "Added {id}."),
        "notes.update": Recording("note.update", NoteUpdate, "its wording", "Updated {id}."),
        "notes.remove": Recording("note.remove", Target, "one", "Removed {id}."),
        "steps.add": Recording("step.add", StepDraft, "at the end of the plan", "Added {id}."),
        "steps.complete": Recording("step.complete", Target, "one", "Completed {id}."),
        "steps.update": Recording(
            "step.update", StepUpdate, "its wording, or reopen it", "Updated {id}.", rare=True
        ),
        "steps.remove": Recording("step.remove", Target, "one", "Removed {id}."),
        "steps.reorder": Recording("step.reorder", StepReorder, "these first", "Reordered."),
        "blockers.add": Recording("blocker.add", BlockerDraft, "what stops you", "Added {id}."),
        "blockers.resolve": Recording("blocker.resolve", Target, "one", "Resolved {id}."),
        "blockers.update": Recording(
            "blocker.update", BlockerUpdate, "its wording", "Updated {id}.", rare=True
        ),
        "blockers.remove": Recording(
            "blocker.remove", Target, "one noted by mistake", "Removed {id}."
        ),
        "files.open": Recording("file.open", FileDraft, "one you read", "Open: {id}.", rare=True),
        "files.edit": Recording(
            "file.edit", FileDraft, "one you change", "Editing: {id}.", rare=True
        ),
        "files.close": Recording(
            "file.close", FileDraft, "one you are done with", "Closed: {id}.", rare=True
        ),
        "errors.add": Recording(
            "error.encountered", ErrorDraft, "what went wrong", "Added {id}.", rare=True
        ),
        "errors.resolve": Recording("error.resolved", Target, "one", "Resolved {id}."),
        "section.clear": Recording(
            "section.clear", Section, "a whole section", "Cleared {id}.", rare=True
        ),
    }
)
"""The operations that record, by name, in the order in which a model reads them."""


def record(session: SessionLike, recording: Recording, arguments: BaseModel) -> str:
    """Record what was asked for, and say what changed; what is known already is not recorded."""
    before = session.state()
    # Null says "as it was": a schema in which every argument is required has no other way to say it.
    given = arguments.model_dump(exclude_unset=True, exclude_none=True)
    try:
        known = _known(before, recording.event, given)
        if known is not None:
            return f"Known already: {_inert(known)}."
        event = session.record(recording.event, **given)
    except EventError as error:
        # A model knows operations; the events behind them are ours.
        raise type(error)(error.message.removeprefix(f"{recording.event}: ")) from error
    if session.state() is before:
        return "Nothing changed."
    if event.type == "task.clear":
        return RECORDINGS["task.clear"].answer  # whichever operation took its words away
    named = (getattr(event.payload, key, None) for key in _NAMES)
    return recording.answer.format(id=_inert(next(filter(None, named), "")))


_NAMES = ("id", "path", "section")
"""Fields of payloads that say what an event is about."""


def _inert(name: str) -> str:
    """An id or a path as an answer shows it: whatever is in it, it stays in its place."""
    short = cut(name, LONGEST_NAME)
    return short if _PLAIN.fullmatch(short) else written(code(line(short)))


LONGEST_NAME = 400
"""Characters of an id or a path that an answer repeats; a path that is used is seldom longer."""

_PLAIN = re.compile(r"[\w./:-]*")


def _known(state: HudState, event: EventType, given: dict[str, object]) -> str | None:
    """Return the id of the item that says all that a new one would say."""
    kind = kind_of(event)
    if kind is None or not issubclass(PAYLOADS[event], New):
        return None
    new = parse_payload(event, given)
    items = kind.items(state)
    index = kind.index(items)
    same = duplicate(kind, index, cast("New", new))
    carrying(index, items)
    return None if same is None else same.id
