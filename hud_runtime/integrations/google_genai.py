"""The HUD for Google's GenAI SDK: ``genai.Client(http_options=Hud().http_options())``.

The HUD is added to requests as they leave the process, so that each request of automatic function calling has
it. Gemini has no breakpoints: its cache keeps the longest prefix.
"""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hud_runtime.integrations._host_session import HostTool
from hud_runtime.integrations._wire import WireClient, async_client_of, client_of, extra
from ujsx.tools import ToolResult

with extra("google-genai"):
    import httpx2
    from google.genai import types

__all__ = ["Hud"]


class Hud(WireClient):
    """Adds the HUD to the agent of a client.

    :param source: the session of all requests; or a store, the path of one, or None for the default one: then
        requests belong to the conversation that is :meth:`running`, else to a new one.
    :param mode: "append", "tail" or "system".
    :param options: options of :class:`hud_runtime.integrations.HostSession`.

    >>> from google import genai
    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     hud = Hud(store.session("s"))
    ...     client = genai.Client(api_key="x", http_options=hud.http_options())
    ...     [each.name for each in hud.tool().function_declarations]
    ['hud', 'hud_compact']
    """

    # --- Requests ---

    def http_options(self, **options: Any) -> types.HttpOptions:
        """Return the ``http_options`` for ``genai.Client``, for synchronous and asynchronous requests.

        :param options: options of ``types.HttpOptions``.
        """
        more: dict[str, Any] = {"timeout": None, "follow_redirects": True}
        return types.HttpOptions(
            httpx_client=client_of(httpx2.Client, self._wire, **more),
            httpx_async_client=async_client_of(httpx2.AsyncClient, self._wire, **more),
            **options,
        )

    # --- Tools ---

    def tool(self) -> types.Tool:
        """Return the HUD's tools as declarations, for your own loop."""
        made = [
            types.FunctionDeclaration(
                name=each.name, description=each.description, parameters_json_schema=each.parameters
            )
            for each in self._offered.values()
        ]
        return types.Tool(function_declarations=made)

    def results(self, answer: types.GenerateContentResponse) -> list[types.Part]:
        """Return the results of the HUD's tools that an answer calls, for your own loop.

        They belong in the user's next content. Calls of your own tools are not included.
        """
        contents = [each.content for each in (answer.candidates or ())[:1]]
        made = (
            types.FunctionResponse(id=call.id, name=call.name, response=_response(result))
            for call, result in self._results_of(*contents)
        )
        return [types.Part(function_response=each) for each in made]

    def functions(self) -> list[Callable[..., Any]]:
        """Return the HUD's tools as functions, the only form for automatic function calling.

        Their argument is one object as JSON text, as functions cannot have schemas.
        """
        return [_function(each) for each in self._offered.values()]


def _response(result: ToolResult) -> dict[str, Any]:
    return {"error" if result.is_error else "result": result.text}


def _function(tool: HostTool) -> Callable[..., Any]:
    def call(arguments: str) -> dict[str, str]:
        return _response(tool.call(arguments))

    call.__name__ = tool.name
    call.__doc__ = (
        f"{tool.description}\n\nThe arguments are one JSON object of this schema:"
        f" {json.dumps(tool.parameters, ensure_ascii=False)}"
    )
    return call
