"""The half of the house that is not about rendering: the log of a session, and who writes it.

In: what an agent says through tools, what a host sees, what a transcript tells. Out: events in
an append-only store, the state that they add up to at any turn, and the HUD that shows it.
"""

from hud_runtime._errors import (
    ConcurrencyError,
    EventError,
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreLockedError,
    StoreReadOnlyError,
    StoreVersionError,
    TranscriptError,
    UnknownItemError,
)
from hud_runtime.events import PAYLOADS, Actor, Event, EventDraft, EventType, read_event
from hud_runtime.projection import fold, project
from hud_runtime.session import HudSession, HudStore
from hud_runtime.store import At, Damage, EventStore
from hud_runtime.transcripts import Replay, ToolTable, Transcript, read_transcript, replay

__all__ = [
    "PAYLOADS",
    "Actor",
    "At",
    "ConcurrencyError",
    "Damage",
    "Event",
    "EventDraft",
    "EventError",
    "EventStore",
    "EventType",
    "HudSession",
    "HudStore",
    "Replay",
    "StoreDamagedError",
    "StoreError",
    "StoreFullError",
    "StoreLockedError",
    "StoreReadOnlyError",
    "StoreVersionError",
    "ToolTable",
    "Transcript",
    "TranscriptError",
    "UnknownItemError",
    "fold",
    "project",
    "read_event",
    "read_transcript",
    "replay",
]
