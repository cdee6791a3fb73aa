"""Clients of ``httpx2`` that put a HUD into the requests of SDKs which have no other place for it."""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx2

from hud_runtime.integrations._streams import is_streamed, read_along
from hud_runtime.integrations._wire import Exchange, Wire
from hud_runtime.integrations.bodies import Record, api_of
from hud_runtime.observation._json import json_of

Mend = Callable[[Record], bool]
"""Changes an answer in place, and says whether it did."""


def client_of(base: type[httpx2.Client], wire: Wire, mend: Mend, **options: Any) -> httpx2.Client:
    """Return a client of a class, with a HUD in its requests.

    :param mend: changes answers that their SDK would end a run for.
    """

    class Client(base):  # type: ignore[misc, valid-type]
        def send(self, request: httpx2.Request, **more: Any) -> httpx2.Response:
            made, exchange = _with_hud(wire, request)
            response = super().send(made, **more)
            if exchange is not None and response.status_code < 300:
                if is_streamed(response):
                    read_along(response, exchange)
                else:
                    response.read()
                    _tell(response, exchange, mend)
            return response

    return Client(**options)


def async_client_of(
    base: type[httpx2.AsyncClient], wire: Wire, mend: Mend, **options: Any
) -> httpx2.AsyncClient:
    """Do as :func:`client_of` does, for asynchronous clients."""

    class Client(base):  # type: ignore[misc, valid-type]
        async def send(self, request: httpx2.Request, **more: Any) -> httpx2.Response:
            made, exchange = await asyncio.to_thread(_with_hud, wire, request)
            response = await super().send(made, **more)
            if exchange is not None and response.status_code < 300:
                if is_streamed(response):
                    read_along(response, exchange)
                else:
                    await response.aread()
                    await asyncio.to_thread(_tell, response, exchange, mend)
            return response

    return Client(**options)


def _with_hud(wire: Wire, request: httpx2.Request) -> tuple[httpx2.Request, Exchange | None]:
    api = api_of(request.url.path)
    if api is None or request.method != "POST":
        return request, None
    try:
        given = json_of(request.content)
    except httpx2.RequestNotRead:
        return request, None
    if not isinstance(given, dict):
        return request, None
    body, exchange = wire.request(api, given)
    if exchange is None:
        return request, None
    skipped = ("content-length", "transfer-encoding", "accept-encoding")
    headers = [(key, value) for key, value in request.headers.items() if key not in skipped]
    # Without an encoding, so that a stream of events can be read along.
    headers.append(("accept-encoding", "identity"))
    made = httpx2.Request(
        request.method,
        request.url,
        headers=headers,
        content=json.dumps(body).encode(),  # escaped, for halves of surrogate pairs that were
        extensions=request.extensions,
    )
    return made, exchange


def _tell(response: httpx2.Response, exchange: Exchange, mend: Mend) -> None:
    answer = json_of(response.content)
    if not isinstance(answer, dict):
        return
    exchange.answered(answer)
    if mend(answer):
        response._content = json.dumps(answer).encode()  # noqa: SLF001 - there is no other way


def leave(_answer: Record) -> bool:
    """Change nothing in an answer.

    >>> leave({})
    False
    """
    return False
