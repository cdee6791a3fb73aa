"""The HUD for OpenAI's SDK, Responses and Chat: ``OpenAI(http_client=Hud().http_client())``.

The SDK has no middleware, so the HUD is added to requests as they leave the process, including those of other
code. Your own list of items is not changed. If the provider holds the history, as with
``previous_response_id``, the HUD is added once.
"""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import json
from typing import Any

from hud_runtime.integrations._host_session import HostTool
from hud_runtime.integrations._wire import WireClient, async_client_of, client_of, extra
from hud_runtime.integrations.bodies import Record
from hud_runtime.observe._observations import is_object, json_of

with extra("openai"):
    import openai
    from openai.lib.responses_tool_runner import AsyncRegisteredFunction, RegisteredFunction

__all__ = ["Hud"]

RAW = "__raw__"
"""The argument with unparsed text."""


class Hud(WireClient):
    """Adds the HUD to the agent of a client.

    :param source: the session of all requests; or a store, the path of one, or None for the default one: then
        requests belong to the conversation that is :meth:`running`, else to a new one.
    :param mode: "append", "tail" or "system".
    :param options: options of :class:`hud_runtime.integrations.HostSession`.

    >>> from openai import OpenAI
    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     hud = Hud(store.session("s"))
    ...     client = OpenAI(api_key="x", http_client=hud.http_client())
    ...     [tool["name"] for tool in hud.definitions()]
    ['hud', 'hud_compact']
    """

    dialect = "openai"
    _registered: frozenset[str] = frozenset()

    # --- Requests ---

    def http_client(self, **options: Any) -> Any:
        """Return the ``http_client`` for ``OpenAI``.

        :param options: options of ``openai.DefaultHttpxClient``.
        """
        return client_of(openai.DefaultHttpxClient, self._wire, self._mend, **options)

    def async_http_client(self, **options: Any) -> Any:
        """Return the ``http_client`` for ``AsyncOpenAI``."""
        return async_client_of(openai.DefaultAsyncHttpxClient, self._wire, self._mend, **options)

    def _mend(self, answer: Record) -> bool:
        """Wrap broken arguments of registered functions, for which the SDK's runner would end the run."""
        calls = [
            each
            for each in answer.get("output") or ()
            if each.get("type") == "function_call" and each.get("name") in self._registered
        ]
        broken = [each for each in calls if not is_object(json_of(each["arguments"]))]
        for each in broken:
            each["arguments"] = json.dumps({RAW: each["arguments"]})
        return bool(broken)

    # --- Tools ---

    def definitions(self, *, chat: bool = False) -> list[Record]:
        """Return the HUD's tools as ``tools`` for your own loop.

        :param chat: whether they are for Chat Completions instead of Responses.
        """
        return [dict(each.definition) if chat else _flat(each) for each in self._offered.values()]

    def results(self, answer: Any) -> list[Record]:
        """Return the results of the HUD's tools that an answer calls: items, or messages of a chat.

        Calls of your own tools are not included.
        """
        is_chat = hasattr(answer, "choices")
        items = [answer.choices[0].message] if is_chat else answer.output
        said = [(call.id, result.text) for call, result in self._results_of(*items)]
        if is_chat:
            return [{"role": "tool", "tool_call_id": id_, "content": text} for id_, text in said]
        return [
            {"type": "function_call_output", "call_id": id_, "output": text} for id_, text in said
        ]

    def functions(self) -> list[RegisteredFunction]:
        """Return the HUD's tools for a ResponsesToolRunner."""
        self._registered = frozenset(self._offered)
        return [RegisteredFunction(_flat(each), _sync(each)) for each in self._offered.values()]

    def async_functions(self) -> list[AsyncRegisteredFunction]:
        """Return the HUD's tools for an AsyncResponsesToolRunner."""
        self._registered = frozenset(self._offered)
        return [
            AsyncRegisteredFunction(_flat(each), _async(each)) for each in self._offered.values()
        ]


def _flat(tool: HostTool) -> Any:
    """A tool for Responses, which are strict by default."""
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "strict": False,
    }


def _sync(tool: HostTool) -> Any:
    def execute(arguments: dict[str, object]) -> str:
        return tool.call(arguments.get(RAW, arguments)).text

    return execute


def _async(tool: HostTool) -> Any:
    async def execute(arguments: dict[str, object]) -> str:
        return (await tool.acall(arguments.get(RAW, arguments))).text

    return execute
