"""The HUD for any MCP client.

In: requests of the Model Context Protocol. Out: the HUD's tools, a session as resources, a prompt
for compaction. The SDK comes with the extra ``ujsx[mcp]``, and is imported when a server is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hud_runtime.mcp._serve import serve, serve_bridged
from hud_runtime.mcp._sessions import Sessions
from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.mcp._bridged import bridged_server
    from hud_runtime.mcp._server import hud_server

__all__ = ["Sessions", "bridged_server", "hud_server", "serve", "serve_bridged"]

_, __getattr__, __dir__ = on_demand(
    globals(), {"_bridged": ("bridged_server",), "_server": ("hud_server",)}
)
