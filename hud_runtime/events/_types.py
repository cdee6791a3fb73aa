"""The types of events that every session has, and those of the coding HUD, for editors."""

from __future__ import annotations

from typing import Literal, TypeAlias

CodingEvent: TypeAlias = Literal[
    "session.start", "session.title",
    "task.set", "task.update", "task.goal", "task.clear",
    "decision.record", "decision.update", "decision.remove",
    "note.add", "note.update", "note.remove",
    "file.open", "file.edit", "file.close",
    "step.add", "step.update", "step.complete", "step.remove", "step.reorder",
    "error.encountered", "error.resolved",
    "blocker.add", "blocker.update", "blocker.resolve", "blocker.remove",
    "check.result", "fact.set",
    "section.clear", "section.replace",
    "context.snapshot",
    "compact.before", "compact.after",
    "layout.set", "layout.reset",
]  # fmt: skip
"""The types of a coding session's events, which editors complete."""

EventType: TypeAlias = CodingEvent | str
"""The type of an event: what a domain's sections declare, and what every session has."""
