"""The HUD for many: one store behind HTTP, with a token for each project.

In: requests of the Model Context Protocol over its streamable HTTP, each with a token. Out: what
:mod:`hud_runtime.serve.mcp` answers, of the sessions of the token's project and of no other. Nothing is remembered between two
requests that another server with the same store would not know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.serve.http._application import Application
    from hud_runtime.serve.http._clients import ProjectLog as ProjectLog
    from hud_runtime.serve.http._serve import ServerLimits
    from hud_runtime.serve.http._serve import serve_http as serve_http
    from hud_runtime.serve.http._tokens import Token, Tokens
    from hud_runtime.serve.http._tokens import tokens_beside as tokens_beside

__all__ = ["Application", "ServerLimits", "Token", "Tokens"]

on_demand(globals())
