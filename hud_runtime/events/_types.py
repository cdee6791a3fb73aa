"""The types of events, each with the model of its payload: the one table of what can happen."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias

from hud_runtime.events import _about_files as files
from hud_runtime.events import _about_items as items
from hud_runtime.events import _about_sections as sections
from hud_runtime.events import _about_session as session
from hud_runtime.events._payload import Payload

EventType: TypeAlias = Literal[
    "session.start", "session.title",
    "task.set", "task.update", "task.clear",
    "decision.record", "decision.update", "decision.remove",
    "note.add", "note.update", "note.remove",
    "file.open", "file.edit", "file.close",
    "step.add", "step.update", "step.complete", "step.remove", "step.reorder",
    "error.encountered", "error.resolved",
    "blocker.add", "blocker.update", "blocker.resolve", "blocker.remove",
    "section.clear", "section.replace",
    "context.snapshot",
    "compact.before", "compact.after",
]  # fmt: skip
"""Every type of event, for type checkers and editors."""

Actor: TypeAlias = Literal["agent", "user", "tool", "host"]
"""Who says it: the agent, its user, a tool whose effect was seen, or the program around them."""

PAYLOADS: Mapping[EventType, type[Payload]] = MappingProxyType(
    {
        "session.start": session.SessionStart,
        "session.title": session.SessionTitle,
        "task.set": items.TaskSet,
        "task.update": items.TaskUpdate,
        "task.clear": items.TaskClear,
        "decision.record": items.DecisionRecord,
        "decision.update": items.DecisionUpdate,
        "decision.remove": items.DecisionRemove,
        "note.add": items.NoteAdd,
        "note.update": items.NoteUpdate,
        "note.remove": items.NoteRemove,
        "file.open": files.FileOpen,
        "file.edit": files.FileEdit,
        "file.close": files.FileClose,
        "step.add": items.StepAdd,
        "step.update": items.StepUpdate,
        "step.complete": items.StepComplete,
        "step.remove": items.StepRemove,
        "step.reorder": items.StepReorder,
        "error.encountered": items.ErrorEncountered,
        "error.resolved": items.ErrorResolved,
        "blocker.add": items.BlockerAdd,
        "blocker.update": items.BlockerUpdate,
        "blocker.resolve": items.BlockerResolve,
        "blocker.remove": items.BlockerRemove,
        "section.clear": sections.SectionClear,
        "section.replace": sections.SectionReplace,
        "context.snapshot": session.ContextSnapshot,
        "compact.before": session.CompactBefore,
        "compact.after": session.CompactAfter,
    }
)
