"""The HUD for any MCP client.

In: requests of the Model Context Protocol. Out: the HUD's tools, a session as resources, a prompt
for compaction. The SDK comes with the extra ``ujsx[mcp]``, and is imported when a server is made. A coding agent whose hooks have
a bridge is served without it, and at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.mcp._bridged import (
        BridgedServer,
        DescribedServer,
        described,
        offered_to,
        serve_bridged,
    )
    from hud_runtime.mcp._serve import refuse, serve
    from hud_runtime.mcp._server import hud_server
    from hud_runtime.mcp._sessions import Sessions

__all__ = [
    "BridgedServer",
    "DescribedServer",
    "Sessions",
    "described",
    "hud_server",
    "offered_to",
    "refuse",
    "serve",
    "serve_bridged",
]

on_demand(
    globals(),
    {
        "_bridged": (
            "BridgedServer",
            "DescribedServer",
            "described",
            "offered_to",
            "serve_bridged",
        ),
        "_serve": ("refuse", "serve"),
        "_server": ("hud_server",),
        "_sessions": ("Sessions",),
    },
)
