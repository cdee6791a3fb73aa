"""Events: what can happen in a session, as data.

In: a type and a dictionary. Out: a frozen :class:`Event` whose payload has been validated.
"""

from hud_runtime.events._about_files import FileClose, FileEdit, FileOpen
from hud_runtime.events._about_items import (
    BlockerAdd,
    BlockerRemove,
    BlockerResolve,
    BlockerUpdate,
    DecisionRecord,
    DecisionRemove,
    DecisionUpdate,
    ErrorEncountered,
    ErrorResolved,
    NoteAdd,
    NoteRemove,
    NoteUpdate,
    StepAdd,
    StepComplete,
    StepRemove,
    StepReorder,
    StepUpdate,
    TaskClear,
    TaskSet,
    TaskUpdate,
)
from hud_runtime.events._about_sections import (
    LISTS,
    FileKept,
    SectionClear,
    SectionName,
    SectionReplace,
)
from hud_runtime.events._about_session import (
    CompactAfter,
    CompactBefore,
    ContextSnapshot,
    SessionStart,
    SessionTitle,
)
from hud_runtime.events._draft import EventDraft
from hud_runtime.events._event import Event, event_adapter, event_model, read_event
from hud_runtime.events._parse import known_type, parse_payload
from hud_runtime.events._payload import New, Payload, Target, Update
from hud_runtime.events._size import check_size
from hud_runtime.events._types import PAYLOADS, Actor, EventType

__all__ = [
    "LISTS",
    "PAYLOADS",
    "Actor",
    "BlockerAdd",
    "BlockerRemove",
    "BlockerResolve",
    "BlockerUpdate",
    "CompactAfter",
    "CompactBefore",
    "ContextSnapshot",
    "DecisionRecord",
    "DecisionRemove",
    "DecisionUpdate",
    "ErrorEncountered",
    "ErrorResolved",
    "Event",
    "EventDraft",
    "EventType",
    "FileClose",
    "FileEdit",
    "FileKept",
    "FileOpen",
    "New",
    "NoteAdd",
    "NoteRemove",
    "NoteUpdate",
    "Payload",
    "SectionClear",
    "SectionName",
    "SectionReplace",
    "SessionStart",
    "SessionTitle",
    "StepAdd",
    "StepComplete",
    "StepRemove",
    "StepReorder",
    "StepUpdate",
    "Target",
    "TaskClear",
    "TaskSet",
    "TaskUpdate",
    "Update",
    "check_size",
    "event_adapter",
    "event_model",
    "known_type",
    "parse_payload",
    "read_event",
]
