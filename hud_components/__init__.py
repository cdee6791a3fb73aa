"""The HUD's vocabulary: the facts an agent keeps, and the components that show them."""

from hud_components._active_files import ActiveFiles
from hud_components._age import Now
from hud_components._blockers_list import BlockersList
from hud_components._budgets import BUDGETS, budget_for
from hud_components._check_texts import check_texts
from hud_components._compact import Compact
from hud_components._compacted_context import CompactedContext
from hud_components._context_bar import ContextBar
from hud_components._decisions_list import DecisionsList
from hud_components._errors_list import ErrorsList
from hud_components._form import Form
from hud_components._hints import Hint, Hints
from hud_components._hud import Hud
from hud_components._items_section import ItemsSection
from hud_components._labelled import Label, Labelled
from hud_components._levels import (
    THRESHOLDS,
    Level,
    Threshold,
    density_for,
    level_for,
    threshold_for,
)
from hud_components._lift import SECTIONS, lift
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
    Note,
    NoteDraft,
    Origin,
    SessionInfo,
    Step,
    StepDraft,
    Task,
    TaskDraft,
    Trend,
    UsageReading,
)
from hud_components._next_steps import NextSteps
from hud_components._notes_section import NotesSection
from hud_components._order import LayoutWarning
from hud_components._plurals import PLURALS
from hud_components._section import HudSection
from hud_components._session_line import SessionLine
from hud_components._shown import shown
from hud_components._stale_notice import StaleNotice
from hud_components._status_line import StatusLine, Tally
from hud_components._task_section import TaskSection
from hud_components._texts import NO_EMOJI, TEXTS, TextError
from hud_components._warning_banner import WarningBanner

__all__ = [
    "BUDGETS",
    "NO_EMOJI",
    "PLURALS",
    "SECTIONS",
    "TEXTS",
    "THRESHOLDS",
    "ActiveFile",
    "ActiveFiles",
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
    "ItemsSection",
    "Label",
    "Labelled",
    "LayoutWarning",
    "Level",
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
    "TextError",
    "Threshold",
    "Trend",
    "UsageReading",
    "WarningBanner",
    "budget_for",
    "check_texts",
    "density_for",
    "level_for",
    "lift",
    "shown",
    "threshold_for",
]
