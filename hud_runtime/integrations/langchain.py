"""The HUD as a middleware of a LangChain agent: ``create_agent(…, middleware=[HudMiddleware()])``.

What is delivered becomes a message of the agent's state, and so of its checkpoints; a tail is part of one
request alone. Each thread is a session, and an agent that another one's tool runs is its child.
"""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, Unpack
from uuid import uuid4

from hud_runtime.delivery import Mode
from hud_runtime.integrations._conversations import Conversations, Source
from hud_runtime.integrations._dialogue import Dialogue, Message
from hud_runtime.integrations._host_session import HostOptions
from hud_runtime.integrations._missing import missing
from hud_runtime.integrations._tools import HostTool, check_prunes
from hud_runtime.integrations.bodies import BREAKPOINTS, EPHEMERAL, EXPLICIT
from hud_runtime.observation import ToolCall, ToolResult, Usage
from hud_runtime.pruning import ToolOutput
from ujsx.tools import ToolResult as Answer

try:
    from langchain.agents.middleware import AgentMiddleware, AgentState
    from langchain.agents.middleware.types import PrivateStateAttr
    from langchain_core.messages import (
        AIMessage,
        AnyMessage,
        HumanMessage,
        RemoveMessage,
        SystemMessage,
        ToolMessage,
    )
    from langchain_core.tools import BaseTool, StructuredTool, ToolException
    from langgraph.config import get_config
    from langgraph.graph.message import REMOVE_ALL_MESSAGES
except ImportError as error:
    raise missing("langchain", error) from error

if TYPE_CHECKING:
    from hud_runtime.compaction import Ask

__all__ = ["HudMiddleware"]

OURS = {"ujsx": "hud"}
"""What marks a message of the state as ours."""

RAW = "__raw__"
"""The argument that carries what no parser took."""


class HudState(AgentState):
    """An agent's state, with the name of its run."""

    hud_run: NotRequired[Annotated[str, PrivateStateAttr]]  # type: ignore[valid-type]


