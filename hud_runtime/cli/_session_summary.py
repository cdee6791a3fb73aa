"""What a session is, in a few values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hud_runtime.cli._stored import Stored
    from hud_runtime.events import SessionStart


DATA = (
    "session", "title", "task", "project", "parent", "parent_version", "began", "changed", "events",
    "turn", "compactions",
)  # fmt: skip
"""The names of what :func:`summary` returns."""


def summary(stored: Stored, session_id: str) -> dict[str, Any] | None:
    """Return a session as JSON data; times are milliseconds since the epoch.

    ``None`` is for one that somebody has purged since it was looked up.

    :raises StoreError: if its log cannot be read.
    """
    first = next(stored.log.read(session_id, 0, 1), None)
    if first is None:
        return None
    session = stored.opened(session_id)
    state = session.state()
    last = next(stored.log.read(session_id, session.version - 1), first)
    start: SessionStart | Any = first.payload
    info = state.session
    return {
        "session": session_id,
        "title": None if info is None else info.title,
        "task": None if state.task is None else state.task.description,
        "project": start.project,
        "parent": start.parent,
        "parent_version": start.parent_version,
        "began": first.timestamp,
        "changed": last.timestamp,
        "events": session.version,
        "turn": session.turn,
        "compactions": 0 if info is None else info.compactions,
    }
