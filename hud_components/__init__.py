"""The HUD's vocabulary: the facts an agent keeps, and the components that show them."""

from hud_components._levels import (
    THRESHOLDS,
    Level,
    Threshold,
    density_for,
    level_for,
    threshold_for,
)
from hud_components._models import (
    ActiveFile,
    Blocker,
    BlockerDraft,
    ContextUsage,
    Decision,
    DecisionDraft,
    ErrorDraft,
    ErrorRecord,
    FileDraft,
    FileStatus,
    HudModel,
    HudState,
    Identified,
    Line,
    Milliseconds,
    Note,
    NoteDraft,
    Origin,
    SessionInfo,
    Step,
    StepDraft,
    Task,
    TaskDraft,
    Text,
    Trend,
    UsageReading,
)
from hud_components.declaring._form import Form
from hud_components.declaring._items_section import ItemsSection
from hud_components.declaring._section import HudSection
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
from hud_components.sections._active_files import ActiveFiles
from hud_components.sections._blockers_list import BlockersList
from hud_components.sections._compacted_context import CompactedContext
from hud_components.sections._context_bar import ContextBar
from hud_components.sections._decisions_list import DecisionsList
from hud_components.sections._errors_list import ErrorsList
from hud_components.sections._hints import Hint, Hints
from hud_components.sections._next_steps import NextSteps
from hud_components.sections._notes_section import NotesSection
from hud_components.sections._session_line import SessionLine
from hud_components.sections._stale_notice import StaleNotice
from hud_components.sections._status_line import StatusLine, Tally
from hud_components.sections._task_section import TaskSection
from hud_components.sections._warning_banner import WarningBanner
from hud_components.words._age import Now
from hud_components.words._check_texts import check_texts
from hud_components.words._plurals import PLURALS
from hud_components.words._texts import NO_EMOJI, TEXTS, TextError

__all__ = [
    "BUDGETS",
    "NO_EMOJI",
    "PLURALS",
    "SECTIONS",
    "TEXTS",
    "THRESHOLDS",
    "ActiveFile",
    "ActiveFiles",
    "BindingError",
    "Blocker",
    "BlockerDraft",
    "BlockersList",
    "Compact",
    "CompactedContext",
    "ContextBar",
    "ContextUsage",
    "Decision",
    "DecisionDraft",
    "DecisionsList",
    "Each",
    "ErrorDraft",
    "ErrorRecord",
    "ErrorsList",
    "FileDraft",
    "FileStatus",
    "Form",
    "Hint",
    "Hints",
    "Hud",
    "HudModel",
    "HudSection",
    "HudState",
    "Identified",
    "ItemsSection",
    "Label",
    "Labelled",
    "LayoutWarning",
    "Level",
    "Line",
    "Milliseconds",
    "NextSteps",
    "Note",
    "NoteDraft",
    "NotesSection",
    "Now",
    "Origin",
    "SessionInfo",
    "SessionLine",
    "StaleNotice",
    "StatusLine",
    "Step",
    "StepDraft",
    "Tally",
    "Task",
    "TaskDraft",
    "TaskSection",
    "Text",
    "TextError",
    "Threshold",
    "Trend",
    "UsageReading",
    "Value",
    "WarningBanner",
    "When",
    "as_shown",
    "budget_for",
    "check_layout",
    "check_texts",
    "density_for",
    "layout_vocabulary",
    "level_for",
    "parse",
    "threshold_for",
]