class HudMiddleware(AgentMiddleware):
    """Gives an agent its HUD.

    :param source: a store, with a session for each thread; the path of one, or None for the usual
        place; or the one session that all runs belong to.
    :param mode: "append", "tail" or "system".
    :param tools: whether the agent gets the HUD's tools.
    :param summary: asks a model of yours for a summary, without tools, or several in turn: with it, the history is
        compacted when its policy says so, before a request. LangChain's own SummarizationMiddleware is not needed then.
    :param options: those of :class:`hud_runtime.integrations.HostSession`.

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

    state_schema = HudState

    def __init__(
        self,
        source: Source = None,
        *,
        mode: Mode = "append",
        tools: bool = True,
        summary: Ask | Sequence[Ask] | None = None,
        **options: Unpack[HostOptions],
    ) -> None:
        super().__init__()
        self._mode: Mode = mode
        # The message before a tail is marked, or the provider keeps the longest prefix.
        check_prunes(options.get("prune", False), tools=tools)
        self._conversations = Conversations(source, mode=mode, marked=True, **options)
        offered = self._conversations.tools() if tools else ()
        self._names = frozenset(each.name for each in offered)
        self._summary = summary
        self.tools: Sequence[BaseTool] = [_tool(each) for each in offered]

    def before_agent(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Give a run a name, for those that belong to no thread."""
        return None if state.get("hud_run") else {"hud_run": f"run-{uuid4().hex[:12]}"}

    def _dialogue(self, state: Any) -> Dialogue:
        config = get_config()
        given = config.get("configurable", {})
        # An agent within another one shares its thread, and has a space of its own for checkpoints.
        spaces = str(given.get("checkpoint_ns") or "").split("|")[:-1]
        name = "|".join([str(given.get("thread_id") or state.get("hud_run")), *spaces])
        return self._conversations.of(name, config.get("metadata", {}).get("lc_agent_name"))

    # --- Deliveries ---

    def before_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Compact the history where it is time, and append what is new to the state."""
        dialogue = self._dialogue(state)
        before, history = state["messages"], self._history(dialogue, state["messages"])
        added = [] if history is before else [RemoveMessage(REMOVE_ALL_MESSAGES), *history]
        if self._mode == "append":
            added += dialogue.host.attempt(
                "deliver the HUD", lambda: _appended(dialogue, history), list
            )
        return {"messages": added} if added else None

    def _history(self, dialogue: Dialogue, messages: list[AnyMessage]) -> list[AnyMessage]:
        """The messages, or what stands in their place after a compaction."""
        if self._summary is None:
            return messages
        decision = dialogue.host.compaction()
        if decision.verdict != "now":
            return messages
        made = dialogue.host.compact(messages, self._summary, decision=decision, write=_written)
        return messages if made.error is not None else made.messages

    async def abefore_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        """Do as :meth:`before_model` does, beside the event loop."""
        return await asyncio.to_thread(self.before_model, state, runtime)

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Put a tail into the request, tell what it took, and let broken arguments pass."""
        dialogue = self._dialogue(request.state)
        response = handler(self._shown(dialogue, request))
        self._answered(dialogue, request, response)
        return response

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """Do as :meth:`wrap_model_call` does, beside the event loop."""
        dialogue = self._dialogue(request.state)
        response = await handler(await asyncio.to_thread(self._shown, dialogue, request))
        await asyncio.to_thread(self._answered, dialogue, request, response)
        return response

    def _shown(self, dialogue: Dialogue, request: Any) -> Any:
        if self._mode == "append":
            return request
        return dialogue.host.attempt(
            "deliver the HUD", lambda: _with_tail(dialogue, request), lambda: request
        )

    def _answered(self, dialogue: Dialogue, request: Any, response: Any) -> None:
        def tell() -> None:
            message = response.result[-1]
            _pass_broken(message, self._names)
            profile = getattr(request.model, "profile", None) or {}
            dialogue.answered(
                _usage(message),
                model=message.response_metadata.get("model_name"),
                limit=profile.get("max_input_tokens"),
            )

        dialogue.host.attempt("read an answer", tell, lambda: None)

    # --- Tools ---

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Be the parent of agents that a tool runs, and prune what it gives back, where that is a text."""
        host = self._dialogue(request.state).host
        with host.running():
            result = handler(request)
        output = self._output(request, result)
        return result if output is None else _with_text(result, host.pruned(output))

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        """Do as :meth:`wrap_tool_call` does, beside the event loop."""
        host = self._dialogue(request.state).host
        with host.running():
            result = await handler(request)
        output = self._output(request, result)
        return result if output is None else _with_text(result, await host.apruned(output))

    def _output(self, request: Any, result: Any) -> ToolOutput | None:
        """What a tool has said, where it is a text and no answer of ours."""
        call = request.tool_call
        if not isinstance(result, ToolMessage) or call["name"] in self._names:
            return None
        if not isinstance(result.content, str):
            return None
        return ToolOutput(
            text=result.content,
            tool=call["name"],
            id=call["id"] or "",
            arguments=call["args"],
            failed=result.status == "error",
        )


def _with_text(message: ToolMessage, text: str) -> ToolMessage:
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
    """Let calls of ours with broken arguments be made: left as they are, they end the run in silence."""
    if not isinstance(message, AIMessage):
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


def _appended(dialogue: Dialogue, history: Sequence[AnyMessage]) -> list[Any]:
    made = dialogue.request([_told(each) for each in history])
    return [HumanMessage(each.text, additional_kwargs=OURS) for each in made.parts]


def _written(role: str, text: str) -> AnyMessage:
    """A message with words, for a summary and for the request that asks for it."""
    return AIMessage(text) if role == "assistant" else HumanMessage(text)


def _with_tail(dialogue: Dialogue, request: Any) -> Any:
    made = dialogue.request([_told(each) for each in request.messages])
    messages = list(request.messages)
    changed: dict[str, Any] = {}
    for each in made.parts:
        if each.place == "system":
            own = request.system_message
            blocks = [] if own is None else _blocks(own.content)
            changed["system_message"] = SystemMessage(
                content=[*blocks, {"type": "text", "text": each.text}]
            )
            continue
        mark = _mark(dialogue, request.model)
        if mark and messages:
            messages[-1] = _marked(messages[-1], mark)
        messages.append(HumanMessage(each.text, additional_kwargs=OURS))
    return request.override(messages=messages, **changed)


def _mark(dialogue: Dialogue, model: Any) -> dict[str, Any]:
    """The breakpoint that a model takes; none for those that keep the longest prefix."""
    kind = type(model).__name__
    name = str(getattr(model, "model_name", None) or getattr(model, "model", ""))
    if kind == "ChatAnthropic":
        return {"cache_control": EPHEMERAL}
    if "OpenAI" in kind:
        return {"prompt_cache_breakpoint": EXPLICIT} if BREAKPOINTS.search(name) else {}
    if "Google" not in kind:
        dialogue.host.say(
            f"no breakpoint of {kind} is known: a tail may make its provider bill the whole history anew;"
            ' use mode="append"'
        )
    return {}


def _marked(message: Any, mark: dict[str, Any]) -> Any:
    blocks = _blocks(message.content)
    if not blocks:
        return message
    return message.model_copy(update={"content": [*blocks[:-1], {**blocks[-1], **mark}]})


def _blocks(content: Any) -> list[Any]:
    parts = [content] if isinstance(content, str) else content
    return [{"type": "text", "text": each} if isinstance(each, str) else each for each in parts]


def _told(message: Any) -> Message:
    text = str(message.text)
    if isinstance(message, AIMessage):
        calls = tuple(
            ToolCall(name=each["name"], arguments=each["args"], call_id=each["id"])
            for each in message.tool_calls
        )
        return Message(text=f"{text} {message.tool_calls}", said=text, is_answer=True, calls=calls)
    if isinstance(message, ToolMessage):
        has_failed = message.status == "error"
        result = ToolResult(
            text=text,
            call_id=message.tool_call_id,
            status="failed" if has_failed else "unknown",
        )
        return Message(text=text, results=(result,))
    if isinstance(message, HumanMessage):
        more = message.additional_kwargs
        if more.get("lc_source") == "summarization":
            return Message(text=text, summary=text)
        is_ours = more.get("ujsx") == OURS["ujsx"]
        return Message(text=text, said="" if is_ours else text, is_ours=is_ours)
    return Message(text=text)


def _usage(message: Any) -> Usage | None:
    took = getattr(message, "usage_metadata", None)
    if not took:
        return None
    details = took.get("input_token_details") or {}
    return Usage.of_prompt(
        took["input_tokens"],
        cache_read=details.get("cache_read") or 0,
        cache_write=details.get("cache_creation") or details.get("cache_write") or 0,
        output=took["output_tokens"],
    )
