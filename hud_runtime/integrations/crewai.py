"""The HUD as hooks of CrewAI: ``with Hud() as hud: Crew(agents=[Agent(…, tools=[*hud.tools])], …).kickoff()``.

The HUD is part of requests: it is among an agent's messages while the model is called. A crew is one session,
whose agents share a HUD from task to task. An agent that works within another one's tool is a child.
"""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import threading
from contextlib import ExitStack
from copy import deepcopy
from typing import Any, ClassVar, Self, Unpack

from pydantic import BaseModel, ConfigDict

from hud_runtime.context.pruning import ToolOutput
from hud_runtime.integrations._dialogue import Dialogue, Source, checked_mode
from hud_runtime.integrations._framework import Framework, FrameworkOptions
from hud_runtime.integrations._host_session import HostTool, current
from hud_runtime.integrations._wire import extra
from hud_runtime.integrations.bodies import with_ours
from hud_runtime.observe import usage_in
from hud_runtime.observe._observations import UsageDialect

with extra("crewai"):
    from crewai import hooks
    from crewai.tools import BaseTool

__all__ = ["Hud"]

HOOKS = ("before_llm", "after_llm", "before_tool", "after_tool")
"""The calls with a hook, each a method's name."""

FIGURES = UsageDialect(
    "prompt_tokens", "completion_tokens", "cached_prompt_tokens", "cache_creation_tokens"
)
"""The names of usage figures."""


class Hud:
    """Adds the HUD to all agents that work while it is open.

    :param source: a store, with a session for each crew; the path of one, or None for the default one; or the
        one session that everything belongs to.
    :param mode: "append".
    :param tools: whether :attr:`tools` has the HUD's tools.
    :param summary: asks your model for a summary, without tools, or several in turn: with it, the history in
        requests is compacted by its policy.
    :param options: options of :class:`hud_runtime.integrations.HostSession`.
    :raises DeliveryError: for another mode.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store, Hud(store) as hud:
    ...     [each.name for each in hud.tools]
    ['hud', 'hud_compact']
    """

    def __init__(self, source: Source = None, **options: Unpack[FrameworkOptions]) -> None:
        why = "its providers find other places for what is said there"
        checked_mode("CrewAI", options.get("mode", "append"), ("append",), why)
        self._framework = Framework(source, _written, dialect="openai-strict", **options)
        self.tools: tuple[BaseTool, ...] = tuple(_Tool.of(each) for each in self._framework.tools)
        self._open = ExitStack()
        self._is_open = False
        self._used: dict[int, tuple[Any, Any]] = {}
        """Each model with its last figures, by its identity."""

    def __enter__(self) -> Self:
        for name in HOOKS:
            hook = getattr(self, f"_{name}")
            getattr(hooks, f"register_{name}_call_hook")(hook)
            self._open.callback(getattr(hooks, f"unregister_{name}_call_hook"), hook)
        self._is_open = True
        return self

    def __exit__(self, *_: object) -> None:
        self._is_open = False
        self._open.close()

    def _dialogue(self, context: Any) -> Dialogue:
        crew = getattr(context, "crew", None)
        name = str(getattr(crew or context.agent, "id", None) or id(crew or context.agent))
        if current() is not None:
            name = f"{name}-{getattr(context.agent, 'id', '')}"
        return self._framework.conversations.of(name, getattr(context.agent, "role", None))

    def _before_llm(self, context: Any) -> None:
        """Add the HUD to an agent's request; calls apart from its work, such as planning, are ignored."""
        if context.executor is None or not self._is_open:
            return
        dialogue = self._dialogue(context)
        self._tell_usage(dialogue, context.llm)
        made = self._framework.placed(dialogue, _own(context.messages))
        context.messages[:] = with_ours(made.messages, _said)

    def _after_llm(self, context: Any) -> None:
        """Remove our texts from an agent's messages. The framework calls this after its last answer."""
        if context.executor is not None:
            self._tell_usage(self._dialogue(context), context.llm)
            context.messages[:] = _own(context.messages)

    def _tell_usage(self, dialogue: Dialogue, model: Any) -> None:
        """Record the last request's usage: the framework has a sum for each model."""

        def tell() -> None:
            total = model.get_token_usage_summary()
            _, before = self._used.get(id(model), (model, type(total)()))
            if total != before:
                self._used[id(model)] = model, total
                took = total.delta_since(before)
                dialogue.answered(usage_in(took, (FIGURES,)), model=model.model)

        if hasattr(model, "get_token_usage_summary"):
            dialogue.host.attempt("read what a request took", tell, lambda: None)

    def _before_tool(self, context: Any) -> None:
        """Make the session the parent of agents that a tool runs, and the session of the HUD's tools."""
        if self._is_open:
            self._framework.tool_begins(threading.get_ident(), self._dialogue(context).host)

    def _after_tool(self, context: Any) -> str | None:
        """Prune a tool's result."""
        host = current()
        if not self._framework.tool_ends(threading.get_ident()) or host is None:
            return None
        text, arguments = str(context.tool_result), context.tool_input
        output = ToolOutput(text=text, tool=context.tool_name, arguments=arguments)
        read = self._framework.pruned(host, output)
        return None if read == text else read


class _Said(dict[str, Any]):
    """A message of ours."""


def _own(messages: list[Any]) -> list[Any]:
    return [each for each in messages if not isinstance(each, _Said)]


def _said(text: str) -> _Said:
    return _Said(role="user", content=text)


def _written(role: str, text: str) -> dict[str, str]:
    return {"role": role, "content": text}


class _Arguments(BaseModel):
    """Arguments without validation before the tool repairs them."""

    model_config = ConfigDict(extra="allow")
    parameters: ClassVar[dict[str, Any]]

    @classmethod
    def model_json_schema(cls, *_: Any, **__: Any) -> dict[str, Any]:
        return deepcopy(cls.parameters)


class _Tool(BaseTool):
    call: Any

    @classmethod
    def of(cls, tool: HostTool) -> _Tool:
        return cls(
            name=tool.name,
            description=tool.description,
            args_schema=type("Arguments", (_Arguments,), {"parameters": tool.parameters}),
            cache_function=_never,
            call=tool.call,
        )

    def _run(self, **arguments: Any) -> str:
        return self.call(arguments).text


def _never(*_: object) -> bool:
    """Cache no result: the state may have changed. The framework warns about a lambda."""
    return False
