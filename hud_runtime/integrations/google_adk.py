"""The HUD as a plugin of Google's Agent Development Kit: ``App(…, plugins=[HudPlugin()])``.

The HUD is part of requests and never of a session's events. Each session of the runner is a session of the
log. An agent that is another one's tool is its child. Agents that take over a conversation share its HUD.
"""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

from typing import Any, Unpack

from hud_runtime.context.pruning import ToolOutput
from hud_runtime.integrations._dialogue import Dialogue, Source
from hud_runtime.integrations._framework import Framework, FrameworkOptions, ModelAnswer
from hud_runtime.integrations._host_session import HostTool
from hud_runtime.integrations._wire import extra
from hud_runtime.observe import usage_in

with extra("google-adk"):
    from google.adk.plugins.base_plugin import BasePlugin
    from google.adk.tools.base_tool import BaseTool
    from google.genai import types

__all__ = ["HudPlugin"]


class HudPlugin(BasePlugin):
    """Adds the HUD to all agents of a runner.

    :param source: a store, with a session for each of the runner's; the path of one, or None for the default
        one; or the one session that everything belongs to.
    :param mode: "append", "tail" or "system". A tail is for Gemini, whose cache keeps the longest prefix.
    :param tools: whether the agents get the HUD's tools.
    :param summary: asks your model for a summary, without tools, or several in turn: with it, the history in
        requests is compacted by its policy.
    :param options: options of :class:`hud_runtime.integrations.HostSession`.

    >>> from google.adk.agents import Agent
    >>> from google.adk.apps import App
    >>> from google.adk.runners import InMemoryRunner
    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     coder = Agent(name="coder", model="gemini-3-pro")
    ...     app = App(name="my_app", root_agent=coder, plugins=[HudPlugin(store)])
    ...     runner = InMemoryRunner(app=app)
    """

    def __init__(self, source: Source = None, **options: Unpack[FrameworkOptions]) -> None:
        super().__init__("ujsx_hud")
        self._framework = Framework(source, _written, **options)
        self._tools = [_AdkTool(each) for each in self._framework.tools]

    def _dialogue(self, context: Any) -> Dialogue:
        session = context.session
        # Two users may give their sessions the same id.
        name = f"{session.app_name}-{session.user_id}-{session.id}"
        return self._framework.conversations.of(name, context.agent_name)

    async def before_model_callback(self, *, callback_context: Any, llm_request: Any) -> None:
        """Add the HUD and its tools to a request."""
        dialogue = self._dialogue(callback_context)
        made = await self._framework.aplaced(dialogue, llm_request.contents)
        llm_request.contents = self._framework.written(made)
        if made.system:
            llm_request.append_instructions([made.system])
        if llm_request.config.response_schema is None:  # many models reject tools beside one
            own = [each for each in self._tools if each.name not in llm_request.tools_dict]
            llm_request.append_tools(own)

    async def after_model_callback(self, *, callback_context: Any, llm_response: Any) -> None:
        """Record a request's usage."""
        figures = llm_response.usage_metadata
        if not llm_response.partial and figures is not None:
            dialogue = self._dialogue(callback_context)
            taken = figures.model_dump(by_alias=True, exclude_none=True)
            model = llm_response.model_version
            await self._framework.aanswered(dialogue, lambda: ModelAnswer(usage_in(taken), model))

    async def before_tool_callback(self, *, tool: Any, tool_args: Any, tool_context: Any) -> None:
        """Make the session the parent of agents that a tool runs, and the session of the HUD's tools."""
        self._framework.tool_begins(id(tool_context), self._dialogue(tool_context).host)

    async def after_tool_callback(
        self, *, tool: Any, tool_args: Any, tool_context: Any, result: Any
    ) -> dict[str, Any] | None:
        """Prune a tool's result, if it is a text."""
        self._framework.tool_ends(id(tool_context))
        text = result.get("result") if isinstance(result, dict) else result
        if not isinstance(text, str):
            return None
        output = ToolOutput(
            text=text, tool=tool.name, id=tool_context.function_call_id or "", arguments=tool_args
        )
        read = await self._framework.apruned(self._dialogue(tool_context).host, output)
        return None if read == text else {"result": read}

    async def on_tool_error_callback(
        self, *, tool: Any, tool_args: Any, tool_context: Any, error: Exception
    ) -> None:
        """End the tool's role as a parent of agents."""
        self._framework.tool_ends(id(tool_context))


def _written(role: str, text: str) -> types.Content:
    name = "model" if role == "assistant" else "user"
    return types.Content(role=name, parts=[types.Part(text=text)])


class _AdkTool(BaseTool):
    def __init__(self, tool: HostTool) -> None:
        super().__init__(name=tool.name, description=tool.description)
        self._tool = tool

    def _get_declaration(self) -> types.FunctionDeclaration:
        return types.FunctionDeclaration(
            name=self.name,
            description=self.description,
            parameters_json_schema=self._tool.parameters,
        )

    async def run_async(self, *, args: dict[str, Any], tool_context: Any) -> dict[str, str]:
        result = await self._tool.acall(args)
        return {"error" if result.is_error else "result": result.text}
