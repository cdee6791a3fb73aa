"""The HUD as a middleware of a LangChain agent: ``create_agent(…, middleware=[HudMiddleware()])``.

The HUD is part of requests and never of the agent's state: checkpoints, streams and summaries are free of it.
It is added after all other middleware, at the call of the model, and earlier texts are added after the same
messages again. Each thread is a session. An agent that runs within another one's tool is its child.
"""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from copy import copy
from dataclasses import fields
from functools import partial
from typing import Annotated, Any, NotRequired, Unpack
from uuid import uuid4

from pydantic import BaseModel

from hud_runtime.context.pruning import ToolOutput
from hud_runtime.integrations import bodies
from hud_runtime.integrations._dialogue import Dialogue, HostMessage, Source
from hud_runtime.integrations._framework import Framework, FrameworkOptions, ModelAnswer
from hud_runtime.integrations._host_session import HostTool
from hud_runtime.integrations._wire import extra
from hud_runtime.observe import usage_in
from ujsx.tools import ToolResult as Answer

with extra("langchain"):
    from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest
    from langchain.agents.middleware.types import PrivateStateAttr
    from langchain_core import messages as sdk
    from langchain_core.runnables import RunnableBinding
    from langchain_core.tools import BaseTool, StructuredTool, ToolException
    from langgraph.config import get_config
    from langgraph.graph.message import REMOVE_ALL_MESSAGES

__all__ = ["HudMiddleware"]

RAW = "__raw__"
"""The argument with unparsed text."""


class LangChainState(AgentState):
    """An agent's state, including the name of its run."""

    hud_run: NotRequired[Annotated[str, PrivateStateAttr]]  # type: ignore[valid-type]


