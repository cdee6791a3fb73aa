"""The HUD for OpenAI's SDK, Responses and Chat: ``OpenAI(http_client=Hud().http_client())``.

The SDK has no middleware, so the HUD goes into requests where they leave the process: into those of code
that is not yours as well. Your own list of items stays yours. Where the provider holds the history, as with
``previous_response_id``, the HUD is put there once.
"""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import json
from typing import Any

from hud_runtime.integrations._host_session import HostTool
from hud_runtime.integrations._wire import WireClient, missing
from hud_runtime.integrations.bodies import Record
from hud_runtime.observe._observations import is_object, json_of
from hud_runtime.observe.messages import read_message

try:
    import openai
    from openai.lib.responses_tool_runner import AsyncRegisteredFunction, RegisteredFunction

    from hud_runtime.integrations._wire import async_client_of, client_of
except ImportError as error:
    raise missing("openai", error) from error

__all__ = ["Hud"]

RAW = "__raw__"
"""The argument that carries what no parser took."""


class Hud(WireClient):
    """Gives the agent behind a client its HUD.

    :param source: the session that all requests belong to; or a store, the path of one, or None for the usual
        place: then it is the conversation that is :meth:`running`, else one that begins now.
    :param mode: "append", "tail" or "system".
    :param options: those of :class:`hud_runtime.integrations.HostSession`.

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
        """Return what ``OpenAI`` takes as its ``http_client``.

        :param options: those of ``openai.DefaultHttpxClient``.
        """
        return client_of(openai.DefaultHttpxClient, self._wire, self._mend, **options)

    def async_http_client(self, **options: Any) -> Any:
        """Return what ``AsyncOpenAI`` takes as its ``http_client``."""
        return async_client_of(openai.DefaultAsyncHttpxClient, self._wire, self._mend, **options)

    def _mend(self, answer: Record) -> bool:
        """Wrap broken arguments of registered functions: the SDK's runner would end the run for them."""
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
        """Return what a loop of your own passes as ``tools``.

        :param chat: for Chat Completions, not for Responses.
        """
        return [dict(each.definition) if chat else _flat(each) for each in self._offered.values()]

    def results(self, answer: Any) -> list[Record]:
        """Return the results of the HUD's tools that an answer calls: items, or messages of a chat.

        Calls of your own tools are not among them.
        """
        offered = self._offered
        is_chat = hasattr(answer, "choices")
        items = [answer.choices[0].message] if is_chat else answer.output
        calls = (each for item in items for each in read_message(item).parts if each.kind == "call")
        said = [
            (each.id, offered[each.name].call(each.value).text)
            for each in calls
            if each.name in offered
        ]
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
    """A tool as Responses take it, which are strict unless they are told not to be."""
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
