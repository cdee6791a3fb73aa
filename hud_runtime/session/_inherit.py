"""What a new session starts with: its project's defaults, and its parent's state.

It is copied into the session's first event, so that the session's own log tells its whole
state. Inherited items are marked in their ids, ``project:n-2``, ``parent:d-7``, and the task by its
origin.
"""

from __future__ import annotations

from typing import TypeVar

from hud_components import HudState, Identified

ItemT = TypeVar("ItemT", bound=Identified)

PROJECT = "project:"
"""Before the ids of items from the project, and of the log that holds a project's defaults."""

PARENT = "parent:"
"""Before the ids of items from the parent session."""


def inherited(project: HudState | None, parent: HudState | None) -> HudState | None:
    """Return what a session starts with, or None for nothing.

    From the project: notes, decisions, and its files as referenced ones. From the parent: its
    task, its decisions, and the blockers that are open.

    >>> from hud_components import Decision
    >>> inherited(None, HudState(decisions=(Decision(id="d-7", summary="Use JWT"),))).decisions
    (Decision(summary='Use JWT', details='', label=None, id='parent:d-7', recorded_at=0),)
    """
    project, parent = project or HudState(), parent or HudState()
    from_parent = marked(PARENT, parent.decisions)
    known = {decision.summary for decision in from_parent}
    from_project = marked(PROJECT, project.decisions)
    state = HudState(
        task=parent.task and parent.task.model_copy(update={"origin": "parent"}),
        decisions=(*(one for one in from_project if one.summary not in known), *from_parent),
        active_files=tuple(
            file.model_copy(update={"status": "referenced"}) for file in project.active_files
        ),
        notes=marked(PROJECT, project.notes),
        blockers=marked(PARENT, tuple(one for one in parent.blockers if not one.resolved)),
    )
    return None if state == HudState() else state


def marked(mark: str, items: tuple[ItemT, ...]) -> tuple[ItemT, ...]:
    """Return the items with a mark before their ids."""
    return tuple(item.model_copy(update={"id": f"{mark}{item.id}"}) for item in items)