class HudMiddleware(AgentMiddleware):
    """Adds the HUD to an agent.

    :param source: a store, with a session for each thread; the path of one, or None for the default one; or
        the one session of all runs.
    :param mode: "append", "tail" or "system".
    :param tools: whether the agent gets the HUD's tools.
    :param summary: asks your model for a summary, without tools, or several in turn: with it, the history is
        compacted before a request by its policy. LangChain's own SummarizationMiddleware is not needed then.
    :param options: options of :class:`hud_runtime.integrations.HostSession`.

    >>> from langchain.agents import create_agent
    >>> from langchain_core.language_models.fake_chat_models import FakeListChatModel
    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     middleware = HudMiddleware(store, tools=False)
    ...     agent = create_agent(FakeListChatModel(responses=["done"]), middleware=[middleware])
    ...     given = {"messages": [{"role": "user", "content": "Add a login with JWT."}]}
    ...     result = agent.invoke(given, {"configurable": {"thread_id": "t-1"}})
    ...     store.session("t-1").state().task.description
    'Add a login with JWT.'
    """

    state_schema = LangChainState

    def __init__(self, source: Source = None, **options: Unpack[FrameworkOptions]) -> None:
        super().__init__()
        self._framework = Framework(source, _written, **options)
        self.tools: Sequence[BaseTool] = [_tool(each) for each in self._framework.tools]

    def before_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Name a run that belongs to no thread."""
        return None if state.get("hud_run") else {"hud_run": f"run-{uuid4().hex[:12]}"}

    def _dialogue(self, state: Any) -> Dialogue:
        config = get_config()
        given = config.get("configurable", {})
        # An agent within another one shares its thread, and has its own namespace for checkpoints.
        spaces = str(given.get("checkpoint_ns") or "").split("|")[:-1]
        name = "|".join([str(given.get("thread_id") or state.get("hud_run")), *spaces])
        agent = config.get("metadata", {}).get("lc_agent_name")
        return self._framework.conversations.of(name, agent)

    # --- Deliveries ---

    def before_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Compact the history if that is due."""
        summary, host = self._framework.summary, self._dialogue(state).host
        if summary is None or (decision := host.compaction()).verdict != "now":
            return None
        made = host.compact(state["messages"], summary, decision=decision, write=_written)
        if made.error is not None:
            return None
        return {"messages": [sdk.RemoveMessage(REMOVE_ALL_MESSAGES), *made.messages]}

    async def abefore_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """The same as :meth:`before_model`, for asynchronous agents."""
        return await asyncio.to_thread(self.before_model, state, runtime)

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Add the HUD to the model's request, record its usage, and let broken arguments pass."""
        dialogue = self._dialogue(request.state)
        response = handler(_Request.of(request, _Delivering(dialogue, request.state["messages"])))
        self._framework.answered(dialogue, partial(self._read, request, response))
        return response

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """The same as :meth:`wrap_model_call`, for asynchronous agents."""
        dialogue = self._dialogue(request.state)
        made = _Request.of(request, _Delivering(dialogue, request.state["messages"]))
        response = await handler(made)
        await self._framework.aanswered(dialogue, partial(self._read, request, response))
        return response

    def _read(self, request: Any, response: Any) -> ModelAnswer:
        message = response.result[-1]
        _pass_broken(message, self._framework.names)
        profile = getattr(request.model, "profile", None) or {}
        return ModelAnswer(
            usage_in(getattr(message, "usage_metadata", None) or {}),
            message.response_metadata.get("model_name"),
            limit=profile.get("max_input_tokens"),
        )

    # --- Tools ---

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Make the session the parent of agents that a tool runs, and prune its result, if it is a text."""
        host = self._dialogue(request.state).host
        with host.running():
            result = handler(request)
        output = _output(request, result)
        return (
            result if output is None else _with_text(result, self._framework.pruned(host, output))
        )

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """The same as :meth:`wrap_tool_call`, for asynchronous agents."""
        host = self._dialogue(request.state).host
        with host.running():
            result = await handler(request)
        output = _output(request, result)
        if output is None:
            return result
        return _with_text(result, await self._framework.apruned(host, output))


# --- The last place ---


class _Delivering:
    """The deliveries of one request.

    :param history: the agent's messages, of which the model may read only some.
    """

    def __init__(self, dialogue: Dialogue, history: Sequence[sdk.AnyMessage]) -> None:
        self._dialogue = dialogue
        self._history = history

    def with_hud(self, model: Any) -> Any:
        """Return a copy of a model that adds the HUD once it is bound to an agent's tools and settings.

        Other calls, such as those of middleware for a summary, are not the agent's requests.
        """

        def made() -> Any:
            copied = _copy(model)
            own = {name: self._bound(model, name) for name in ("bind", "bind_tools")}
            vars(copied).update(own, with_structured_output=model.with_structured_output)
            return copied

        if "bind_tools" in vars(model):
            return model
        return self._dialogue.host.attempt("reach the model", made, lambda: model)

    def _bound(self, model: Any, name: str) -> Callable[..., Any]:
        def bind(*given: Any, **more: Any) -> Any:
            bound = getattr(model, name)(*given, **more)
            return _BoundModel(bound=bound, deliver=partial(self._deliver, model))

        return bind

    def _deliver(self, model: Any, given: Sequence[sdk.AnyMessage]) -> Sequence[sdk.AnyMessage]:
        """The messages for the model, with the HUD."""
        return self._dialogue.host.attempt(
            "deliver the HUD", lambda: self._delivered(model, given), lambda: given
        )

    def _delivered(self, model: Any, given: Sequence[sdk.AnyMessage]) -> list[sdk.AnyMessage]:
        system = [each for each in given[:1] if isinstance(each, sdk.SystemMessage)]
        own = given[len(system) :]
        history = [_told(each) for each in self._history]
        delivery = self._dialogue.request(history, reads=[_told(each) for each in own])
        placed = bodies.placed_in(own, delivery)
        made = bodies.with_ours(
            placed.messages,
            sdk.HumanMessage,
            lambda message: _marked(message, _mark(self._dialogue, model)),
        )
        if placed.system:
            blocks = [block for each in system for block in _blocks(each.content)]
            system = [sdk.SystemMessage(content=[*blocks, *_blocks(placed.system)])]
        return [*system, *made]


class _Request(ModelRequest):
    """A request whose model adds the HUD when called, even if middleware changes the messages and the model."""

    deliver: _Delivering

    @classmethod
    def of(cls, request: Any, deliver: _Delivering) -> _Request:
        """Return a copy of another request."""
        made = cls(**{each.name: getattr(request, each.name) for each in fields(request)})
        object.__setattr__(made, "deliver", deliver)
        return made.override(model=request.model)

    def override(self, **overrides: Any) -> _Request:
        """Return it with changes."""
        if "model" in overrides:
            overrides["model"] = self.deliver.with_hud(overrides["model"])
        made: Any = super().override(**overrides)
        object.__setattr__(made, "deliver", self.deliver)
        return made


def _copy(model: Any) -> Any:
    if isinstance(model, BaseModel):
        return copy(model)
    # A model that is chosen later asks itself while it is copied.
    made = object.__new__(type(model))
    vars(made).update(vars(model))
    return made


class _BoundModel(RunnableBinding):
    """A model that an agent calls."""

    deliver: Any

    def invoke(self, input: Any, config: Any = None, **more: Any) -> Any:  # noqa: A002 - LangChain's name
        return super().invoke(self.deliver(input), config, **more)

    async def ainvoke(self, input: Any, config: Any = None, **more: Any) -> Any:  # noqa: A002
        given = await asyncio.to_thread(self.deliver, input)
        return await super().ainvoke(given, config, **more)


# --- Tools ---


def _output(request: Any, result: Any) -> ToolOutput | None:
    """A tool's output, if it is a text."""
    call = request.tool_call
    if not isinstance(result, sdk.ToolMessage) or not isinstance(result.content, str):
        return None
    return ToolOutput(
        text=result.content,
        tool=call["name"],
        id=call["id"] or "",
        arguments=call["args"],
        failed=result.status == "error",
    )


