"""The fold: from events to the state of the HUD.

:data:`RULES` has one small function per type of event. All of them are pure: no clock, no
disk, no chance. They cut nothing, and a section that an event does not touch keeps its very
object. An event that names something unknown changes nothing, so that a replay never fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from hud_components import HudState
from hud_runtime.events import Event, EventType
from hud_runtime.projection import _files, _items, _sections, _session, _steps
from hud_runtime.projection._edits import with_sections

Rule: TypeAlias = Callable[[HudState, Event, Any], HudState]
"""What one type of event does: state, event, and the event's payload in, state out."""

PROJECTION_VERSION = 3
"""Raised when the same events would give another state: older snapshots are then not used."""

RULES: Mapping[EventType, Rule] = MappingProxyType(
    {
        "session.start": _session.session_start,
        "session.title": _session.session_title,
        "task.set": _session.task_set,
        "task.update": _session.task_set,
        "task.clear": _session.task_clear,
        "decision.record": _items.decision_record,
        "decision.update": _items.decision_update,
        "decision.remove": _items.decision_remove,
        "note.add": _items.note_add,
        "note.update": _items.note_update,
        "note.remove": _items.note_remove,
        "file.open": _files.file_open,
        "file.edit": _files.file_edit,
        "file.close": _files.file_close,
        "step.add": _steps.step_add,
        "step.update": _steps.step_update,
        "step.complete": _steps.step_complete,
        "step.remove": _steps.step_remove,
        "step.reorder": _steps.step_reorder,
        "error.encountered": _items.error_encountered,
        "error.resolved": _items.error_resolved,
        "blocker.add": _items.blocker_add,
        "blocker.update": _items.blocker_update,
        "blocker.resolve": _items.blocker_resolve,
        "blocker.remove": _items.blocker_remove,
        "section.clear": _sections.section_clear,
        "section.replace": _sections.section_replace,
        "context.snapshot": _session.context_snapshot,
        "compact.before": _session.compact_before,
        "compact.after": _session.compact_after,
    }
)


REPORTED: frozenset[str] = frozenset({"session", "file", "error", "context", "compact"})
"""The kinds of events that hosts report. All others are the author's, and date the state."""


def project(state: HudState, event: Event) -> HudState:
    """Return the state after one more event.

    >>> from hud_runtime.events import read_event
    >>> event = read_event({"id": "1", "session_id": "s", "version": 2, "turn": 1,
    ...     "timestamp": 0, "actor": "agent", "type": "note.add",
    ...     "payload": {"content": "Port 8080"}})
    >>> project(HudState(), event).notes
    (Note(content='Port 8080', id='n-2', updated_at=0),)
    """
    after = RULES[event.type](state, event, event.payload)
    if after is state or event.type.partition(".")[0] in REPORTED:
        return after
    return with_sections(after, updated_at=event.timestamp)


def state_of(events: Iterable[Event], state: HudState | None = None) -> HudState:
    """Return the state after all the events, from an empty state or the one given."""
    state = HudState() if state is None else state
    for event in events:
        state = project(state, event)
    return state
