"""The HUD's vocabulary: the facts an agent keeps, and the components that show them."""

from hud_components._active_files import ActiveFiles
from hud_components._blockers_list import BlockersList
from hud_components._context_bar import ContextBar
from hud_components._decisions_list import DecisionsList
from hud_components._errors_list import ErrorsList
from hud_components._hud import Hud
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
    Note,
    NoteDraft,
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
from hud_components._section import HudSection
from hud_components._status_line import StatusLine
from hud_components._task_section import TaskSection
from hud_components._texts import TEXTS
from hud_components._warning_banner import WarningBanner

__all__ = [
    "TEXTS",
    "THRESHOLDS",
    "ActiveFile",
    "ActiveFiles",
    "Blocker",
    "BlockerDraft",
    "BlockersList",
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
    "Hud",
    "HudModel",
    "HudSection",
    "HudState",
    "Level",
    "NextSteps",
    "Note",
    "NoteDraft",
    "NotesSection",
    "SessionInfo",
    "StatusLine",
    "Step",
    "StepDraft",
    "Task",
    "TaskDraft",
    "TaskSection",
    "Threshold",
    "Trend",
    "UsageReading",
    "WarningBanner",
    "density_for",
    "level_for",
    "threshold_for",
]
