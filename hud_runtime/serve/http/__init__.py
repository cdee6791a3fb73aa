"""The HUD for many clients: one store over HTTP, with a token for each project.

In: requests of the Model Context Protocol over streamable HTTP, each with a token. Out: the answers of
:mod:`hud_runtime.serve.mcp`, limited to the sessions of the token's project. The server keeps no state
between requests that another server with the same store would lack.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.serve.http._access import ServerLimits, Token, Tokens
    from hud_runtime.serve.http._access import tokens_beside as tokens_beside
    from hud_runtime.serve.http._application import Application
    from hud_runtime.serve.http._clients import ProjectLog as ProjectLog
    from hud_runtime.serve.http._serve import serve_http as serve_http

__all__ = ["Application", "ServerLimits", "Token", "Tokens"]

on_demand(globals())
