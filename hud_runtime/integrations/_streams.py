"""Answers on their way back, as the bytes that ``httpx2`` gives: read along, and never changed or held up."""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx2

from hud_runtime.integrations._wire import Exchange
from hud_runtime.observation._json import json_of


class _Read(httpx2.SyncByteStream, httpx2.AsyncByteStream):
    """A stream whose bytes an exchange reads along."""

    def __init__(self, stream: Any, exchange: Exchange) -> None:
        self._stream = stream
        self._exchange = exchange
        self._is_over = False

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._stream:
            self._exchange.feed(chunk)
            yield chunk
        self._over()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            self._exchange.feed(chunk)
            yield chunk
        self._over()

    def close(self) -> None:
        self._over()
        self._stream.close()

    async def aclose(self) -> None:
        self._over()
        await self._stream.aclose()

    def _over(self) -> None:
        """Whoever has read enough of a stream closes it before its end."""
        if not self._is_over:
            self._is_over = True
            self._exchange.ended()


def is_streamed(response: Any) -> bool:
    """Tell whether an answer comes event by event."""
    return "text/event-stream" in response.headers.get("content-type", "")


def read_along(response: Any, exchange: Exchange) -> None:
    """Let an exchange read a streamed answer along with whoever it is for."""
    if response.status_code < 300:
        response.stream = _Read(response.stream, exchange)


def read_whole(response: Any, exchange: Exchange) -> None:
    """Tell an exchange an answer that was read as a whole."""
    if response.status_code < 300:
        exchange.answered(_json(response.content))


def _json(content: bytes) -> dict[str, Any]:
    found = json_of(content)
    return found if isinstance(found, dict) else {}
