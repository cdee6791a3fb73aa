"""Past sessions of another program: listed, read, searched and compared, and never written.

In: OpenCode's database, or its former folder of files. Out: records, and their Markdown; the tool ``memory``,
with which an agent reads them and updates its HUD.

Names are imported on first use: a command that lists sessions makes no tool.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.history._memory_tool import MEMORY as MEMORY
    from hud_runtime.history._memory_tool import memory_toolset as memory_toolset
    from hud_runtime.history._memory_tool import plan as plan
    from hud_runtime.history._memory_tool import plans as plans
    from hud_runtime.history._opencode import OpenCodeHistory as OpenCodeHistory
    from hud_runtime.history._shown import SessionFigures as SessionFigures
    from hud_runtime.history._shown import compare as compare
    from hud_runtime.history._shown import exported as exported
    from hud_runtime.transcripts._opencode_database import found_database as found_database

on_demand(globals())
__all__ = ["MEMORY", "OpenCodeHistory", "compare", "exported", "memory_toolset"]
