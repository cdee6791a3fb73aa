"""What events do to the session itself: its start and name, its task, its context window."""

from __future__ import annotations

from hud_components import ContextUsage, HudState, SessionInfo, Task, TaskDraft, UsageReading
from hud_runtime.events import (
    CompactAfter,
    CompactBefore,
    ContextSnapshot,
    Event,
    SessionStart,
    SessionTitle,
    TaskClear,
)
from hud_runtime.projection._edits import with_indexes, with_sections, with_values
from hud_runtime.projection._trend import READINGS, trend


def session_start(_state: HudState, event: Event, start: SessionStart) -> HudState:
    """The session begins with what it inherits, and nothing else."""
    info = SessionInfo(
        id=event.session_id,
        title=start.title,
        project=start.project,
        started_at=event.timestamp,
    )
    return with_sections(with_indexes(start.inherited or HudState()), session=info)


def session_title(state: HudState, event: Event, named: SessionTitle) -> HudState:
    """The session gets a name."""
    info = state.session or SessionInfo(id=event.session_id, started_at=event.timestamp)
    return with_sections(state, session=with_values(info, title=named.title))


def task_set(state: HudState, event: Event, draft: TaskDraft) -> HudState:
    """The task is this, as of now; the same words again change nothing but whose task it is."""
    known = state.task
    if known is not None and known.description == draft.description and known.origin is None:
        return state
    task = Task(description=draft.description, updated_at=event.timestamp)
    return with_sections(state, task=task)


def task_clear(state: HudState, _event: Event, _cleared: TaskClear) -> HudState:
    """There is no task."""
    return with_sections(state, task=None)


def context_snapshot(state: HudState, _event: Event, taken: ContextSnapshot) -> HudState:
    """The newest reading counts, the last few give the trend."""
    reading = UsageReading(used=taken.used, limit=taken.limit, model=taken.model)
    readings = (*state.readings, reading)[-READINGS:]
    usage = ContextUsage(
        used=reading.used, limit=reading.limit, model=reading.model, trend=trend(readings)
    )
    return with_sections(state, usage=usage, readings=readings)


def compact_before(state: HudState, _event: Event, _before: CompactBefore) -> HudState:
    """Nothing changes: that is the point of the state."""
    return state


def compact_after(state: HudState, event: Event, after: CompactAfter) -> HudState:
    """The summary is kept, the compaction counted; what was measured before holds no more."""
    info = state.session or SessionInfo(id=event.session_id, started_at=event.timestamp)
    return with_sections(
        state,
        session=with_values(info, compactions=info.compactions + 1),
        compacted_context=after.summary or state.compacted_context,
        usage=None,
        readings=(),
    )
