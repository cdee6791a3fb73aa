"""The HUD's tools: an agent reads and writes its own state.

In: calls as models send them. Out: events in the log, and short answers.
"""

from hud_runtime.log import ParentSeen as ParentSeen
from hud_runtime.tools._context import ContextFigures as ContextFigures
from hud_runtime.tools._context import Summary as Summary
from hud_runtime.tools._context import figures_of as figures_of
from hud_runtime.tools._context import summaries_of as summaries_of
from hud_runtime.tools._hud_tools import (
    INSTRUCTIONS,
    HudTools,
    definitions,
    instructions_of,
    status_line,
)
from hud_runtime.tools._operations import READ as READ
from hud_runtime.tools._operations import hud_toolset
from hud_runtime.tools._operations import unchanged as unchanged
from hud_runtime.tools._session import calls_for
from ujsx.on_demand import on_demand

__all__ = [
    "INSTRUCTIONS",
    "HudTools",
    "calls_for",
    "definitions",
    "hud_toolset",
    "instructions_of",
    "status_line",
]

on_demand(globals())
