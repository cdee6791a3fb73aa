"""The HUD's vocabulary: the facts an agent keeps, and the components that show them.

Names are imported on first use: the declaration of a section loads none of the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_components._coding import CODING as CODING
    from hud_components._coding import CodingEvent as CodingEvent
    from hud_components._coding import HudState as HudState
    from hud_components._models import ContextUsage as ContextUsage
    from hud_components._models import HudItem as HudItem
    from hud_components._models import HudValue as HudValue
    from hud_components._models import Kept as Kept
    from hud_components._models import Line as Line
    from hud_components._models import Look as Look
    from hud_components._models import SessionInfo as SessionInfo
    from hud_components._models import Text as Text
    from hud_components._models import Trend as Trend
    from hud_components._models import Unreadable as Unreadable
    from hud_components._models import UsageReading as UsageReading
    from hud_components.declaring._domain import Domain as Domain
    from hud_components.declaring._domain import FactEvent as FactEvent
    from hud_components.declaring._form import Form as Form
    from hud_components.declaring._items_section import ItemsSection as ItemsSection
    from hud_components.declaring._lines import Wording as Wording
    from hud_components.declaring._section import UNSET as UNSET
    from hud_components.declaring._section import HudSection as HudSection
    from hud_components.declaring._section import ItemsProp as ItemsProp
    from hud_components.declaring._state import State as State
    from hud_components.declaring._table_section import TableSection as TableSection
    from hud_components.declaring._value_section import ValueSection as ValueSection
    from hud_components.declaring._value_section import View as View
    from hud_components.folding import Moment as Moment
    from hud_components.folding import Payload as Payload
    from hud_components.folding import Target as Target
    from hud_components.folding import Verb as Verb
    from hud_components.layout._documents import Each as Each
    from hud_components.layout._documents import Value as Value
    from hud_components.layout._documents import When as When
    from hud_components.layout._documents import added_sections as added_sections
    from hud_components.layout._documents import agent_layout_of_data as agent_layout_of_data
    from hud_components.layout._documents import agent_vocabulary as agent_vocabulary
    from hud_components.layout._documents import check_agent_layout as check_agent_layout
    from hud_components.layout._documents import check_ceiling as check_ceiling
    from hud_components.layout._documents import check_layout as check_layout
    from hud_components.layout._documents import layout_vocabulary as layout_vocabulary
    from hud_components.layout._documents import read_agent_layout as read_agent_layout
    from hud_components.layout._documents import within_ceiling as within_ceiling
    from hud_components.layout._hud import BUDGETS as BUDGETS
    from hud_components.layout._hud import Budget as Budget
    from hud_components.layout._hud import Hud as Hud
    from hud_components.layout._hud import Room as Room
    from hud_components.layout._hud import room_for as room_for
    from hud_components.layout._notices import PressureNotice as PressureNotice
    from hud_components.layout._notices import StatusLine as StatusLine
    from hud_components.layout._notices import Tally as Tally
    from hud_components.layout._notices import UnreadableNotice as UnreadableNotice
    from hud_components.layout._parse import NO_EMOJI as NO_EMOJI
    from hud_components.layout._parse import SECTIONS as SECTIONS
    from hud_components.layout._parse import TEXTS as TEXTS
    from hud_components.layout._parse import Compact as Compact
    from hud_components.layout._parse import Labelled as Labelled
    from hud_components.layout._parse import as_shown as as_shown
    from hud_components.layout._parse import check_texts as check_texts
    from hud_components.layout._parse import parse as parse
    from hud_components.levels import THRESHOLDS as THRESHOLDS
    from hud_components.levels import density_for as density_for
    from hud_components.levels import is_above as is_above
    from hud_components.levels import level_for as level_for
    from hud_components.levels import threshold_for as threshold_for
    from hud_components.sections._about_session import Hints as Hints
    from hud_components.sections._about_session import SessionLine as SessionLine
    from hud_components.sections._about_session import StaleNotice as StaleNotice
    from hud_components.sections._active_files import ActiveFile as ActiveFile
    from hud_components.sections._active_files import ActiveFiles as ActiveFiles
    from hud_components.sections._checks_list import Check as Check
    from hud_components.sections._checks_list import ChecksList as ChecksList
    from hud_components.sections._compacted_context import CompactedContext as CompactedContext
    from hud_components.sections._context_bar import ContextBar as ContextBar
    from hud_components.sections._context_bar import WarningBanner as WarningBanner
    from hud_components.sections._next_steps import NextSteps as NextSteps
    from hud_components.sections._next_steps import Step as Step
    from hud_components.sections._plain_lists import Blocker as Blocker
    from hud_components.sections._plain_lists import BlockersList as BlockersList
    from hud_components.sections._plain_lists import Decision as Decision
    from hud_components.sections._plain_lists import DecisionDraft as DecisionDraft
    from hud_components.sections._plain_lists import DecisionsList as DecisionsList
    from hud_components.sections._plain_lists import ErrorRecord as ErrorRecord
    from hud_components.sections._plain_lists import ErrorsList as ErrorsList
    from hud_components.sections._plain_lists import Fact as Fact
    from hud_components.sections._plain_lists import FactsList as FactsList
    from hud_components.sections._plain_lists import Note as Note
    from hud_components.sections._plain_lists import NoteDraft as NoteDraft
    from hud_components.sections._plain_lists import NotesSection as NotesSection
    from hud_components.sections._plain_lists import RulesList as RulesList
    from hud_components.sections._plain_lists import StandingRule as StandingRule
    from hud_components.sections._task_section import Task as Task
    from hud_components.sections._task_section import TaskSection as TaskSection
    from hud_components.sections._where_we_are import Utterance as Utterance
    from hud_components.sections._where_we_are import WhereWeAre as WhereWeAre
    from hud_components.words._texts import Label as Label
    from ujsx.components._context import Now as Now

on_demand(globals())
__all__ = [
    "CODING",
    "NO_EMOJI",
    "TEXTS",
    "UNSET",
    "ActiveFile",
    "ActiveFiles",
    "Blocker",
    "BlockersList",
    "ChecksList",
    "Compact",
    "CompactedContext",
    "ContextBar",
    "ContextUsage",
    "Decision",
    "DecisionsList",
    "Domain",
    "Each",
    "ErrorRecord",
    "ErrorsList",
    "FactsList",
    "Hints",
    "Hud",
    "HudItem",
    "HudSection",
    "HudState",
    "HudValue",
    "ItemsProp",
    "ItemsSection",
    "Kept",
    "Labelled",
    "Line",
    "Moment",
    "NextSteps",
    "Note",
    "NotesSection",
    "Now",
    "RulesList",
    "SessionInfo",
    "SessionLine",
    "StaleNotice",
    "State",
    "StatusLine",
    "Step",
    "TableSection",
    "Target",
    "Task",
    "TaskSection",
    "Text",
    "Value",
    "ValueSection",
    "Verb",
    "View",
    "WarningBanner",
    "When",
    "WhereWeAre",
    "Wording",
    "as_shown",
    "check_layout",
    "check_texts",
    "density_for",
    "parse",
]
