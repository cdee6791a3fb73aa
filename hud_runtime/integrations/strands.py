"""The HUD as a plugin of a Strands agent: ``Agent(…, plugins=[HudPlugin()])``.

The HUD is part of requests and never of the agent's messages. Each agent's conversation is a session. An
agent that runs within another one's tool is its child.
"""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from functools import partial
from typing import Any, Unpack
from uuid import uuid4
from weakref import WeakKeyDictionary

from hud_runtime.context.pruning import ToolOutput
from hud_runtime.integrations._dialogue import Dialogue, Source
from hud_runtime.integrations._framework import Framework, FrameworkOptions, ModelAnswer
from hud_runtime.integrations._host_session import HostTool
from hud_runtime.integrations._wire import extra
from hud_runtime.integrations.bodies import Ours, is_tail
from hud_runtime.observe import usage_in

with extra("strands"):
    from strands.middleware import ExecuteToolStage, InvokeModelStage
    from strands.plugins import Plugin
    from strands.tools.tools import PythonAgentTool

__all__ = ["HudPlugin"]

BREAKPOINT = {"cachePoint": {"type": "default"}}
"""The block after which nothing is cached, in Bedrock's format, which the framework translates."""


class HudPlugin(Plugin):
    """Adds the HUD to an agent.

    :param source: a store, with a session for each agent; the path of one, or None for the default one; or
        the one session that everything belongs to.
    :param conversation: the id of the agent's session; by default that of its ``session_manager``, else a new one.
    :param mode: "append", "tail" or "system".
    :param tools: whether the agent gets the HUD's tools.
    :param summary: asks your model for a summary, without tools, or several in turn: with it, the history in
        requests is compacted by its policy.
    :param options: options of :class:`hud_runtime.integrations.HostSession`.

    >>> from strands import Agent
    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     agent = Agent(name="coder", plugins=[HudPlugin(store, conversation="c-1")])
    ...     agent.tool_names
    ['hud', 'hud_compact']
    """

    name = "ujsx-hud"

    def __init__(
        self,
        source: Source = None,
        *,
        conversation: str | None = None,
        **options: Unpack[FrameworkOptions],
    ) -> None:
        super().__init__()
        self._conversation = conversation
        self._framework = Framework(source, _written, **options)
        self._names: WeakKeyDictionary[Any, str] = WeakKeyDictionary()

    def init_agent(self, agent: Any) -> None:
        """Add the HUD's tools to an agent, and the HUD to its requests."""
        agent.tool_registry.process_tools([_tool(each) for each in self._framework.tools])
        agent.add_middleware(InvokeModelStage, self._asked)
        agent.add_middleware(ExecuteToolStage, self._called)

    def _dialogue(self, agent: Any) -> Dialogue:
        stored = getattr(getattr(agent, "_session_manager", None), "session_id", None)
        if stored is not None and agent.agent_id != "default":
            stored = f"{stored}-{agent.agent_id}"  # agents may share a session, not a history
        own = self._names.setdefault(agent, f"{agent.name}-{uuid4().hex[:12]}")
        return self._framework.conversations.of(self._conversation or stored or own, agent.name)

    async def _asked(self, context: Any, call_next: Callable[[Any], Any]) -> AsyncGenerator[Any]:
        """Add the HUD to a request, and record its usage."""
        dialogue = self._dialogue(context.agent)
        made = await self._framework.aplaced(dialogue, context.messages)
        context = context.replace(messages=_messages(made.messages))
        if made.system:
            context = context.replace(system_prompt=_prompt(context.system_prompt, made.system))
        async for event in call_next(context):
            yield event
            if "stop" in event:
                figures, model = event["stop"][2], context.model
                await self._framework.aanswered(dialogue, partial(_read, figures, model))

    async def _called(self, context: Any, call_next: Callable[[Any], Any]) -> AsyncGenerator[Any]:
        """Make the session the parent of agents that a tool runs, and prune its result, if it is a text."""
        host, use = self._dialogue(context.agent).host, context.tool_use
        with host.running():
            async for event in call_next(context):
                result = event.get("tool_result") or {}
                content = result.get("content") or []
                if [*map(list, content)] == [["text"]]:
                    output = ToolOutput(
                        text=content[0]["text"],
                        tool=use["name"],
                        id=use["toolUseId"],
                        arguments=use["input"],
                        failed=result.get("status") == "error",
                    )
                    content[0]["text"] = await self._framework.apruned(host, output)
                yield event


def _messages(mixed: list[Any]) -> list[Any]:
    """Messages with ours joined into those of the user, which may not be consecutive."""
    made: list[Any] = []
    for each in mixed:
        message = each
        if isinstance(each, Ours):
            said = [*([BREAKPOINT] if is_tail(each) else ()), {"text": each.part.text}]
            message = {"role": "user", "content": said}
        if made and made[-1]["role"] == message["role"] == "user":
            made[-1] = {**made[-1], "content": [*made[-1]["content"], *message["content"]]}
        else:
            made.append(message)
    return made


def _written(role: str, text: str) -> Any:
    return {"role": role, "content": [{"text": text}]}


def _prompt(own: Any, system: str) -> list[Any]:
    given = [{"text": own}] if isinstance(own, str) else [*(own or ())]
    return [*given, {"text": system}, BREAKPOINT]


def _read(figures: Any, model: Any) -> ModelAnswer:
    named = dict(model.get_config()).get("model_id")
    return ModelAnswer(usage_in(figures), named if isinstance(named, str) else None)


def _tool(tool: HostTool) -> PythonAgentTool:
    async def call(use: Any, **_: Any) -> Any:
        result = await tool.acall(use["input"])
        status = "error" if result.is_error else "success"
        return {"toolUseId": use["toolUseId"], "status": status, "content": [{"text": result.text}]}

    spec: Any = {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": {"json": tool.parameters},
    }
    return PythonAgentTool(tool.name, spec, call)
