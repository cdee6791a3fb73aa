"""Requests of an application in this process: what a client sends, byte by byte."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import anyio

JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}

MODERN = "2026-07-28"


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def data(self) -> Any:
        return json.loads(self.body)

    @property
    def text(self) -> str:
        """The text of a tool's answer, or of the first resource."""
        result = self.data["result"]
        return (result.get("content") or result["contents"])[0]["text"]


class Asking:
    """A client that says what it is told to.

    :param token: sent with each request, if any.
    """

    def __init__(self, app: Any, token: str | None = None, **headers: str) -> None:
        self.app = app
        self.headers = {**JSON, "host": "127.0.0.1:80", **headers}
        if token is not None:
            self.headers["authorization"] = f"Bearer {token}"

    async def send(
        self,
        path: str = "/mcp",
        *,
        method: str = "POST",
        body: bytes | list[bytes] = b"",
        headers: Mapping[str, str] | list[tuple[bytes, bytes]] | None = None,
        query: bytes = b"",
        peer: str = "127.0.0.1",
        on_body: Callable[[bytes], None] | None = None,
    ) -> Answer:
        """Send a request as it is; a header that is given stands in the place of the usual one."""
        if not isinstance(headers, list):
            given = {**self.headers, **(headers or {})}
            headers = [(name.lower().encode(), value.encode()) for name, value in given.items()]
        parts = [body] if isinstance(body, bytes) else [*body]
        told: list[Any] = []

        async def receive() -> Any:
            if parts:
                part = parts.pop(0)
                return {"type": "http.request", "body": part, "more_body": bool(parts)}
            await anyio.sleep_forever()
            return None

        async def send(message: Any) -> None:
            told.append(message)
            if on_body is not None and message.get("body"):
                on_body(message["body"])

        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method,
            "scheme": "http", "path": path, "raw_path": path.encode(), "query_string": query,
            "root_path": "", "headers": headers, "client": (peer, 5), "server": ("127.0.0.1", 80),
        }  # fmt: skip
        await self.app(scope, receive, send)
        assert told[0]["type"] == "http.response.start"
        found = {name.decode(): value.decode() for name, value in told[0]["headers"]}
        return Answer(
            told[0]["status"], found, b"".join(each.get("body", b"") for each in told[1:])
        )

    async def rpc(self, name: str, params: Any = None, **more: Any) -> Answer:
        """Send a request of the protocol in its version before 2026-07-28."""
        call = {"jsonrpc": "2.0", "id": 1, "method": name, "params": params or {}}
        return await self.send(body=json.dumps(call).encode(), **more)

    async def modern(self, name: str, params: Any = None, **more: Any) -> Answer:
        """Send a request of the protocol in the version of 2026-07-28."""
        meta = {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        given = {**(params or {}), "_meta": meta}
        call = {"jsonrpc": "2.0", "id": 1, "method": name, "params": given}
        target = given.get("name") or given.get("uri")
        own = {"mcp-protocol-version": MODERN, "mcp-method": name}
        own |= {} if target is None else {"mcp-name": target}
        headers = {**own, **more.pop("headers", {})}
        return await self.send(body=json.dumps(call).encode(), headers=headers, **more)

    async def hud(self, op: str, **arguments: Any) -> Answer:
        """Call the tool ``hud``."""
        named = {name: arguments.pop(name) for name in ("headers", "query") if name in arguments}
        params = {"name": "hud", "arguments": {"call": {"op": op, **arguments}}}
        return await self.rpc("tools/call", params, **named)


def driven(app: Any, drive: Callable[[], Awaitable[None]]) -> None:
    """Let ``drive`` work with an application that runs."""

    async def run() -> None:
        async with app.running():
            with anyio.fail_after(60):
                await drive()

    anyio.run(run)


async def until(is_so: Callable[[], object]) -> None:
    """Return when something is so, which it is to be soon."""
    for _ in range(20_000):
        if is_so():
            return
        await anyio.sleep(0.001)
    raise AssertionError("it did not come to be so")
