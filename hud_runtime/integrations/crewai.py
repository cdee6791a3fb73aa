"""The HUD as hooks of CrewAI: ``with Hud() as hud: Crew(agents=[Agent(…, tools=[*hud.tools])], …).kickoff()``.

The HUD is part of requests: it is among an agent's messages while the model is called. A crew is one session, whose
agents go on with the same HUD from task to task; one that works on behalf of another one, within its tool, is a child.
"""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import threading
from collections import defaultdict
from contextlib import ExitStack
from copy import deepcopy
from typing import TYPE_CHECKING, Any, ClassVar, Self, Unpack

from pydantic import BaseModel, ConfigDict

from hud_runtime.context.delivery import Mode
from hud_runtime.context.pruning import ToolOutput
from hud_runtime.integrations._dialogue import Dialogue, Source, checked_mode
from hud_runtime.integrations._framework import Framework
from hud_runtime.integrations._host_session import HostOptions, HostTool, current
from hud_runtime.integrations._wire import missing
from hud_runtime.integrations.bodies import Ours, told
from hud_runtime.observe import Usage

try:
    from crewai import hooks
    from crewai.tools import BaseTool
except ImportError as error:
    raise missing("crewai", error) from error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hud_runtime.context.compaction import Ask

__all__ = ["Hud"]


class Hud:
    """Gives all agents that work while it is open their HUD.

    :param source: a store, with a session for each crew; the path of one, or None for the usual place; or the one
        session that all belongs to.
    :param mode: "append".
    :param summary: asks a model of yours for a summary, without tools, or several in turn: with it, what requests show
        of the history is compacted when its policy says so.
    :param options: those of :class:`hud_runtime.integrations.HostSession`.
    :raises DeliveryError: for another mode.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store, Hud(store) as hud:
    ...     [each.name for each in hud.tools]
    ['hud', 'hud_compact']
    """

    def __init__(
        self,
        source: Source = None,
        *,
        mode: Mode = "append",
        summary: Ask | Sequence[Ask] | None = None,
        **options: Unpack[HostOptions],
    ) -> None:
        why = "its providers find other places for what is said there"
        checked = checked_mode("CrewAI", mode, ("append",), why)
        self._framework = Framework(
            source, mode=checked, dialect="openai-strict", summary=summary, **options
        )
        self.tools: tuple[BaseTool, ...] = tuple(_Tool.of(each) for each in self._framework.tools)
        self._open = ExitStack()
        self._is_open = False
        self._running: defaultdict[int, list[ExitStack]] = defaultdict(list)
        self._used: dict[int, tuple[Any, Any]] = {}
        """Each model with its figures so far, by its identity."""

    def __enter__(self) -> Self:
        own = {
            "before_llm": self._asked,
            "after_llm": self._answered,
            "before_tool": self._calls,
            "after_tool": self._called,
        }
        for name, hook in own.items():
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

    def _asked(self, context: Any) -> None:
        """Put the HUD into a request of an agent; a call beside its work, as for a plan, is none."""
        if context.executor is None or not self._is_open:
            return
        dialogue = self._dialogue(context)
        self._tell_usage(dialogue, context.llm)
        own = self._framework.compacted(dialogue, _own(context.messages), _written)
        made = self._framework.placed(dialogue, own, told)
        context.messages[:] = [
            _Said(role="user", content=each.part.text) if isinstance(each, Ours) else each
            for each in made.messages
        ]

    def _answered(self, context: Any) -> None:
        """Take our words out of an agent's messages. The framework calls this behind its last answer."""
        if context.executor is not None:
            self._tell_usage(self._dialogue(context), context.llm)
            context.messages[:] = _own(context.messages)

    def _tell_usage(self, dialogue: Dialogue, model: Any) -> None:
        """Tell what the last request took: the framework has a sum for each model."""

        def tell() -> None:
            total = model.get_token_usage_summary()
            _, before = self._used.get(id(model), (model, type(total)()))
            if total != before:
                self._used[id(model)] = model, total
                dialogue.answered(_usage(total.delta_since(before)), model=model.model)

        if hasattr(model, "get_token_usage_summary"):
            dialogue.host.attempt("read what a request took", tell, lambda: None)

    def _calls(self, context: Any) -> None:
        """Be the parent of agents that a tool runs, and the session of the HUD's tools."""
        if self._is_open:
            stack = ExitStack()
            stack.enter_context(self._dialogue(context).host.running())
            self._running[threading.get_ident()].append(stack)

    def _called(self, context: Any) -> str | None:
        """Prune what a tool gives back."""
        running = self._running[threading.get_ident()]
        if not running:
            return None
        host = current()
        running.pop().close()
        if host is None or context.tool_name in self._framework.names:
            return None
        text, arguments = str(context.tool_result), context.tool_input
        read = host.pruned(ToolOutput(text=text, tool=context.tool_name, arguments=arguments))
        return None if read == text else read


class _Said(dict[str, Any]):
    """A message of ours."""


def _own(messages: list[Any]) -> list[Any]:
    return [each for each in messages if not isinstance(each, _Said)]


def _written(role: str, text: str) -> dict[str, str]:
    return {"role": role, "content": text}


def _usage(took: Any) -> Usage:
    return Usage.of_prompt(
        took.prompt_tokens,
        cache_read=took.cached_prompt_tokens,
        cache_write=took.cache_creation_tokens,
        output=took.completion_tokens,
    )


class _Arguments(BaseModel):
    """Arguments that nobody checks before the tool mends them."""

    model_config = ConfigDict(extra="allow")
    parameters: ClassVar[dict[str, Any]]

    @classmethod
    def model_json_schema(cls, *_: Any, **__: Any) -> dict[str, Any]:
        return deepcopy(cls.parameters)


class _Tool(BaseTool):
    call: Any

    @classmethod
    def of(cls, tool: HostTool) -> _Tool:
        schema = type("Arguments", (_Arguments,), {"parameters": tool.parameters})
        return cls(
            name=tool.name,
            description=tool.description,
            args_schema=schema,
            cache_function=_never,
            call=tool.call,
        )

    def _run(self, **arguments: Any) -> str:
        return self.call(arguments).text


def _never(*_: object) -> bool:
    """Say that no answer is kept for the next call: the state may have changed."""
    return False
