"""The operations of the agent's own HUD tool, as events."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from hud_components import CODING
from hud_runtime.events import EventType
from hud_runtime.tools._operations import hud_toolset
from hud_runtime.tools._standing import ANSWERS

_FORMER: Mapping[str, EventType | None] = MappingProxyType(
    {"title": "session.title", "clear": "section.clear", "section.clear": "section.clear"}
)
"""Operations that the tool no longer has, and transcripts may."""

OPERATIONS: Mapping[str, EventType | None] = MappingProxyType(
    {
        **{
            name: CODING.operations[name].type if name in CODING.operations else None
            for name in hud_toolset(None, layouts=True).operations
        },
        "layout.set": "layout.set",
        "layout.reset": "layout.reset",
        **{name: name for name in ANSWERS},
        **_FORMER,
    }
)
"""By the operation's name; None where it only reads."""
