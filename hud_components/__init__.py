"""The HUD's vocabulary: the facts an agent keeps, and the components that show them."""

from hud_components._coding import CODING, HudState
from hud_components._levels import (
    THRESHOLDS,
    Level,
    Threshold,
    density_for,
    level_for,
    threshold_for,
)
from hud_components._models import (
    Actor,
    ContextUsage,
    HudItem,
    HudModel,
    Kept,
    Line,
    Milliseconds,
    Origin,
    SessionInfo,
    Sourced,
    Text,
    Trend,
    UsageReading,
)
from hud_components.declaring._domain import Domain
from hud_components.declaring._form import Form
from hud_components.declaring._items_section import ItemsSection
from hud_components.declaring._lines import Wording
from hud_components.declaring._section import HudSection
from hud_components.declaring._state import State
from hud_components.declaring._value_section import ValueSection
from hud_components.declaring._view import View
from hud_components.folding import (
    VERBS,
    Add,
    Append,
    Clear,
    Mark,
    Moment,
    Payload,
    Remove,
    Reorder,
    Replace,
    Set,
    Target,
    Update,
    Verb,
    timestamp,
)
from hud_components.layout._as_shown import as_shown
from hud_components.layout._budgets import BUDGETS, budget_for
from hud_components.layout._check import check_layout, layout_vocabulary
from hud_components.layout._compact import Compact
from hud_components.layout._each import Each
from hud_components.layout._hud import Hud
from hud_components.layout._labelled import Label, Labelled
from hud_components.layout._order import LayoutWarning
from hud_components.layout._parse import SECTIONS, parse
from hud_components.layout._paths import BindingError
from hud_components.layout._value import Value
from hud_components.layout._when import When
from hud_components.sections._active_files import ActiveFile, ActiveFiles, FileDraft, FileStatus
from hud_components.sections._blockers_list import Blocker, BlockerDraft, BlockersList
from hud_components.sections._checks_list import Check, CheckDraft, ChecksList, Outcome
from hud_components.sections._compacted_context import CompactedContext
from hud_components.sections._context_bar import ContextBar
from hud_components.sections._decisions_list import Decision, DecisionDraft, DecisionsList
from hud_components.sections._errors_list import ErrorDraft, ErrorRecord, ErrorsList
from hud_components.sections._facts_list import Fact, FactDraft, FactsList
from hud_components.sections._hints import Hint, Hints
from hud_components.sections._next_steps import NextSteps, Step, StepDraft
from hud_components.sections._notes_section import Note, NoteDraft, NotesSection
from hud_components.sections._session_line import SessionLine
from hud_components.sections._stale_notice import StaleNotice
from hud_components.sections._status_line import StatusLine, Tally
from hud_components.sections._task_section import Task, TaskDraft, TaskSection
from hud_components.sections._warning_banner import WarningBanner
from hud_components.words._age import Now
from hud_components.words._check_texts import check_texts
from hud_components.words._plurals import PLURALS
from hud_components.words._texts import NO_EMOJI, TEXTS, TextError

__all__ = [
    "BUDGETS",
    "CODING",
    "NO_EMOJI",
    "PLURALS",
    "SECTIONS",
    "TEXTS",
    "THRESHOLDS",
    "VERBS",
    "ActiveFile",
    "ActiveFiles",
    "Actor",
    "Add",
    "Append",
    "BindingError",
    "Blocker",
    "BlockerDraft",
    "BlockersList",
    "Check",
    "CheckDraft",
    "ChecksList",
    "Clear",
    "Compact",
    "CompactedContext",
    "ContextBar",
    "ContextUsage",
    "Decision",
    "DecisionDraft",
    "DecisionsList",
    "Domain",
    "Each",
    "ErrorDraft",
    "ErrorRecord",
    "ErrorsList",
    "Fact",
    "FactDraft",
    "FactsList",
    "FileDraft",
    "FileStatus",
    "Form",
    "Hint",
    "Hints",
    "Hud",
    "HudItem",
    "HudModel",
    "HudSection",
    "HudState",
    "ItemsSection",
    "Kept",
    "Label",
    "Labelled",
    "LayoutWarning",
    "Level",
    "Line",
    "Mark",
    "Milliseconds",
    "Moment",
    "NextSteps",
    "Note",
    "NoteDraft",
    "NotesSection",
    "Now",
    "Origin",
    "Outcome",
    "Payload",
    "Remove",
    "Reorder",
    "Replace",
    "SessionInfo",
    "SessionLine",
    "Set",
    "Sourced",
    "StaleNotice",
    "State",
    "StatusLine",
    "Step",
    "StepDraft",
    "Tally",
    "Target",
    "Task",
    "TaskDraft",
    "TaskSection",
    "Text",
    "TextError",
    "Threshold",
    "Trend",
    "Update",
    "UsageReading",
    "Value",
    "ValueSection",
    "Verb",
    "View",
    "WarningBanner",
    "When",
    "Wording",
    "as_shown",
    "budget_for",
    "check_layout",
    "check_texts",
    "density_for",
    "layout_vocabulary",
    "level_for",
    "parse",
    "threshold_for",
    "timestamp",
]