def _with_text(message: sdk.ToolMessage, text: str) -> sdk.ToolMessage:
    return message if text == message.content else message.model_copy(update={"content": text})


def _tool(tool: HostTool) -> BaseTool:
    def answered(result: Answer) -> str:
        if result.is_error:
            # Any other exception would end the run.
            raise ToolException(result.text)
        return result.text

    def call(**arguments: Any) -> str:
        return answered(tool.call(arguments.get(RAW, arguments)))

    async def acall(**arguments: Any) -> str:
        return answered(await tool.acall(arguments.get(RAW, arguments)))

    return StructuredTool.from_function(
        call,
        acall,
        name=tool.name,
        description=tool.description,
        args_schema=tool.parameters,
        infer_schema=False,
        handle_tool_error=True,
    )


def _pass_broken(message: Any, names: frozenset[str]) -> None:
    """Let our calls with broken arguments be made: unchanged, they would end the run silently."""
    if not isinstance(message, sdk.AIMessage):
        return
    ours = [each for each in message.invalid_tool_calls if each["name"] in names]
    if not ours:
        return
    made: list[Any] = [
        {"name": each["name"], "args": {RAW: each["args"]}, "id": each["id"], "type": "tool_call"}
        for each in ours
    ]
    message.tool_calls = [*message.tool_calls, *made]
    message.invalid_tool_calls = [each for each in message.invalid_tool_calls if each not in ours]


# --- Messages ---


def _written(role: str, text: str) -> sdk.AnyMessage:
    """A message with a text, for a summary and for the request of one."""
    return sdk.AIMessage(text) if role == "assistant" else sdk.HumanMessage(text)


def _mark(dialogue: Dialogue, model: Any) -> dict[str, Any]:
    """The breakpoint for a model; empty for models that cache the longest prefix."""
    kind = type(model).__name__
    name = str(getattr(model, "model_name", None) or getattr(model, "model", ""))
    if kind == "ChatAnthropic":
        return {"cache_control": bodies.EPHEMERAL}
    if "OpenAI" in kind:
        return (
            {"prompt_cache_breakpoint": bodies.EXPLICIT} if bodies.BREAKPOINTS.search(name) else {}
        )
    if "Google" not in kind:
        dialogue.host.say(
            f"no breakpoint of {kind} is known: a tail may make its provider bill the whole history anew;"
            ' use mode="append"'
        )
    return {}


def _marked(message: Any, mark: dict[str, Any]) -> Any:
    blocks = _blocks(message.content)
    if not blocks or not mark:
        return message
    return message.model_copy(update={"content": [*blocks[:-1], {**blocks[-1], **mark}]})


def _blocks(content: Any) -> list[Any]:
    parts = [content] if isinstance(content, str) else content
    return [{"type": "text", "text": each} if isinstance(each, str) else each for each in parts]


def _told(message: Any) -> HostMessage:
    if getattr(message, "additional_kwargs", {}).get("lc_source") == "summarization":
        text = str(message.text)
        return HostMessage(text=text, summary=text)
    return bodies.told(message)
