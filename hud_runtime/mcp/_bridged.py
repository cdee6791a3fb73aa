"""The MCP server of a host whose hooks have a bridge: calls and hooks are answered there.

So there is one process that knows the sessions, however many servers a host starts, and this one needs no store.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any, cast

import mcp_types as types
from anyio import to_thread
from mcp.server import Server, ServerRequestContext

from hud_components import Domain
from hud_runtime.integrations.bridge import Link
from hud_runtime.mcp._server import HINTS
from hud_runtime.tools import definitions, instructions_of
from ujsx import __version__

Context = ServerRequestContext[Any, Any]

HOOK = "hook"
"""The tool that hooks call; the host's settings keep it from the model."""

ALWAYS = {"anthropic/alwaysLoad": True}
"""Puts a tool's schema into the first request: a tool that has to be searched for is not used."""


Meta = Mapping[str, Any]
"""What a host tells beside a call."""


def _of_claude_code(meta: Meta) -> dict[str, object]:
    """Hooks have told whose call it is, by its id."""
    return {
        "tool_use_id": meta.get("claudecode/toolUseId"),
        "session_id": os.environ.get("CLAUDE_CODE_SESSION_ID"),
        "cwd": os.environ.get("CLAUDE_PROJECT_DIR"),
    }


def _of_codex(meta: Meta) -> dict[str, object]:
    """Each call says its session, and the thread in it: a subagent's is another one."""
    found = meta.get("x-codex-turn-metadata")
    told: Meta = cast("Meta", found) if isinstance(found, dict) else {}
    return {"session_id": told.get("session_id"), "thread_id": told.get("thread_id")}


OWNERS: Mapping[str, Callable[[Meta], dict[str, object]]] = {
    "claude-code": _of_claude_code,
    "codex": _of_codex,
}
"""By the host: whose call it is."""

WITH_HOOK = frozenset({"claude-code"})
"""Hosts whose hooks call the server."""


def bridged_server(link: Link, domain: Domain[Any], *, host: str = "claude-code") -> Server[Any]:
    """Return the server; run it over standard input and output.

    :param host: which kind of host's hooks ask the same bridge.
    """

    async def list_tools(ctx: Context, params: object) -> types.ListToolsResult:
        tools = [
            types.Tool(
                name=each["name"],
                description=each["description"],
                input_schema=each["inputSchema"],
                annotations=HINTS,
                _meta=ALWAYS,
            )
            for each in definitions("mcp", domain=domain)
        ]
        if host not in WITH_HOOK:
            return types.ListToolsResult(tools=tools)
        about = "Answers the host's hooks; nothing for you to call."
        hook = types.Tool(name=HOOK, description=about, input_schema={"type": "object"})
        return types.ListToolsResult(tools=[*tools, hook])

    async def call_tool(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        given = params.arguments or {}
        if params.name == HOOK and host in WITH_HOOK:
            said = await to_thread.run_sync(link.ask, host, json.dumps(given).encode())
            return types.CallToolResult(content=[_text(said or "")])
        owner = OWNERS[host](dict(params.meta or {}))
        asked = {"tool": params.name, "arguments": given, **owner}
        data = json.dumps(asked).encode()
        told = await to_thread.run_sync(link.ask, f"{host}-call", data)
        if told is None:
            text = "the HUD cannot be reached now; go on without, and try again later"
            return types.CallToolResult(content=[_text(text)], is_error=True)
        result = json.loads(told)
        return types.CallToolResult(
            content=[_text(result["text"])], is_error=result["is_error"], _meta=result["meta"]
        )

    return Server(
        "ujsx",
        version=__version__,
        title="Agent HUD",
        instructions=instructions_of(domain, is_shown=True),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)
