"""The HUD as a context provider of Microsoft's Agent Framework: ``Agent(…, context_providers=[HudProvider()])``.

The HUD is part of requests and never of a session's messages. Each session is a session of the log. An agent
that runs within another one's tool is its child.
"""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Unpack

from hud_runtime.context.pruning import ToolOutput
from hud_runtime.integrations._dialogue import Dialogue, Source, checked_mode
from hud_runtime.integrations._framework import Framework, FrameworkOptions, ModelAnswer
from hud_runtime.integrations._host_session import HostTool
from hud_runtime.integrations._wire import extra
from hud_runtime.integrations.bodies import PlacedMessages
from hud_runtime.observe import usage_in
from hud_runtime.observe._observations import UsageDialect
from hud_runtime.observe._reader import calls_in
from hud_runtime.observe.messages import read_message

with extra("agent-framework"):
    from agent_framework import ChatMiddleware, ContextProvider, FunctionMiddleware, FunctionTool
    from agent_framework import Message as ChatMessage

__all__ = ["HudProvider"]

Next = Callable[[], Awaitable[None]]

RAW = "raw"
"""The argument with unparsed text."""

FIGURES = UsageDialect(
    "input_token_count",
    "output_token_count",
    "cache_read_input_token_count",
    "cache_creation_input_token_count",
)
"""The names of usage figures."""


class HudProvider(ContextProvider):
    """Gives an agent its HUD.

    :param source: a store, with a session for each of the agent's; the path of one, or None for the default
        one; or the one session that everything belongs to.
    :param mode: "append".
    :param tools: whether the agent gets the HUD's tools.
    :param summary: asks your model for a summary, without tools, or several in turn: with it, the history in
        requests is compacted by its policy; not if the provider holds the history.
    :param options: options of :class:`hud_runtime.integrations.HostSession`.
    :raises DeliveryError: for another mode.

    >>> from agent_framework import Agent
    >>> from agent_framework.openai import OpenAIChatClient
    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     client = OpenAIChatClient("gpt-5.1", api_key="x")
    ...     agent = Agent(client, name="coder", context_providers=[HudProvider(store)])
    """

    def __init__(self, source: Source = None, **options: Unpack[FrameworkOptions]) -> None:
        super().__init__("ujsx_hud")
        why = "it marks no place in a request for the provider's cache"
        checked_mode("Agent Framework", options.get("mode", "append"), ("append",), why)
        self._framework = Framework(source, _written, data=_data, **options)

    async def before_run(self, *, agent: Any, session: Any, context: Any, state: Any) -> None:
        """Add the HUD's tools to a run, and the middleware that adds the HUD to its requests."""
        name = context.session_id or session.session_id
        dialogue = self._framework.conversations.of(str(name), agent.name)
        context.extend_tools(self.source_id, [_tool(each) for each in self._framework.tools])
        ours = [_Requests(self._framework, dialogue), _Calls(self._framework, dialogue)]
        context.extend_middleware(self.source_id, ours)


class _OfRun:
    def __init__(self, framework: Framework, dialogue: Dialogue) -> None:
        self._framework = framework
        self._dialogue = dialogue


class _Requests(_OfRun, ChatMiddleware):
    async def process(self, context: Any, call_next: Next) -> None:
        held = (context.options or {}).get("conversation_id")
        made = await self._framework.aplaced(self._dialogue, context.messages, held=held)
        context.messages = self._framework.written(made)
        if context.stream:
            context.stream_result_hooks.append(lambda answer: self._answered(answer, made))
            await call_next()
        else:
            await call_next()
            if context.result is not None:
                await self._answered(context.result, made)

    async def _answered(self, answer: Any, placed: PlacedMessages) -> None:
        await self._framework.aanswered(self._dialogue, lambda: _read(answer), placed)


class _Calls(_OfRun, FunctionMiddleware):
    async def process(self, context: Any, call_next: Next) -> None:
        name, given = context.function.name, context.arguments
        arguments: dict[str, Any] = given if isinstance(given, dict) else {}
        host = self._dialogue.host
        if name in self._framework.names:
            # Answered here, arguments need not match the schema: they are repaired first. The model
            # would get an exception without its message.
            context.result = (await host.acall(name, arguments.get(RAW, arguments))).text
            return
        with host.running():
            await call_next()
        result = context.result
        if isinstance(result, list) and [each.type for each in result] == ["text"]:
            text = str(result[0].text)
            output = ToolOutput(text=text, tool=name, arguments=arguments)
            read = await self._framework.apruned(host, output)
            context.result = result if read == text else read


def _tool(tool: HostTool) -> FunctionTool:
    async def call(**arguments: Any) -> str:
        return (await tool.acall(arguments)).text

    return FunctionTool(
        name=tool.name, description=tool.description, func=call, input_model=tool.parameters
    )


def _written(role: str, text: str) -> Any:
    return ChatMessage(role, [text])


def _data(message: Any) -> dict[str, Any]:
    contents = [each.to_dict() for each in message.contents]
    return {"role": str(message.role), "content": contents}


def _read(answer: Any) -> ModelAnswer:
    parts = [read_message(_data(each)).parts for each in answer.messages]
    calls = tuple(call for each in parts for call in calls_in(each))
    usage = usage_in(answer.usage_details, (FIGURES,))
    return ModelAnswer(usage, answer.model, calls, answer.conversation_id)
