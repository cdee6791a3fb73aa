"""An event before the store has taken it: no id, no version, perhaps no time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hud_components import Actor
from hud_runtime.events._types import EventType


@dataclass(frozen=True, slots=True)
class EventDraft:
    """What :meth:`HudSession.record` takes, as a value.

    >>> EventDraft("note.add", {"content": "Port 8080"}).actor
    'agent'
    """

    type: EventType
    """What kind of thing happened."""

    payload: Mapping[str, object]
    """What exactly; checked against the type's model when it is recorded."""

    turn: int | None = None
    """The agent's turn; None means that of the event before."""

    timestamp: int | None = None
    """When, in milliseconds since the epoch; None means when it is recorded."""

    actor: Actor = "agent"
    """Who says it."""
