"""Observations as JSON, for hosts that are not written in Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from hud_runtime._errors import ObservationError
from hud_runtime.integrations._lifecycle import HostObservation, SessionBegan, SessionEnded
from hud_runtime.observation import (
    AgentMessage,
    Background,
    Compacted,
    Compacting,
    ContextUsed,
    Decided,
    Failed,
    FileChanged,
    Found,
    PlanWritten,
    Title,
    ToolCall,
    ToolResult,
    Undone,
    UserMessage,
)
from ujsx.errors import did_you_mean, shown

KINDS: Mapping[str, type[HostObservation]] = {
    "session_began": SessionBegan,
    "session_ended": SessionEnded,
    "user_message": UserMessage,
    "agent_message": AgentMessage,
    "context_used": ContextUsed,
    "tool_call": ToolCall,
    "tool_result": ToolResult,
    "file_changed": FileChanged,
    "plan_written": PlanWritten,
    "decided": Decided,
    "found": Found,
    "failed": Failed,
    "undone": Undone,
    "background": Background,
    "title": Title,
    "compacting": Compacting,
    "compacted": Compacted,
}
"""What a host can tell, by the name that it has in JSON."""


def observation_from(data: object) -> HostObservation:
    """Return the observation that JSON data tells: its ``kind``, and its fields.

    :raises ObservationError: for an unknown kind, or fields that do not fit.

    >>> observation_from({"kind": "user_message", "text": "Add a login."}).text
    'Add a login.'
    """
    given: dict[str, Any] = dict(data) if isinstance(data, Mapping) else {}  # pyright: ignore[reportUnknownArgumentType]
    kind = given.pop("kind", None)
    if kind not in KINDS:
        raise ObservationError(
            f"{shown(kind)} is no kind of observation; {did_you_mean(str(kind), KINDS)}"
        )
    try:
        return msgspec.convert(given, KINDS[kind])
    except msgspec.ValidationError as error:
        raise ObservationError(f"{kind}: {error}") from error
