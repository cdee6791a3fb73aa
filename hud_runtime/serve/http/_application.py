"""The server as an ASGI application: authorization, limits, and metrics."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Generator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import asdict
from math import ceil
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
from anyio import CapacityLimiter, to_thread
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from hud_components import CODING, Domain
from hud_runtime._errors import ServeError
from hud_runtime.log.store import EventStore
from hud_runtime.serve.http._access import KNOWN, Buckets, ServerLimits, Token, Tokens
from hud_runtime.serve.http._clients import (
    CONTENT_TYPE,
    LOOPBACK,
    MCP_SESSION,
    REFUSALS,
    Clients,
    Metrics,
    News,
    RequestHead,
    RequestRefusedError,
)
from hud_runtime.serve.mcp._messages import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    InvalidMessageError,
    Record,
    error_answer,
    messages,
)
from hud_runtime.serve.mcp._server import Client, ServerContext, server_of_many
from hud_runtime.session import NO_LOOK, AgentLayouts, GivenLook, HudStore, StoreSettings
from ujsx import UjsxError
from ujsx.tools import Toolset

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope, Send

    from hud_runtime.log.store._log_store import LogStore

T = TypeVar("T")

CLIENT = "ujsx.client"
"""The key of a request's client in its scope."""

LISTEN = "subscriptions/listen"

READY_WITHIN = 2.0
"""Seconds within which a ready store answers."""

VALID_FOR = 2.0
"""Seconds between checks of a token while its stream is open."""

KNOWN_FOR = 1.0
"""Seconds for which readiness is cached, so that frequent probes do not reach the store."""

_log = logging.getLogger("ujsx.serving")


