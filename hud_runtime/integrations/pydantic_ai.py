"""The HUD as a capability of a Pydantic AI agent: ``Agent(…, capabilities=[Hud()])``.

The HUD is part of requests and never of the message history: it is added behind all other capabilities, and what was
said before is added behind the same parts again. Each conversation is a session, and an agent that another one's tool
runs is its child.
"""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack

from hud_runtime._errors import DeliveryError
from hud_runtime.context.compaction import ModelWindow
from hud_runtime.context.delivery import Part
from hud_runtime.context.pruning import ToolOutput
from hud_runtime.integrations._dialogue import Dialogue, HostMessage, Source
from hud_runtime.integrations._framework import Framework, FrameworkOptions, ModelAnswer
from hud_runtime.integrations._host_session import HostSession, HostTool
from hud_runtime.integrations._wire import missing
from hud_runtime.integrations.bodies import Ours, placed_in, told
from hud_runtime.observe import usage_in
from hud_runtime.observe.messages import MessagePart

try:
    from pydantic_ai import Tool, ToolFailed
    from pydantic_ai import messages as sdk
    from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering
    from pydantic_ai.toolsets import FunctionToolset
except ImportError as error:
    raise missing("pydantic-ai", error) from error

__all__ = ["Hud"]


OURS = {"ujsx": "hud"}
"""The mark of a text of ours in a request, for models of a user's own and for traces."""


class Hud(AbstractCapability[Any]):
    """Gives an agent its HUD.

    :param source: a store, with a session for each conversation; the path of one, or None for the usual
        place; or the one session that all runs belong to.
    :param mode: "append", "tail" or "system".
    :param tools: whether the agent gets the HUD's tools.
    :param summary: asks a model of yours for a summary, without tools, or several in turn: with it, the history is
        compacted when its policy says so, before a request.
    :param options: those of :class:`hud_runtime.integrations.HostSession`.
    :raises DeliveryError: if this version of Pydantic AI does not have the hook that a HUD needs.

    >>> import asyncio
    >>> from pydantic_ai import Agent
    >>> from pydantic_ai.models.test import TestModel
    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     agent = Agent(TestModel(call_tools=[]), capabilities=[Hud(store)])
    ...     run = asyncio.run(agent.run("Add a login with JWT.", conversation_id="c-1"))
    ...     store.session("c-1").state().task.description
    'Add a login with JWT.'
    """

    def __init__(self, source: Source = None, **options: Unpack[FrameworkOptions]) -> None:
        if not hasattr(AbstractCapability, "prepare_model_request"):
            raise DeliveryError(
                "a HUD needs a hook that this version of pydantic-ai never calls; install 2.68 or newer"
            )
        self._framework = Framework(source, _written, **options)

    def host(self, conversation: str) -> HostSession:
        """Return what there is of a conversation, between two of its runs."""
        return self._framework.conversations.of(conversation).host

    def _dialogue(self, ctx: Any) -> Dialogue:
        name = getattr(getattr(ctx, "agent", None), "name", None)
        return self._framework.conversations.of(str(ctx.conversation_id or ctx.run_id), name)

    # --- Deliveries ---

    def get_ordering(self) -> CapabilityOrdering:
        """Be the innermost capability: it sees each request as it goes out, whatever the others made of it."""
        return CapabilityOrdering(position="innermost", wrapped_by=(AbstractCapability,))

    async def before_model_request(self, ctx: Any, request_context: Any) -> Any:
        """Compact the history where it is time."""
        summary, size = self._framework.summary, getattr(request_context.model, "context_window", 0)
        if summary is None:
            return request_context
        host, window = self._dialogue(ctx).host, ModelWindow(context=size) if size else None
        decision = await asyncio.to_thread(host.compaction, window)
        if decision.verdict == "now":
            made = await host.acompact(ctx.messages, summary, decision=decision, write=_written)
            ctx.messages[:] = made.messages
            request_context.messages = list(made.messages)
        return request_context

    async def prepare_model_request(self, ctx: Any, request_context: Any) -> Any:
        """Put the HUD into this request."""
        host = self._dialogue(ctx).host
        await asyncio.to_thread(
            host.attempt,
            "deliver the HUD",
            lambda: self._deliver(ctx, request_context),
            lambda: None,
        )
        return request_context

    def _deliver(self, ctx: Any, request: Any) -> None:
        made = self._dialogue(ctx).request(
            messages_of(ctx.messages), reads=messages_of(request.messages)
        )
        own = [
            (place, unit)
            for place, message in enumerate(request.messages)
            for unit in _units(message)
        ]
        found = placed_in(own, made)
        request.messages = _placed(request.messages, found.messages)
        if found.system:
            parameters = request.model_request_parameters
            own = [*(parameters.instruction_parts or ()), sdk.InstructionPart(found.system)]
            request.model_request_parameters = replace(parameters, instruction_parts=own)

    # --- Observations ---

    async def after_model_request(
        self, ctx: Any, *, request_context: Any, response: sdk.ModelResponse
    ) -> sdk.ModelResponse:
        """Tell what the request took."""

        def read() -> ModelAnswer:
            limit = getattr(request_context.model, "context_window", None)
            return ModelAnswer(usage_in(response.usage), response.model_name, limit=limit)

        await self._framework.aanswered(self._dialogue(ctx), read)
        return response

    async def wrap_tool_execute(
        self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any
    ) -> Any:
        """Be the parent of agents that a tool runs, and prune what it gives back, where that is a text."""
        host = self._dialogue(ctx).host
        with host.running():
            result = await handler(args)
        if not isinstance(result, str):
            return result
        given = args if isinstance(args, dict) else {}
        output = ToolOutput(text=result, tool=call.tool_name, id=call.tool_call_id, arguments=given)
        return await self._framework.apruned(host, output)

    # --- Tools ---

    def get_toolset(self) -> FunctionToolset[Any] | None:
        """Offer the HUD's tools."""
        return FunctionToolset([self._tool(each) for each in self._framework.tools]) or None

    def _tool(self, tool: HostTool) -> Tool[Any]:
        async def answer(ctx: Any, raw: Any) -> str:
            result = await self._dialogue(ctx).host.acall(tool.name, raw)
            if result.is_error:
                # A ModelRetry would end the run at the second mistake.
                raise ToolFailed(result.text)
            return result.text

        return Tool.from_schema(
            answer, tool.name, tool.description, tool.parameters, takes_ctx=True
        )

    async def wrap_tool_validate(
        self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any
    ) -> Any:
        """Let the HUD's tools have the arguments as the model wrote them."""
        return {"raw": args} if tool_def.name in self._framework.names else await handler(args)


