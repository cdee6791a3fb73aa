"""The HUD for the Claude Agent SDK: ``ClaudeSDKClient(Hud().options(…))``.

The SDK runs Claude Code, so its hooks have the same meaning. Here this process answers them, and the calls of
the HUD's tools. A hook's text stays in the history: append is the only mode.
"""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import asyncio
import json
from copy import copy
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from hud_runtime._errors import DeliveryError
from hud_runtime.context.delivery import Mode
from hud_runtime.integrations._dialogue import checked_mode
from hud_runtime.integrations._sending import Guard
from hud_runtime.integrations._wire import extra
from hud_runtime.integrations.bridge import Answer
from hud_runtime.integrations.claude_code import ClaudeCode
from hud_runtime.session import GivenLook, HudStore, LayoutSource, WordsSource, check_look
from hud_runtime.tools import definitions
from ujsx.errors import shown

with extra("claude-agent-sdk"):
    import mcp_types as mcp
    from claude_agent_sdk import ClaudeAgentOptions, HookMatcher
    from mcp.server.lowlevel import Server

__all__ = ["Hud"]

NAME = "hud"
"""The server's name, and so the prefix of its tools' names: ``mcp__hud__hud``."""

EVENTS = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "SubagentStart",
    "SubagentStop",
)
"""The hooks that are answered. PreCompact takes no text; text on SubagentStop would make an agent
continue for ever, so there is none.
"""


class Hud:
    """Adds the HUD to a client's agents: each of the host's sessions is one, each subagent a child.

    :param source: a store; the path of one, or None for the default one.
    :param mode: "append"; the host supports no other.
    :param layout: the layout of its sessions: a tree, or the path of a file.
    :param words: texts that replace fixed ones in them, by name, or the path of a JSON or TOML file.
    :raises DeliveryError: for another mode, or for a session: the host names its sessions itself.

    >>> from claude_agent_sdk import ClaudeAgentOptions
    >>> options = Hud(":memory:").options(ClaudeAgentOptions(model="claude-sonnet-4-5"))
    >>> sorted(options.mcp_servers), "PostToolBatch" in options.hooks
    (['hud'], True)
    """

    def __init__(
        self,
        source: HudStore[Any] | str | Path | None = None,
        *,
        mode: Mode = "append",
        layout: LayoutSource = None,
        words: WordsSource | None = None,
    ) -> None:
        checked_mode("Claude Code", mode, ("append",), "what a hook says stays in the history")
        if source is not None and not isinstance(source, HudStore | str | Path):
            raise DeliveryError(
                f"{shown(source)} is not a store; the host names its sessions itself: give a HudStore, or its path"
            )
        self._source = source
        check_look(layout, words)
        self._claude = ClaudeCode(lambda: self._store, look=GivenLook(layout, words))
        self._guard = Guard()

    @cached_property
    def _store(self) -> HudStore[Any]:
        source = self._source
        return source if isinstance(source, HudStore) else HudStore.open(source)

    def options(self, options: ClaudeAgentOptions | None = None) -> ClaudeAgentOptions:
        """Return options with the HUD's hooks and tools in addition to yours."""
        made = copy(options) if options is not None else ClaudeAgentOptions()
        begun: set[str] = set()
        ours = HookMatcher(hooks=[partial(self._hook, begun)])
        hooks: dict[Any, list[HookMatcher]] = dict(made.hooks or {})
        merged: Any = hooks | {each: [*hooks.get(each, ()), ours] for each in EVENTS}
        made.hooks = merged
        if isinstance(made.mcp_servers, dict):
            server: Any = {"type": "sdk", "name": NAME, "instance": self._server()}
            made.mcp_servers = {**made.mcp_servers, NAME: server}
        made.allowed_tools = [*made.allowed_tools, f"mcp__{NAME}"]
        return made

    async def _hook(
        self, begun: set[str], event: Any, tool_use_id: str | None, context: Any
    ) -> Any:
        """Answer a hook.

        :param begun: the sessions of a client. The host does not report a resumed session to this hook, and
            may have been killed before it stored a hook's text: so the whole HUD is delivered again.
        """

        def answer() -> Any:
            session = str(event.get("session_id"))
            if session not in begun:
                begun.add(session)
                if event.get("hook_event_name") != "SessionStart":
                    resumed = {**event, "hook_event_name": "SessionStart", "source": "resume"}
                    resumed.pop("agent_id", None)
                    self._claude.hook(json.dumps(resumed, default=str).encode())
            data = json.dumps({"tool_use_id": tool_use_id, **event}, default=str).encode()
            return json.loads(_passed_on(self._claude.hook(data)) or "{}")

        return await asyncio.to_thread(self._guard.run, "answer a hook", answer, dict)

    def _server(self) -> Server[Any]:
        """An MCP server in this process; the SDK's own would validate arguments before they can be repaired."""

        async def list_tools(context: Any, params: Any) -> mcp.ListToolsResult:
            domain = self._source.domain if isinstance(self._source, HudStore) else None
            return mcp.ListToolsResult(
                tools=[
                    mcp.Tool(
                        name=each["name"],
                        description=each["description"],
                        input_schema=each["inputSchema"],
                        _meta={"anthropic/alwaysLoad": each["name"] == "hud"},
                    )
                    for each in definitions("mcp", domain=domain)
                ]
            )

        async def call_tool(context: Any, params: Any) -> mcp.CallToolResult:
            asked = {
                "tool": params.name,
                "arguments": params.arguments or {},
                "tool_use_id": dict(params.meta or {}).get("claudecode/toolUseId"),
            }
            told = await asyncio.to_thread(
                self._guard.run, "answer a call", lambda: self._called(asked), _broken
            )
            content: list[Any] = [mcp.TextContent(type="text", text=told["text"])]
            return mcp.CallToolResult(content=content, is_error=told["is_error"])

        return Server(NAME, on_list_tools=list_tools, on_call_tool=call_tool)

    def _called(self, asked: dict[str, Any]) -> dict[str, Any]:
        return json.loads(_passed_on(self._claude.call(json.dumps(asked).encode())))


def _passed_on(answer: Answer) -> str:
    if answer.arrived is not None:
        answer.arrived()
    return answer.text


def _broken() -> dict[str, Any]:
    return {"text": "the HUD cannot be reached now; go on without, and try later", "is_error": True}
