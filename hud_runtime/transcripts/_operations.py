"""The operations of the agent's own HUD tool, as events."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from hud_runtime.events import EventType

OPERATIONS: Mapping[str, EventType | None] = MappingProxyType(
    {
        "task.get": None,
        "task.set": "task.set",
        "task.update": "task.update",
        "task.clear": "task.clear",
        "decisions.list": None,
        "decisions.record": "decision.record",
        "decisions.update": "decision.update",
        "decisions.remove": "decision.remove",
        "notes.list": None,
        "notes.add": "note.add",
        "notes.update": "note.update",
        "notes.remove": "note.remove",
        "steps.list": None,
        "steps.add": "step.add",
        "steps.update": "step.update",
        "steps.complete": "step.complete",
        "steps.remove": "step.remove",
        "steps.reorder": "step.reorder",
        "blockers.list": None,
        "blockers.add": "blocker.add",
        "blockers.update": "blocker.update",
        "blockers.resolve": "blocker.resolve",
        "blockers.remove": "blocker.remove",
        "errors.list": None,
        "errors.add": "error.encountered",
        "errors.resolve": "error.resolved",
        "files.close": "file.close",
        "title": "session.title",
        "clear": "section.clear",
        "snapshot": None,
        "history": None,
        "search": None,
        "help": None,
    }
)
"""By the operation's name; None where it only reads."""
