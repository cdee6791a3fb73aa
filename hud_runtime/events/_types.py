"""The types of events, each with the model of its payload: the one table of what can happen."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias

from hud_runtime.events import _payloads as p

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

PAYLOADS: Mapping[EventType, type[p.Payload]] = MappingProxyType(
    {
        "session.start": p.SessionStart,
        "session.title": p.SessionTitle,
        "task.set": p.TaskSet,
        "task.update": p.TaskUpdate,
        "task.clear": p.TaskClear,
        "decision.record": p.DecisionRecord,
        "decision.update": p.DecisionUpdate,
        "decision.remove": p.DecisionRemove,
        "note.add": p.NoteAdd,
        "note.update": p.NoteUpdate,
        "note.remove": p.NoteRemove,
        "file.open": p.FileOpen,
        "file.edit": p.FileEdit,
        "file.close": p.FileClose,
        "step.add": p.StepAdd,
        "step.update": p.StepUpdate,
        "step.complete": p.StepComplete,
        "step.remove": p.StepRemove,
        "step.reorder": p.StepReorder,
        "error.encountered": p.ErrorEncountered,
        "error.resolved": p.ErrorResolved,
        "blocker.add": p.BlockerAdd,
        "blocker.update": p.BlockerUpdate,
        "blocker.resolve": p.BlockerResolve,
        "blocker.remove": p.BlockerRemove,
        "section.clear": p.SectionClear,
        "section.replace": p.SectionReplace,
        "context.snapshot": p.ContextSnapshot,
        "compact.before": p.CompactBefore,
        "compact.after": p.CompactAfter,
    }
)
