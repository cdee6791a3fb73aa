"""The HUD for the OpenAI Agents SDK: ``Runner.run(**Hud().run(agent), input=…)``.

The SDK does not store a filter's changes to a request, so earlier texts are added after the same items in
each request. Agents that take over a run share its history and its HUD; an agent that is a tool has a history
of its own, and is a child.
"""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from functools import cached_property, partial
from typing import Any, Unpack
from uuid import uuid4

from hud_runtime.context.delivery import Delivery, Mode
from hud_runtime.context.pruning import ToolOutput
from hud_runtime.integrations._dialogue import Conversations, Dialogue, HostMessage, Source
from hud_runtime.integrations._host_session import HostSession, HostTool, check_prunes, current
from hud_runtime.integrations._sending import HostOptions
from hud_runtime.integrations._wire import extra
from hud_runtime.integrations.bodies import CONVERSATION, placed_in, responses_items, told
from hud_runtime.observe import ToolCall, usage_in
from hud_runtime.observe._observations import arguments as arguments_in
from hud_runtime.observe._reader import calls_in
from hud_runtime.observe.messages import read_message

with extra("openai-agents"):
    from agents import Agent, FunctionTool, RunConfig, RunHooks
    from agents.run import ModelInputData

__all__ = ["Hud"]


class Hud:
    """Adds the HUD to the agents of a run.

    :param source: a store, with a session for each conversation; the path of one, or None for the default
        one; or the one session of all runs.
    :param mode: "append", "tail" or "system".
    :param tools: whether agents get the HUD's tools.
    :param options: options of :class:`hud_runtime.integrations.HostSession`.

    >>> from agents import Agent
    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     run = Hud(store).run(Agent(name="coder"))
    ...     sorted(run), [tool.name for tool in run["starting_agent"].tools]
    (['hooks', 'run_config', 'starting_agent'], ['hud', 'hud_compact'])
    """

    def __init__(
        self,
        source: Source = None,
        *,
        mode: Mode = "append",
        tools: bool = True,
        **options: Unpack[HostOptions],
    ) -> None:
        self.mode: Mode = mode
        # The item before a tail has a breakpoint, or the provider caches the longest prefix.
        check_prunes(options.get("prune", False), tools=tools)
        self._conversations = Conversations(source, mode=mode, has_cache_breakpoint=True, **options)
        self.tools = self._conversations.tools() if tools else ()

    def host(self, conversation: str) -> HostSession:
        """Return the session of a conversation, for use between two of its runs.

        The SDK does not compact: between two runs, ``host(name).compaction()`` returns whether it is due, and
        ``host(name).compact(result.to_input_list(), ask)`` makes the items for the next run.
        """
        return self._conversations.of(conversation).host

    def run(
        self,
        agent: Agent[Any],
        *,
        conversation: str | None = None,
        run_config: RunConfig | None = None,
        hooks: RunHooks[Any] | None = None,
        **more: Any,
    ) -> dict[str, Any]:
        """Return the arguments of Runner.run, run_sync and run_streamed for a run of this agent with a HUD.

        :param conversation: the id of its session; by default that of the SDK's ``session`` or ``conversation_id``,
            or the session that made ``previous_response_id``; else a new one.
        :param run_config: the rest of the run's configuration; your own filter runs first.
        :param hooks: your own hooks, which are called as well.
        :param more: all other arguments of the runner.
        """
        config = copy.copy(run_config) if run_config is not None else RunConfig()
        find = partial(_dialogue_of, self._conversations, conversation, agent.name, more)
        ours = _AgentRun(self, find, config, more)
        config.call_model_input_filter = ours.filter
        return {
            "starting_agent": ours.with_hud(agent),
            "run_config": config,
            "hooks": _Hooks(ours, hooks),
            **more,
        }


