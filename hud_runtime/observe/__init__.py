"""Observation: what happens in a session, and what it means for a HUD.

In: observations from any source, such as a user message, a tool call or its result. Out: event
drafts. Tables define the meaning of tools, commands, failures and prompt layouts; you can extend
them.
"""

from hud_runtime.observe._asks import TaskMarker as TaskMarker
from hud_runtime.observe._asks import task_in as task_in
from hud_runtime.observe._failures import Failure as Failure
from hud_runtime.observe._observations import (
    AgentMessage,
    AnyObservation,
    Compacted,
    Compacting,
    ContextUsed,
    FileChanged,
    PlanWritten,
    ToolAnswer,
    ToolCall,
    Undone,
    Usage,
    UserMessage,
)
from hud_runtime.observe._observations import Background as Background
from hud_runtime.observe._observations import Observation as Observation
from hud_runtime.observe._observations import OfChild as OfChild
from hud_runtime.observe._observations import Problem as Problem
from hud_runtime.observe._observations import Title as Title
from hud_runtime.observe._observations import usage_in as usage_in
from hud_runtime.observe._reader import API_LIMITS, MODEL_LIMITS, ModelLimit, Reader
from hud_runtime.observe._reader import ModelLimits as ModelLimits
from hud_runtime.observe._reader import ReaderPlace as ReaderPlace
from hud_runtime.observe._reader import limit_for as limit_for
from hud_runtime.observe._reader import model_limits_of as model_limits_of
from hud_runtime.observe._tools import MEMORY_RULES, MemoryRule, ToolTable
from hud_runtime.observe._tools import OPERATIONS as OPERATIONS
from hud_runtime.observe._tools import PLANS as PLANS
from hud_runtime.observe._tools import FileTool as FileTool
from hud_runtime.observe._tools import HudTool as HudTool
from hud_runtime.observe._tools import QuietTool as QuietTool
from hud_runtime.observe._tools import ShellTool as ShellTool
from ujsx.on_demand import on_demand

__all__ = [
    "API_LIMITS",
    "MEMORY_RULES",
    "MODEL_LIMITS",
    "AgentMessage",
    "AnyObservation",
    "Compacted",
    "Compacting",
    "ContextUsed",
    "FileChanged",
    "MemoryRule",
    "ModelLimit",
    "PlanWritten",
    "Reader",
    "ToolAnswer",
    "ToolCall",
    "ToolTable",
    "Undone",
    "Usage",
    "UserMessage",
]

on_demand(globals())