def _placed(history: Sequence[sdk.ModelMessage], mixed: Sequence[Any]) -> list[sdk.ModelMessage]:
    """A history with our parts among those of its requests.

    :param mixed: what ours stand behind, each with its message's place, and ours.
    """
    parts: list[list[Any]] = [[] for _ in history]
    place = 0
    for each in mixed:
        if not isinstance(each, Ours):
            place, part = each
        else:
            # An answer takes nothing in: the request behind it does, if it had no part of its own.
            place += isinstance(history[place], sdk.ModelResponse)
            part = _said(each.part)
        parts[place].append(part)
    return [
        each if isinstance(each, sdk.ModelResponse) else replace(each, parts=parts[place])
        for place, each in enumerate(history)
    ]


def _units(message: sdk.ModelMessage) -> Sequence[Any]:
    """What our words can stand behind, in a message."""
    return (message,) if isinstance(message, sdk.ModelResponse) else message.parts


def _said(part: Part) -> sdk.UserPromptPart:
    """A part for one request, with a breakpoint before a tail.

    A SystemPromptPart would be marked for some providers only, and give what a tool has said, which the
    HUD tells of, the authority of the application.
    """
    text = sdk.TextContent(part.text, metadata=OURS)
    return sdk.UserPromptPart([sdk.CachePoint(), text] if part.place == "tail" else [text])


def _written(role: str, text: str) -> sdk.ModelMessage:
    """A message with words, for a summary and for the request that asks for it."""
    if role == "assistant":
        return sdk.ModelResponse([sdk.TextPart(text)])
    return sdk.ModelRequest([sdk.UserPromptPart(text)])


# --- Messages ---


def messages_of(history: Sequence[sdk.ModelMessage]) -> list[HostMessage]:
    """Return what a history of Pydantic AI says, part by part."""
    found: list[HostMessage] = []
    for message in history:
        is_answer = isinstance(message, sdk.ModelResponse)
        found += [told(message)] if is_answer else map(_part, message.parts)
    return found


def _part(part: Any) -> HostMessage:
    if not isinstance(part, sdk.RetryPromptPart):
        return told(part)
    text = part.model_response()
    result = MessagePart("result", text, part.tool_name or "", part.tool_call_id, "failed")
    return HostMessage(text=text, parts=(result,) if part.tool_name else ())
