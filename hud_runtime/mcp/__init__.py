"""The HUD for any MCP client.

In: requests of the Model Context Protocol. Out: the HUD's tools, a session as resources, a prompt
for compaction. The SDK comes with the extra ``ujsx[mcp]``, and is imported when a server is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hud_runtime.mcp._serve import serve
from hud_runtime.mcp._sessions import Sessions

if TYPE_CHECKING:
    from hud_runtime.mcp._server import hud_server

__all__ = ["Sessions", "hud_server", "serve"]


def __getattr__(name: str) -> object:
    if name == "hud_server":
        from hud_runtime.mcp._server import hud_server

        return hud_server
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
