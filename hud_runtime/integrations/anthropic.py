"""The HUD for Anthropic's SDK: ``Anthropic(middleware=[Hud()])``.

Deliveries are added to outgoing requests, after the same messages each time, and your own list of messages is
not changed. If the provider holds the history, as for the tool runner's threads, they are added once.
"""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Unpack

from hud_runtime.context.delivery import Mode
from hud_runtime.integrations._dialogue import Source
from hud_runtime.integrations._host_session import HostTool
from hud_runtime.integrations._sending import HostOptions
from hud_runtime.integrations._wire import Exchange, Voice, Wire, WireClient, extra
from hud_runtime.integrations.bodies import MESSAGES, Record, api_of
from ujsx.tools import ToolResult

with extra("anthropic"):
    from anthropic import BaseModel
    from anthropic._middleware import Middleware
    from anthropic.lib.tools import BetaAsyncBuiltinFunctionTool, BetaBuiltinFunctionTool, ToolError

    from hud_runtime.integrations._wire import aread_answer, read_answer

__all__ = ["Hud"]


class Hud(WireClient, Middleware):
    """Adds the HUD to the agent of a client.

    :param source: the session of all requests; or a store, the path of one, or None for the default one: then
        requests belong to the conversation that is :meth:`running`, else to a new one.
    :param mode: "append", "tail" or "system".
    :param voice: "user", or "system" for system messages in the middle of the conversation. These have more
        authority, so use them only if the words of tools and files may have it: the HUD repeats both. Models
        before Claude Opus 4.8 reject them; there the HUD stays in the user's messages, with one warning.
    :param options: options of :class:`hud_runtime.integrations.HostSession`.
    :raises DeliveryError: for another mode or voice.

    >>> from anthropic import Anthropic
    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     hud = Hud(store.session("s"))
    ...     client = Anthropic(api_key="x", middleware=[hud])
    ...     [tool.name for tool in hud.tools()]
    ['hud', 'hud_compact']
    """

    dialect = "anthropic"

    def __init__(
        self,
        source: Source = None,
        *,
        mode: Mode = "append",
        voice: Voice = "user",
        **options: Unpack[HostOptions],
    ) -> None:
        self._wire = Wire(source, mode=mode, voice=voice, **options)

    # --- Requests ---

    def handle(self, request: Any, call_next: Callable[[Any], Any]) -> Any:
        """Add the HUD to a request of the synchronous client."""
        request, exchange = self._with_hud(request)
        response = call_next(request)
        read_answer(response.http_response, exchange)
        return response

    async def handle_async(self, request: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
        """Add the HUD to a request of the asynchronous client."""
        request, exchange = await asyncio.to_thread(self._with_hud, request)
        response = await call_next(request)
        await aread_answer(response.http_response, exchange)
        return response

    def _with_hud(self, request: Any) -> tuple[Any, Exchange | None]:
        if api_of(str(request.url)) is not MESSAGES or not isinstance(request.json, dict):
            return request, None
        body, exchange = self._wire.request(MESSAGES, _plain(request.json))
        if exchange is None:
            return request, None
        headers: dict[str, Any] = dict(request.headers)
        for name, value in exchange.headers.items():
            own = headers.get(name)
            headers[name] = f"{own},{value}" if isinstance(own, str) and own else value
        if request.stream:
            headers["accept-encoding"] = "identity"  # so that events can be read while they pass
        return request.copy(body=body, headers=headers), exchange

    # --- Tools ---

    def tools(self) -> list[BetaBuiltinFunctionTool]:
        """Return the HUD's tools for the tool runner."""
        return [_AnthropicTool(each) for each in self._offered.values()]

    def async_tools(self) -> list[BetaAsyncBuiltinFunctionTool]:
        """Return the HUD's tools for the tool runner of the asynchronous client."""
        return [_AsyncTool(each) for each in self._offered.values()]

    def definitions(self) -> list[Record]:
        """Return the HUD's tools as ``tools`` for your own loop."""
        return [dict(each.definition) for each in self._offered.values()]

    def results(self, message: Any) -> list[Record]:
        """Return the results of the HUD's tools that a message calls, for your own loop.

        Put them first in the user's next message. Calls of your own tools are not included.
        """
        blocks = (each for each in message.content if each.type == "tool_use")
        return [
            {
                "type": "tool_result",
                "tool_use_id": call.id,
                "content": result.text,
                "is_error": result.is_error,
            }
            for call, result in self._results_of(*blocks)
        ]


def _answered(result: ToolResult) -> str:
    if result.is_error:
        raise ToolError(result.text)
    return result.text


class _Named:
    """The name and the schema that the SDK asks a tool for before it calls it."""

    def __init__(self, tool: HostTool) -> None:
        self._tool = tool

    @property
    def name(self) -> str:
        return self._tool.name

    def to_dict(self) -> Any:
        return dict(self._tool.definition)


class _AnthropicTool(_Named, BetaBuiltinFunctionTool):
    def call(self, input: object) -> str:  # noqa: A002 - the SDK's name for it
        return _answered(self._tool.call(input))


class _AsyncTool(_Named, BetaAsyncBuiltinFunctionTool):
    async def call(self, input: object) -> str:  # noqa: A002 - the SDK's name for it
        return _answered(await self._tool.acall(input))


def _plain(value: Any) -> Any:
    """A body as JSON data; people pass an answer's blocks back unchanged."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_unset=True)
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value
