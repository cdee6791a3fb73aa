"""The operations of the agent's own HUD tool, as events."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from hud_runtime.events import EventType
from hud_runtime.tools._operations import hud_toolset
from hud_runtime.tools._record import RECORDINGS

_FORMER: Mapping[str, EventType | None] = MappingProxyType(
    {"title": "session.title", "clear": "section.clear"}
)
"""Operations that the tool no longer has, and transcripts may."""

OPERATIONS: Mapping[str, EventType | None] = MappingProxyType(
    {
        **{
            name: RECORDINGS[name].event if name in RECORDINGS else None
            for name in hud_toolset(None).operations
        },
        **_FORMER,
    }
)
"""By the operation's name; None where it only reads."""
