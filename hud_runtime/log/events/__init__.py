"""Events: the record of a session, as data.

In: a type and a dictionary. Out: a frozen :class:`Event` with a validated payload. The sections of the
session's domain define the types.
"""

from typing import TYPE_CHECKING

from hud_components.declaring import Actor as Actor
from hud_components.folding import LARGEST as LARGEST
from hud_components.folding import ItemChange as ItemChange
from hud_components.folding import New as New
from hud_components.folding import Payload as Payload
from hud_runtime.log.events._event import AS_RECORDED as AS_RECORDED
from hud_runtime.log.events._event import PAYLOADS as PAYLOADS
from hud_runtime.log.events._event import Event as Event
from hud_runtime.log.events._event import EventCatalog as EventCatalog
from hud_runtime.log.events._event import EventDraft as EventDraft
from hud_runtime.log.events._event import EventType as EventType
from hud_runtime.log.events._event import SessionStart as SessionStart
from hud_runtime.log.events._event import Stored as Stored
from hud_runtime.log.events._event import ValidatedFields as ValidatedFields
from hud_runtime.log.events._event import catalog_of as catalog_of
from hud_runtime.log.events._event import check_size as check_size
from hud_runtime.log.events._event import draft_of as draft_of
from hud_runtime.log.events._event import explain as explain
from hud_runtime.log.events._event import not_drafts as not_drafts
from hud_runtime.log.events._event import read_event as read_event
from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.log.events._about import CompactAfter as CompactAfter
    from hud_runtime.log.events._about import CompactBefore as CompactBefore
    from hud_runtime.log.events._about import CompactFailed as CompactFailed
    from hud_runtime.log.events._about import CompactionTrigger as CompactionTrigger
    from hud_runtime.log.events._about import ContextIntervention as ContextIntervention
    from hud_runtime.log.events._about import ContextSnapshot as ContextSnapshot
    from hud_runtime.log.events._about import EventErase as EventErase
    from hud_runtime.log.events._about import LayoutReset as LayoutReset
    from hud_runtime.log.events._about import LayoutSet as LayoutSet
    from hud_runtime.log.events._about import SectionClear as SectionClear
    from hud_runtime.log.events._about import SectionFold as SectionFold
    from hud_runtime.log.events._about import SectionPin as SectionPin
    from hud_runtime.log.events._about import SectionReplace as SectionReplace
    from hud_runtime.log.events._about import SectionReset as SectionReset
    from hud_runtime.log.events._about import SessionDomain as SessionDomain
    from hud_runtime.log.events._about import SessionLook as SessionLook
    from hud_runtime.log.events._about import SessionTitle as SessionTitle

on_demand(globals())
