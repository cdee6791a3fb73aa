"""The HUD for any MCP client.

In: requests of the Model Context Protocol. Out: the HUD's tools, sessions as resources, a prompt for
compaction. The SDK comes with the extra ``ujsx[mcp]``, and is imported when a server is made. A coding
agent whose hooks have a bridge does not need it, and is served at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.serve.mcp._bridged import BridgedServer as BridgedServer
    from hud_runtime.serve.mcp._bridged import DescribedServer as DescribedServer
    from hud_runtime.serve.mcp._bridged import described as described
    from hud_runtime.serve.mcp._bridged import offered_to as offered_to
    from hud_runtime.serve.mcp._bridged import serve_bridged as serve_bridged
    from hud_runtime.serve.mcp._serve import Sessions, serve
    from hud_runtime.serve.mcp._serve import refuse as refuse
    from hud_runtime.serve.mcp._server import hud_server

__all__ = ["Sessions", "hud_server", "serve"]

on_demand(globals())
