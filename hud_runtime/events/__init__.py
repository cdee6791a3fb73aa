"""Events: what can happen in a session, as data.

In: a type and a dictionary. Out: a frozen :class:`Event` whose payload has been validated. What can
happen follows from the sections of the session's domain.
"""

from typing import TYPE_CHECKING

from hud_components import Actor
from hud_components.folding import LARGEST, ItemChange, New, Payload, Target
from hud_runtime.events._about_session import SessionStart
from hud_runtime.events._catalog import (
    AS_RECORDED,
    PAYLOADS,
    EventCatalog,
    catalog_of,
    event_adapter,
    event_model,
    known_type,
    parse_payload,
    read_event,
)
from hud_runtime.events._event import (
    Event,
    EventDraft,
    EventType,
    Stored,
    Validated,
    check_size,
    draft_of,
    explain,
    not_drafts,
)
from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.events._about import (
        CompactAfter,
        CompactBefore,
        CompactFailed,
        CompactionTrigger,
        ContextIntervention,
        ContextSnapshot,
        EventErase,
        FileDiff,
        LayoutReset,
        LayoutSet,
        SectionClear,
        SectionFold,
        SectionPin,
        SectionReplace,
        SectionReset,
        SessionDomain,
        SessionLook,
        SessionTitle,
    )

__all__ = [
    "AS_RECORDED",
    "LARGEST",
    "PAYLOADS",
    "Actor",
    "CompactAfter",
    "CompactBefore",
    "CompactFailed",
    "CompactionTrigger",
    "ContextIntervention",
    "ContextSnapshot",
    "Event",
    "EventCatalog",
    "EventDraft",
    "EventErase",
    "EventType",
    "FileDiff",
    "ItemChange",
    "LayoutReset",
    "LayoutSet",
    "New",
    "Payload",
    "SectionClear",
    "SectionFold",
    "SectionPin",
    "SectionReplace",
    "SectionReset",
    "SessionDomain",
    "SessionLook",
    "SessionStart",
    "SessionTitle",
    "Stored",
    "Target",
    "Validated",
    "catalog_of",
    "check_size",
    "draft_of",
    "event_adapter",
    "event_model",
    "explain",
    "known_type",
    "not_drafts",
    "parse_payload",
    "read_event",
]

on_demand(
    globals(),
    {
        "_about": (
            "CompactAfter",
            "CompactBefore",
            "CompactFailed",
            "CompactionTrigger",
            "ContextIntervention",
            "ContextSnapshot",
            "EventErase",
            "FileDiff",
            "LayoutReset",
            "LayoutSet",
            "SectionClear",
            "SectionFold",
            "SectionPin",
            "SectionReplace",
            "SectionReset",
            "SessionDomain",
            "SessionLook",
            "SessionTitle",
        )
    },
)
"""The models of what is seldom said."""