class Application:
    """An ASGI application that serves one log to many clients.

    :param log: the store's log, which stays open while the application is used.
    :param tokens: the tokens of clients.
    :param is_open: whether anybody may read and write everything while there is no token file: for a server
        that only this machine can reach.
    :param hosts: the host names of the server; by default this machine's own.
    :param limits: the limits on clients.
    :param domain: the domain of new sessions, and of the tools.
    :param look: the layout and the words of clients' sessions.
    :param agent_layouts: the policy for agents' layouts; see :class:`HudStore`.
    :param toolsets: tools of your own; a function's parameter ``ctx`` receives the session, which gives no
        access to other projects.
    :param read_tool: whether operations that only read have a tool of their own.
    :param settings: the settings of the store's user.
    :param session: without tokens, the default session.
    :param folder: the project's folder, without tokens.
    :raises ServeError: for two tools of one name.
    """

    def __init__(
        self,
        log: LogStore,
        tokens: Tokens,
        *,
        is_open: bool = False,
        hosts: Collection[str] = LOOPBACK,
        limits: ServerLimits | None = None,
        domain: Domain[Any] = CODING,
        look: GivenLook = NO_LOOK,
        agent_layouts: AgentLayouts = "show",
        toolsets: Iterable[Toolset] = (),
        read_tool: bool = False,
        settings: StoreSettings | None = None,
        session: str | None = None,
        folder: Path | None = None,
    ) -> None:
        def store_of(log: EventStore) -> HudStore[Any]:
            return HudStore(
                log,
                domain=domain,
                domains=(CODING,),
                agent_layouts=agent_layouts,
                settings=settings,
                components=look.components,
            )

        self.limits = limits or ServerLimits()
        self.metrics = Metrics()
        self._tokens = tokens
        self._is_open = is_open
        self._hosts = frozenset(each.lower() for each in hosts)
        self._news = News(log)
        self._clients = Clients(
            log,
            store_of,
            self._news,
            most=self.limits.sessions,
            recorded=lambda number: self.metrics.count("ujsx_events_recorded_total", number),
            session=session,
            folder=folder,
            look=look,
        )
        self._server = server_of_many(
            _client_of,
            domain=domain,
            offers_layouts=agent_layouts == "offer",
            toolsets=toolsets,
            read_tool=read_tool,
            workers=self.limits.workers,
        )
        self._buckets = Buckets(rate=self.limits.rate, burst=self.limits.burst)
        self._now: Counter[str] = Counter()
        self._streams: Counter[str] = Counter()
        self._listening: Counter[Client] = Counter()
        self._ready = _Ready(log)
        self._is_stopping = False
        self._protocol: StreamableHTTPSessionManager | None = None
        self._told: set[str] = set()
        self.metrics.gauges |= {
            "ujsx_requests_now": self._now.total,
            "ujsx_streams_now": self._streams.total,
            "ujsx_sessions_now": lambda: len(self._clients),
            "ujsx_store_away": lambda: not log.breaker.answers,
        }

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Answer the protocol's requests for the duration of the context; a server's lifespan does the same."""
        self._protocol = StreamableHTTPSessionManager(
            self._server,
            json_response=True,
            stateless=True,
            max_request_body_size=self.limits.body,
        )
        async with self._protocol.run():
            try:
                yield
            finally:
                self.stop()
                self._protocol = None

    def stop(self) -> None:
        """Refuse new requests, and end the listeners' streams."""
        self._is_stopping = True
        self._news.end()
        for client in [*self._listening]:
            if client.subscriptions is not None:
                client.subscriptions.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
        else:
            try:
                await self._answer_of(scope["path"])(scope, receive, send)
            except RequestRefusedError as refused:
                await self._refuse(refused, send)
            except InvalidMessageError as invalid:
                self.metrics.count("ujsx_refused_total", why="message")
                await _put(send, 400, invalid.answer)
            except asyncio.CancelledError:
                # uvicorn's last resort, which it would log with a traceback.
                if not self._is_stopping:
                    raise

    def _answer_of(self, path: str) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
        match path:
            case "/mcp":
                return self._mcp
            case "/health/live":
                return self._live
            case "/health/ready":
                return self._is_ready
            case "/metrics":
                return self._figures
            case _:
                raise RequestRefusedError("path")

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        async with AsyncExitStack() as stack:
            while True:
                message = await receive()
                if message["type"] == "lifespan.startup":
                    await stack.enter_async_context(self.running())
                    await send({"type": "lifespan.startup.complete"})
                else:
                    await stack.aclose()
                    await send({"type": "lifespan.shutdown.complete"})
                    return

    async def _refuse(self, refused: RequestRefusedError, send: Send) -> None:
        self.metrics.count("ujsx_refused_total", why=refused.why)
        status, sentence = REFUSALS[refused.why]
        said = sentence.format(**{name: f"{n:,}" for name, n in asdict(self.limits).items()})
        headers: list[tuple[bytes, bytes]] = []
        if status == 401:
            headers.append((b"www-authenticate", b'Bearer realm="ujsx"'))
        if status == 405:
            headers.append((b"allow", b"POST, DELETE"))
        if refused.after is not None:
            headers.append((b"retry-after", str(max(1, ceil(refused.after))).encode()))
        if refused.why in {"size", "slow", "stopping"}:  # the rest of the body is not read
            headers.append((b"connection", b"close"))
        code = INVALID_REQUEST if status < 500 else INTERNAL_ERROR
        await _put(send, status, error_answer(None, code, said), headers)

    async def _live(self, scope: Scope, receive: Receive, send: Send) -> None:
        await _put(send, 200, {"status": "live"})

    async def _is_ready(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._is_stopping:
            await _put(send, 503, {"status": "stopping"})
        elif await self._ready.look():
            await _put(send, 200, {"status": "ready"})
        else:
            await _put(send, 503, {"status": "the store is away"})

    async def _figures(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = RequestHead(scope)
        if any(each.project is None for each in self._read(self._tokens.all)):
            if (token := self._token_of(asked)) is None or token.project is not None:
                raise RequestRefusedError("metrics")
        else:
            asked.check_host(LOOPBACK)
            if not asked.is_of_this_machine:
                raise RequestRefusedError("metrics")
        await _put(send, 200, self.metrics.text(), content_type=CONTENT_TYPE)

    def _read(self, read: Callable[[], T]) -> T:
        """Return what is read from the file of tokens; refuse the request if it is unusable."""
        try:
            return read()
        except ServeError as error:
            if str(error) not in self._told:
                self._told.add(str(error))
                _log.warning("%s", error)
            raise RequestRefusedError("tokens") from None

    def _token_of(self, asked: RequestHead) -> Token | None:
        """Return a request's token, or None where none is needed.

        :raises RequestRefusedError: where a token is needed, and no valid one was sent.
        """
        self._is_open = self._is_open and not self._tokens.exists()
        if self._is_open:
            return None
        token = self._read(lambda: self._tokens.of(asked.token))
        if token is None:
            raise RequestRefusedError("token")
        return token

    async def _mcp(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._is_stopping or self._protocol is None:
            raise RequestRefusedError("stopping")
        asked = RequestHead(scope)
        asked.check_host(self._hosts)
        token = self._token_of(asked)
        if token is not None and token.project is None:
            raise RequestRefusedError("project")
        key = "" if token is None else token.id
        scope[KNOWN] = True
        if wait := self._buckets.wait(key):
            raise RequestRefusedError("rate", wait)
        if scope["method"] == "DELETE":  # the server keeps none of the protocol's own sessions
            await _put(send, 200, {})
            return
        if scope["method"] != "POST":
            raise RequestRefusedError("method")
        name, project = asked.session, None if token is None else token.project
        with _counted(self._now, key, self.limits.at_once, self.limits.at_once_of_token, "at_once"):
            message = _message_of(await self._body(asked, receive))
            # The SDK parses the same message that was checked here, not the bytes again.
            body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
            method: str = message.get("method", "")
            if method != LISTEN:
                client = self._clients.of(project, name)
                minted = token_hex(16) if name is None and method == "initialize" else None
                replayed = _replayed(body, receive)
                await self._answer(scope, client, replayed, send, method=method, minted=minted)
                return
        most = self.limits.streams, self.limits.streams_of_token
        with _counted(self._streams, key, *most, "streams"):
            client = self._clients.of(project, name)
            self._listening[client] += 1
            try:
                async with anyio.create_task_group() as group:
                    group.start_soon(self._until_revoked, token, group.cancel_scope)
                    await self._answer(scope, client, _replayed(body, receive), send, method=method)
                    group.cancel_scope.cancel()
            finally:
                self._listening[client] -= 1
                if not self._listening[client]:
                    del self._listening[client]

    async def _until_revoked(self, token: Token | None, scope: anyio.CancelScope) -> None:
        """End a stream when its token is no longer valid."""
        while True:
            await anyio.sleep(VALID_FOR)
            try:
                is_valid = self._is_open if token is None else token in self._read(self._tokens.all)
            except RequestRefusedError:
                is_valid = False
            if not is_valid:
                scope.cancel()

    async def _body(self, asked: RequestHead, receive: Receive) -> bytes:
        """Read a request's body, within the limits of size and time."""
        most, declared = self.limits.body, asked.one("content-length") or "0"
        if declared.isascii() and declared.isdecimal() and int(declared[:20]) > most:
            raise RequestRefusedError("size")
        body = bytearray()
        with anyio.move_on_after(self.limits.sending):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    raise RequestRefusedError("left")
                body += message.get("body", b"")
                if len(body) > most:
                    raise RequestRefusedError("size")
                if not message.get("more_body", False):
                    return bytes(body)
        raise RequestRefusedError("slow")

    async def _answer(
        self,
        scope: Scope,
        client: Client,
        receive: Receive,
        send: Send,
        *,
        method: str,
        minted: str | None = None,
    ) -> None:
        """Pass a request to the protocol's handler, and count it.

        :param minted: the id of a protocol session that begins with it.
        """
        assert self._protocol is not None
        # Later code needs no token, and so cannot leak it.
        headers = [each for each in scope["headers"] if each[0].lower() != b"authorization"]
        inner = {**scope, "headers": headers, CLIENT: client}
        began, status = time.perf_counter(), 0

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                if minted is not None and status < 300:
                    own = (MCP_SESSION.encode(), minted.encode())
                    message = {**message, "headers": [*message.get("headers", ()), own]}
            await send(message)

        try:
            await self._protocol.handle_request(inner, receive, noted)
        except Exception as error:  # noqa: BLE001 - whatever it was, the server goes on
            _log.error(
                "a request broke: %s", type(error).__name__
            )  # its message may contain a user's texts
            if not status:
                status = 500
                said = "the request broke inside the server"
                await _put(send, 500, error_answer(None, INTERNAL_ERROR, said))
        finally:
            if status >= 500 or not status:
                self.metrics.count("ujsx_errors_total")
            self.metrics.answered(method, status, time.perf_counter() - began)


@contextmanager
def _counted(
    counts: Counter[str], key: str, most: int, most_of_token: int, why: str
) -> Generator[None]:
    """Count one of ``most`` in total, and of ``most_of_token`` for the key, for the duration of the context."""
    if counts.total() >= most or counts[key] >= most_of_token:
        raise RequestRefusedError(why)
    counts[key] += 1
    try:
        yield
    finally:
        counts[key] -= 1
        if not counts[key]:
            del counts[key]


class _Ready:
    """Checks whether the store answers, and caches the result briefly."""

    def __init__(self, log: LogStore) -> None:
        self._log = log
        self._asked_at = -KNOWN_FOR
        self._is_ready = False
        self._lock = anyio.Lock()
        self._limiter: CapacityLimiter | None = None

    async def look(self) -> bool:
        async with self._lock:
            if time.monotonic() - self._asked_at >= KNOWN_FOR:
                self._is_ready = await self._asked()
                self._asked_at = time.monotonic()
            return self._is_ready

    async def _asked(self) -> bool:
        if self._limiter is None:
            self._limiter = CapacityLimiter(1)  # one thread waiting for the store is enough
        with anyio.move_on_after(READY_WITHIN), suppress(UjsxError):
            await to_thread.run_sync(
                self._log.head, "ready", limiter=self._limiter, abandon_on_cancel=True
            )
            return True
        return False


def _client_of(ctx: ServerContext) -> Client:
    assert ctx.request is not None
    found: Client = ctx.request.scope[CLIENT]
    return found


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return a receiver that replays a body already read, and then continues."""
    parts: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return parts.pop() if parts else await receive()

    return replayed


def _message_of(body: bytes) -> Record:
    """Parse the message in a request.

    :raises InvalidMessageError: for anything but a single message.
    """
    found = messages(body)
    if isinstance(found[0], InvalidMessageError):
        raise found[0]
    if len(found) > 1:
        problem = "send one message in a request; MCP 2025-06-18 ended batches"
        raise InvalidMessageError(INVALID_REQUEST, problem)
    return found[0]


async def _put(
    send: Send,
    status: int,
    said: object,
    headers: Iterable[tuple[bytes, bytes]] = (),
    *,
    content_type: str = "application/json",
) -> None:
    text = said if isinstance(said, str) else json.dumps(said)
    kind = (b"content-type", content_type.encode())
    own = [kind, (b"content-length", str(len(text.encode())).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*own, *headers]})
    await send({"type": "http.response.body", "body": text.encode()})
