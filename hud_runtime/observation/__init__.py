"""Observation: what happens in a session, and what it means for a HUD.

In: observations, such as a message of the user, a call of a tool, its answer, from any source. Out: drafts
of events. What a tool, a command, a failure or an opening means is a table that a user can extend.
"""

from hud_runtime.observation._asks import task_in
from hud_runtime.observation._commands import COMMANDS, FileCommand
from hud_runtime.observation._failure_table import FAILURES, Failure
from hud_runtime.observation._markers import TASK_MARKERS, TaskMarker
from hud_runtime.observation._memory_rules import (
    FROM_EVENTS,
    MEMORY_RULES,
    MemoryRule,
    Remembered,
)
from hud_runtime.observation._model_limits import (
    API_LIMITS,
    MODEL_LIMITS,
    ModelLimit,
    ModelLimits,
    limit_for,
    model_limits_of,
)
from hud_runtime.observation._observations import (
    AgentMessage,
    AnyObservation,
    Background,
    Compacted,
    Compacting,
    ContextUsed,
    Decided,
    Failed,
    FileChanged,
    Found,
    Observation,
    OfChild,
    PlanWritten,
    Title,
    ToolCall,
    ToolResult,
    Undone,
    Usage,
    UserMessage,
)
from hud_runtime.observation._operations import OPERATIONS
from hud_runtime.observation._problem import Problem
from hud_runtime.observation._reader import Reader, ReaderPlace
from hud_runtime.observation._tools import (
    PLANS,
    TOOLS,
    CodeTool,
    EditorTool,
    FileTool,
    HudTool,
    MoveTool,
    PatchTool,
    PlanTool,
    QuestionTool,
    QuietTool,
    ShellTool,
    TaskTool,
    TodoTool,
    Tool,
    ToolTable,
)
from hud_runtime.observation._usage import usage_in
from ujsx.on_demand import on_demand

__all__ = [
    "API_LIMITS",
    "COMMANDS",
    "FAILURES",
    "FROM_EVENTS",
    "MEMORY_RULES",
    "MODEL_LIMITS",
    "OPERATIONS",
    "PLANS",
    "TASK_MARKERS",
    "TOOLS",
    "AgentMessage",
    "AnyObservation",
    "Background",
    "CodeTool",
    "Compacted",
    "Compacting",
    "ContextUsed",
    "Decided",
    "EditorTool",
    "Failed",
    "Failure",
    "FileChanged",
    "FileCommand",
    "FileTool",
    "Found",
    "HudTool",
    "MemoryRule",
    "ModelLimit",
    "ModelLimits",
    "MoveTool",
    "Observation",
    "OfChild",
    "PatchTool",
    "PlanTool",
    "PlanWritten",
    "Problem",
    "QuestionTool",
    "QuietTool",
    "Reader",
    "ReaderPlace",
    "Remembered",
    "ShellTool",
    "TaskMarker",
    "TaskTool",
    "Title",
    "TodoTool",
    "Tool",
    "ToolCall",
    "ToolResult",
    "ToolTable",
    "Undone",
    "Usage",
    "UserMessage",
    "limit_for",
    "model_limits_of",
    "task_in",
    "usage_in",
]

on_demand(globals())
