"""The HUD's tools: how an agent reads and writes its own state.

In: calls as models send them. Out: events in the log, and short answers.
"""

from hud_runtime.compaction import CompactionPrompt, compaction_prompt
from hud_runtime.log import ParentSeen
from hud_runtime.tools._context import ContextFigures, Summary, figures_of, summaries_of
from hud_runtime.tools._hud_tools import (
    INSTRUCTIONS,
    HudTools,
    definitions,
    instructions_of,
    status_line,
)
from hud_runtime.tools._operations import READ, hud_toolset
from hud_runtime.tools._session import calls_for
from ujsx.on_demand import on_demand

__all__ = [
    "INSTRUCTIONS",
    "READ",
    "CompactionPrompt",
    "ContextFigures",
    "HudTools",
    "ParentSeen",
    "Summary",
    "calls_for",
    "compaction_prompt",
    "definitions",
    "figures_of",
    "hud_toolset",
    "instructions_of",
    "status_line",
    "summaries_of",
]

on_demand(globals())
