"""The HUD as a capability of a Pydantic AI agent: ``Agent(…, capabilities=[Hud()])``.

The HUD is part of requests and never of the message history: it is added after all other capabilities, and
earlier texts are added after the same parts again. Each conversation is a session. An agent that runs within
another one's tool is its child.
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
from hud_runtime.integrations._wire import extra
from hud_runtime.integrations.bodies import Ours, placed_in, told
from hud_runtime.observe import usage_in
from hud_runtime.observe.messages import MessagePart

with extra("pydantic-ai"):
    from pydantic_ai import Tool, ToolFailed
    from pydantic_ai import messages as sdk
    from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering
    from pydantic_ai.toolsets import FunctionToolset

__all__ = ["Hud"]


OURS = {"ujsx": "hud"}
"""The mark of our texts in a request, for users' own models and for traces."""


class Hud(AbstractCapability[Any]):
    """Adds the HUD to an agent.

    :param source: a store, with a session for each conversation; the path of one, or None for the default
        one; or the one session of all runs.
    :param mode: "append", "tail" or "system".
    :param tools: whether the agent gets the HUD's tools.
    :param summary: asks your model for a summary, without tools, or several in turn: with it, the history is
        compacted before a request by its policy.
    :param options: options of :class:`hud_runtime.integrations.HostSession`.
    :raises DeliveryError: if this version of Pydantic AI lacks the hook for a HUD.

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
        """Return the session of a conversation, for use between two of its runs."""
        return self._framework.conversations.of(conversation).host

    def _dialogue(self, ctx: Any) -> Dialogue:
        name = getattr(getattr(ctx, "agent", None), "name", None)
        return self._framework.conversations.of(str(ctx.conversation_id or ctx.run_id), name)

    # --- Deliveries ---

    def get_ordering(self) -> CapabilityOrdering:
        """Run innermost, to see each request as it is sent, after all other capabilities."""
        return CapabilityOrdering(position="innermost", wrapped_by=(AbstractCapability,))

    async def before_model_request(self, ctx: Any, request_context: Any) -> Any:
        """Compact the history if that is due."""
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
        """Add the HUD to this request."""
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
        """Record the request's usage."""

        def read() -> ModelAnswer:
            limit = getattr(request_context.model, "context_window", None)
            return ModelAnswer(usage_in(response.usage), response.model_name, limit=limit)

        await self._framework.aanswered(self._dialogue(ctx), read)
        return response

    async def wrap_tool_execute(
        self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any
    ) -> Any:
        """Make the session the parent of agents that a tool runs, and prune its result, if it is a text."""
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
                # A ModelRetry would end the run at the second error.
                raise ToolFailed(result.text)
            return result.text

        return Tool.from_schema(
            answer, tool.name, tool.description, tool.parameters, takes_ctx=True
        )

    async def wrap_tool_validate(
        self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any
    ) -> Any:
        """Pass arguments to the HUD's tools as the model wrote them."""
        return {"raw": args} if tool_def.name in self._framework.names else await handler(args)


def _placed(history: Sequence[sdk.ModelMessage], mixed: Sequence[Any]) -> list[sdk.ModelMessage]:
    """A history with our parts among those of its requests.

    :param mixed: the units before ours, each with its message's index, and ours.
    """
    parts: list[list[Any]] = [[] for _ in history]
    place = 0
    for each in mixed:
        if not isinstance(each, Ours):
            place, part = each
        else:
            # An answer cannot contain our texts: the next request does, even without parts of its own.
            place += isinstance(history[place], sdk.ModelResponse)
            part = _said(each.part)
        parts[place].append(part)
    return [
        each if isinstance(each, sdk.ModelResponse) else replace(each, parts=parts[place])
        for place, each in enumerate(history)
    ]


def _units(message: sdk.ModelMessage) -> Sequence[Any]:
    """The parts of a message that our texts can follow."""
    return (message,) if isinstance(message, sdk.ModelResponse) else message.parts


def _said(part: Part) -> sdk.UserPromptPart:
    """A part for one request, with a breakpoint before a tail.

    A SystemPromptPart would be marked for some providers only. It would give a tool's words, which the HUD
    repeats, the authority of the application.
    """
    text = sdk.TextContent(part.text, metadata=OURS)
    return sdk.UserPromptPart([sdk.CachePoint(), text] if part.place == "tail" else [text])


def _written(role: str, text: str) -> sdk.ModelMessage:
    """A message with a text, for a summary and for the request of one."""
    if role == "assistant":
        return sdk.ModelResponse([sdk.TextPart(text)])
    return sdk.ModelRequest([sdk.UserPromptPart(text)])


# --- Messages ---


def messages_of(history: Sequence[sdk.ModelMessage]) -> list[HostMessage]:
    """Return the messages of a Pydantic AI history, part by part."""
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