class _AgentRun:
    """A run, and the agents that share its history."""

    def __init__(
        self, hud: Hud, find: Callable[[], Dialogue], config: RunConfig, more: Mapping[str, Any]
    ) -> None:
        self._hud = hud
        self._find = find
        self._config = config
        self._filter_before: Any = config.call_model_input_filter
        self._agents: dict[int, Agent[Any]] = {}
        self._ours: set[int] = set()
        named, previous = more.get("conversation_id"), more.get("previous_response_id")
        self._held: str | None = f"{CONVERSATION}{named}" if named else previous
        self._is_chained = not named and bool(previous or more.get("auto_previous_response_id"))
        self._unsure: Delivery | None = None
        """A delivery that the provider stores if it answers."""

    @cached_property
    def main(self) -> Dialogue:
        """The conversation of the run."""
        return self._find()

    def answered(self, response: Any, model: str | None) -> None:
        """Record an answer to the run's own agents."""
        host = self.main.host
        usage = host.attempt(
            "read what a request took", lambda: usage_in(response.usage), lambda: None
        )
        calls = host.attempt("read an answer", lambda: _calls(response), lambda: ())
        if self._unsure is not None:
            host.sent(self._unsure)
            self._unsure = None
        if self._is_chained:
            self._held = response.response_id
        head = self._held or response.response_id
        self.main.answered(usage, model=model, calls=calls, head=head)

    def with_hud(self, agent: Agent[Any]) -> Agent[Any]:
        """An agent with the HUD's tools, and likewise the agents of its handoffs."""
        if id(agent) in self._agents:
            return self._agents[id(agent)]
        made = self._agents[id(agent)] = copy.copy(agent)
        self._ours.add(id(made))
        names = {each.name for each in self._hud.tools}
        own = [self._parent(each) for each in agent.tools if each.name not in names]
        made.tools = [*own, *(self._tool(each) for each in self._hud.tools)]
        made.handoffs = [self._handoff(each) for each in agent.handoffs]
        return made

    def _handoff(self, given: Any) -> Any:
        if isinstance(given, Agent):
            return self.with_hud(given)
        made = copy.copy(given)

        async def invoke(context: Any, arguments: str) -> Any:
            return self.with_hud(await given.on_invoke_handoff(context, arguments))

        made.on_invoke_handoff = invoke
        return made

    def _parent(self, tool: Any) -> Any:
        """A tool whose agents are children of this run, and whose text result is pruned."""
        if not isinstance(tool, FunctionTool):
            return tool
        made = copy.copy(tool)

        async def invoke(context: Any, arguments: str) -> Any:
            token = _in_tool.set({})
            try:
                host = current() or self.main.host
                with host.running():
                    result = await tool.on_invoke_tool(context, arguments)
            finally:
                _in_tool.reset(token)
            if not isinstance(result, str):
                return result
            return await host.apruned(
                ToolOutput(text=result, tool=tool.name, arguments=arguments_in(arguments))
            )

        made.on_invoke_tool = invoke
        return made

    def _tool(self, tool: HostTool) -> FunctionTool:
        async def invoke(_context: Any, arguments: str) -> str:
            # This protocol has no flag for errors, and an exception would end the run.
            host = current() or self.main.host
            return (await host.acall(tool.name, arguments)).text

        return FunctionTool(
            tool.name, tool.description, tool.parameters, invoke, strict_json_schema=False
        )

    async def filter(self, data: Any) -> ModelInputData:
        """Add the HUD to the model's input."""
        given, history = data.model_data, [*data.model_data.input]
        if self._filter_before is not None:
            changed = self._filter_before(data)
            given = await changed if asyncio.iscoroutine(changed) else changed
        dialogue = await asyncio.to_thread(self._dialogue, data.agent)
        return await asyncio.to_thread(
            dialogue.host.attempt,
            "deliver the HUD",
            lambda: self._filtered(dialogue, history, given, self._model(data.agent)),
            lambda: given,
        )

    def _model(self, agent: Agent[Any]) -> str:
        return _name_of(self._config.model or agent.model)

    def _dialogue(self, agent: Agent[Any]) -> Dialogue:
        running, nested = current(), _in_tool.get()
        if id(agent) in self._ours or running is None or nested is None:
            return self.main
        if agent.name not in nested:
            child = running.child(f"{agent.name}-{uuid4().hex[:8]}")
            nested[agent.name] = Dialogue(child)
        return nested[agent.name]

    def _filtered(
        self, dialogue: Dialogue, history: list[Any], given: ModelInputData, model: str
    ) -> ModelInputData:
        items: list[Any] = [dict(each) for each in given.input]
        messages = [told(each) for each in history]
        held = self._held if dialogue is self.main else None
        if held is None and _is_held(messages):
            held = ""
        mode = self._hud.mode if held is None else dialogue.held_mode(self._hud.mode)
        is_unsure = held is not None and dialogue is self.main
        reads = [told(each) for each in items]
        made = dialogue.request(messages, reads=reads, held=held, sent=not is_unsure, mode=mode)
        if is_unsure:
            self._unsure = made
        placed = placed_in(items, made)
        instructions = "\n\n".join(filter(None, (given.instructions, placed.system)))
        return ModelInputData(responses_items(placed.messages, model), instructions or None)


def _dialogue_of(
    conversations: Conversations, name: str | None, agent: str, more: Mapping[str, Any]
) -> Dialogue:
    """The conversation of a run: see :meth:`Hud.run`."""
    # A session that the provider holds has an id once the run has read it, and raises before.
    stored = getattr(more.get("session"), "session_id", None)
    named = name or stored or more.get("conversation_id")
    previous = more.get("previous_response_id")
    dialogue = conversations.of(named or f"run-{uuid4().hex[:12]}", agent)
    if named or not previous or conversations.is_one:
        return dialogue
    found = dialogue.host.attempt(
        "find the session of a response", lambda: conversations.with_answer(previous), lambda: None
    )
    if found is None:
        dialogue.host.say(
            f"no session of late has made the response {previous}, so a new one begins; name the session with"
            " conversation="
        )
    return dialogue if found is None else conversations.of(found, agent)


def _name_of(model: Any) -> str:
    return model if isinstance(model, str) else str(getattr(model, "model", "") or "")


_in_tool: ContextVar[dict[str, Dialogue] | None] = ContextVar("in_tool", default=None)
"""The histories of the agents that the running tool call has started."""


def _is_held(messages: list[HostMessage]) -> bool:
    """Whether these are only the newest items: a result without its call."""
    parts = [part for each in messages for part in each.parts]
    calls = {each.id for each in parts if each.kind == "call"}
    return any(each.id not in calls for each in parts if each.kind == "result")


class _Hooks(RunHooks[Any]):
    """Records requests' usage, and passes everything on. The SDK calls hooks by the names of their parameters."""

    def __init__(self, run: _AgentRun, others: RunHooks[Any] | None) -> None:
        self._run = run
        self._others = RunHooks[Any]() if others is None else others
        for name in dir(RunHooks):
            if name.startswith("on_") and name not in vars(_Hooks):
                setattr(self, name, getattr(self._others, name))

    async def on_llm_end(self, context: Any, agent: Any, response: Any) -> None:
        await asyncio.to_thread(self._run.answered, response, _name_of(agent.model) or None)
        await self._others.on_llm_end(context, agent, response)


def _calls(response: Any) -> tuple[ToolCall, ...]:
    """The calls in an answer, which a history at the provider does not show."""
    return tuple(call for each in response.output for call in calls_in(read_message(each).parts))
