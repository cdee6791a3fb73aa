"""The HTTP server: its connections, and its run."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import threading
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import closing
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from hud_components import CODING, Domain
from hud_runtime._errors import ServeError
from hud_runtime._location import is_address
from hud_runtime.serve.http._access import KNOWN, ServerLimits, Tokens, tokens_beside
from hud_runtime.serve.mcp._serve import check_sdk
from hud_runtime.session import NO_LOOK, AgentLayouts, GivenLook, settings_beside
from hud_runtime.session._hud_store import open_log
from ujsx.errors import quoted, shown
from ujsx.tools import Toolset

if TYPE_CHECKING:
    from hud_runtime.serve.http._application import Application

# An HTTP server hardened against its clients: uvicorn with bounds on connections, heads and the
# log.
#
# Uvicorn bounds the size of a head and the time between requests, but not the time for a head, nor
# the number of silent connections. asyncio's accept logs thousands of lines when no descriptor is
# left. This section adds the missing bounds; :mod:`hud_runtime.preview` uses it as well.

HEAD_BYTES = 32 * 1024
"""Bytes of a request's head at most."""

IDLE = 75
"""Seconds after which an idle connection is closed; proxies keep theirs for 60."""

RESERVED = 64
"""Descriptors reserved for the store, its threads and the log."""

PAUSE = 0.5
"""Seconds before the next attempt after a failed accept."""

LAST_RESORT = 1
"""Seconds after which uvicorn itself cancels requests whose connections were closed."""

LOG_LINES = 5
"""Log records per place in the code and period."""

LOG_PERIOD = 60.0
"""Seconds of a period."""

_log = logging.getLogger("ujsx.serving")


def listening_socket(family: socket.AddressFamily, place: tuple[str, int]) -> socket.socket:
    """Return a listening socket.

    Naming the protocol makes asyncio set TCP_NODELAY: an answer is two packets, and the second would wait
    40 ms for the client's acknowledgment. The accept queue has the system's length; a client that finds it
    full retries after a second.

    :raises OSError: for an unavailable address.
    """
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind(place)
        made.listen(socket.SOMAXCONN)
    except BaseException:
        made.close()
        raise
    return made


class SparseLog:
    """A log filter that passes a few records of each place in the code, and counts the others.

    >>> sparse = SparseLog(most=1, period=60)
    >>> def record(at: float) -> logging.LogRecord:
    ...     made = logging.LogRecord("x", logging.ERROR, "file.py", 7, "it broke", (), None)
    ...     made.created = at
    ...     return made
    >>> [sparse.filter(record(at)) for at in (0, 1, 2)]
    [True, False, False]
    >>> late = record(60)
    >>> sparse.filter(late), late.getMessage()
    (True, 'it broke (and 2 more like it)')
    """

    def __init__(self, most: int = LOG_LINES, period: float = LOG_PERIOD) -> None:
        self._most = most
        self._period = period
        self._seen: dict[tuple[str, int], tuple[float, int]] = {}
        """By place: the start of its period, and the number of its records."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether a record passes; the first one of a period has the number of those suppressed."""
        place = record.pathname, record.lineno
        began, number = self._seen.get(place, (record.created, 0))
        if record.created - began >= self._period:
            if number > self._most:
                more = number - self._most
                record.msg, record.args = f"{record.getMessage()} (and {more:,} more like it)", ()
            began, number = record.created, 0
        self._seen[place] = began, number + 1
        return number < self._most


class HttpConnections:
    """The connections of a server, and the choice of one to close when there are too many.

    A connection is idle while no request is in progress. At the limit, the address with the most idle
    connections of unauthenticated clients loses its oldest: a real client sends its head at once. If there
    is none, the authenticated client's connection that has been idle longest is closed.

    :param most: connections at once.
    :param refused: called with the reason when a client is refused.
    """

    def __init__(self, most: int, refused: Callable[[str], object]) -> None:
        self._most = most
        self.refused = refused
        self._all: set[HttpConnection] = set()
        self._waiting: dict[str | None, dict[HttpConnection, None]] = {}
        """By the client's address, or None for authenticated ones; oldest first."""

    def __len__(self) -> int:
        return len(self._all)

    def add(self, connection: HttpConnection) -> None:
        """Add a connection; if there are too many, close another one, or this one."""
        self._all.add(connection)
        if len(self._all) > self._most:
            self.refused("connections")
            self._superfluous(connection).abort()

    def _superfluous(self, new: HttpConnection) -> HttpConnection:
        strangers = (crowd for address, crowd in self._waiting.items() if address is not None)
        crowd = max(strangers, key=len, default=self._waiting.get(None, {new: None}))
        return next(iter(crowd))

    def waits(self, connection: HttpConnection, address: str | None) -> None:
        """Mark a connection as idle."""
        if connection in self._all:
            self._waiting.setdefault(address, {})[connection] = None

    def works(self, connection: HttpConnection, address: str | None) -> None:
        """Mark a connection as busy."""
        crowd = self._waiting.get(address, {})
        crowd.pop(connection, None)
        if not crowd:
            self._waiting.pop(address, None)

    def discard(self, connection: HttpConnection, address: str | None) -> None:
        """Remove a closed connection."""
        self._all.discard(connection)
        self.works(connection, address)

    def abort(self) -> None:
        """Close all connections, busy or not."""
        for each in [*self._all]:
            each.abort()


class HttpConnection(H11Protocol):
    """A connection with a time limit for the head of each request.

    :param connections: the collection that it belongs to.
    :param seconds: the time for a head, from its first byte, or from the connection's start.
    :param given: the arguments of uvicorn's protocol.
    """

    def __init__(self, connections: HttpConnections, seconds: float, **given: Any) -> None:
        super().__init__(**given)
        self._connections = connections
        self._seconds = seconds
        self._address: str | None = ""
        """The client's address; None once it is authenticated."""
        self._is_waiting = True
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        self._set_deadline()
        self._connections.add(self)
        self._connections.waits(self, self._address)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._look()
        if self._is_waiting and self._deadline is None:
            self._set_deadline()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._look()
        is_stranger = self._is_waiting and self._address is not None
        if is_stranger and self.conn.their_state is h11.SEND_BODY:
            self.transport.close()  # nothing reads the rest, which may be endless

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answer invalid HTTP; a request in progress ends as if its client had left."""
        self._connections.refused("http")
        if self._has_request():
            self.cycle.disconnected = True
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            super().send_400_response(msg)
        else:
            self.abort()

    def abort(self) -> None:
        """Close the connection at once."""
        self.transport.abort()

    def _has_request(self) -> bool:
        cycle = cast("RequestResponseCycle | None", self.cycle)  # none before the first request
        return cycle is not None and not cycle.response_complete

    def _look(self) -> None:
        was_waiting, self._is_waiting = self._is_waiting, not self._has_request()
        if was_waiting and not self._is_waiting:
            self._end_deadline()
            self._connections.works(self, self._address)
        elif self._is_waiting and not was_waiting:
            if KNOWN in self.cycle.scope:
                self._address = None
            self._connections.waits(self, self._address)

    def _set_deadline(self) -> None:
        self._deadline = self.loop.call_later(self._seconds, self._is_late)

    def _end_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _is_late(self) -> None:
        self._connections.refused("head")
        self.abort()

    def _forget(self) -> None:
        self._end_deadline()
        self._connections.discard(self, self._address)


class HttpServer(uvicorn.Server):
    """A server of one application on one socket.

    :param connections: at once, limited by the available descriptors.
    :param head: seconds for the head of a request.
    :param stopping: seconds that requests may take after the server is told to stop.
    :param begun: called once it accepts connections.
    :param ends: awaited when it stops, before it waits for requests.
    :param refused: called with the reason when a client is refused: ``connections``, ``head`` or ``http``.
    """

    def __init__(
        self,
        app: Any,
        listening: socket.socket,
        *,
        connections: int,
        head: float,
        stopping: int,
        begun: Callable[[], object],
        ends: Callable[[], Awaitable[object]],
        refused: Callable[[str], object] = lambda _: None,
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http="h11",
                ws="none",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                h11_max_incomplete_event_size=HEAD_BYTES,
                timeout_keep_alive=IDLE,
                timeout_graceful_shutdown=stopping + LAST_RESORT,
            )
        )
        self.connections = HttpConnections(_within_descriptors(connections), refused)
        self._listening = listening
        self._head = head
        self._stopping = stopping
        self._begun = begun
        self._ends = ends

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until the process is told to stop."""
        sparse = SparseLog()
        handlers = [*logging.root.handlers, *filter(None, [logging.lastResort])]
        for each in handlers:
            each.addFilter(sparse)
        try:
            super().run(sockets)
        finally:
            for each in handlers:
                each.removeFilter(sparse)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start accepting connections ourselves; uvicorn gets no socket."""
        await super().startup([])
        self._accepting = asyncio.create_task(self._accept())
        self._begun()
        if self.should_exit:  # told to stop meanwhile: uvicorn would leave without its shutdown
            await self.shutdown()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop accepting, let requests finish, and close late ones."""
        self._accepting.cancel()
        await self._ends()
        asyncio.get_running_loop().call_later(self._stopping, self.connections.abort)
        await super().shutdown([self._listening])

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        self._listening.setblocking(False)
        while True:
            try:
                accepted, _ = await loop.sock_accept(self._listening)
                await loop.connect_accepted_socket(self._connection, accepted)
            except ConnectionError:  # the client has left again
                continue
            except OSError as error:  # no descriptor or memory is left
                _log.warning("no connection can be accepted: %s", error.strerror)
                await asyncio.sleep(PAUSE)

    def _connection(self) -> HttpConnection:
        return HttpConnection(
            self.connections,
            self._head,
            config=self.config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
        )


def _within_descriptors(most: int) -> int:
    """Return the limit, reduced to the available descriptors."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return most
    descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if descriptors == resource.RLIM_INFINITY:
        return most
    return max(1, min(most, descriptors - RESERVED))


HOST = "127.0.0.1"
"""The default host."""


def serve_http(
    store: str | Path | None,
    address: str,
    *,
    tokens: Path | None = None,
    hosts: Collection[str] = (),
    limits: ServerLimits | None = None,
    ready: Callable[[str, str], object] | None = None,
    domain: Domain[Any] = CODING,
    look: GivenLook = NO_LOOK,
    agent_layouts: AgentLayouts = "show",
    toolsets: Sequence[Toolset] = (),
    read_tool: bool = False,
    session: str | None = None,
    folder: Path | None = None,
) -> None:
    """Serve a store over HTTP until the process is told to stop (SIGTERM).

    :param store: the store's file or address; the user's own when ``None``.
    :param address: ``PORT`` or ``HOST:PORT``; without a host only this machine has access. Port 0 selects a
        free one.
    :param tokens: the token file; the one beside the store when ``None``. Without a file, everybody on this
        machine has full access, and other addresses are refused.
    :param hosts: further host names of the server.
    :param limits: the limits on clients.
    :param ready: called with the server's address and the store's place, once it accepts requests.
    :param domain: the domain of new sessions, and of the tools.
    :param look: the layout and the words of clients' sessions.
    :param agent_layouts: the policy for agents' layouts; see :class:`HudStore`.
    :param toolsets: tools of your own; a function's parameter ``ctx`` receives the session.
    :param read_tool: whether operations that only read have a tool of their own.
    :param session: without tokens, the default session.
    :param folder: the project's folder, without tokens; the current one when ``None``.
    :raises ServeError: for an unavailable address, or one that needs tokens; for unusable tokens; where the
        SDK is not installed.
    :raises StoreError: for an unusable store.
    """
    check_sdk("starlette", "uvicorn")
    host, port = host_and_port(address)
    family, place, is_here = _place(host, port)
    known = Tokens(tokens or tokens_beside(store))
    is_guarded = known.exists() or tokens is not None
    if is_guarded and (session is not None or folder is not None):
        raise ServeError(
            "with tokens, requests name their sessions and tokens their projects; leave --session and --project"
            " out"
        )
    if not is_here:
        _check_open(host, known, hosts)
    elif is_guarded:
        known.all()  # reports an unusable file at once
    names = {_bare(host), *(each.lower() for each in hosts)} - {"0.0.0.0", "[::]"}  # noqa: S104
    with closing(open_log(store)) as log:
        from hud_runtime.serve.http._application import Application
        from hud_runtime.serve.http._clients import LOOPBACK

        app = Application(
            log,
            known,
            is_open=not is_guarded,
            hosts=names | {*LOOPBACK} if is_here else names,
            limits=limits,
            domain=domain,
            look=look,
            agent_layouts=agent_layouts,
            toolsets=toolsets,
            read_tool=read_tool,
            settings=settings_beside(store),
            session=session,
            folder=None if is_guarded else (folder or Path.cwd()),
        )
        try:
            listening = listening_socket(family, place)
        except OSError as error:
            raise ServeError(
                f"{host}:{port} cannot be listened on: {error.strerror or error}"
            ) from None
        with listening:
            own = listening.getsockname()[1]
            where = log.place if is_address(log.place) else str(Path(log.place).absolute())
            _run(app, listening, lambda: ready and ready(f"http://{_bare(host)}:{own}/mcp", where))


def host_and_port(address: str) -> tuple[str, int]:
    """Split an address into host and port.

    :raises ServeError: for an invalid address.

    >>> host_and_port("8080"), host_and_port("[::1]:8080")
    (('127.0.0.1', 8080), ('::1', 8080))
    """
    host, _, port = address.rpartition(":")
    is_port = port.isascii() and port.isdecimal() and len(port) < 6 and int(port) < 65_536
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    if not is_port or (not host and ":" in address) or (":" in bare) != (bare != host):
        raise ServeError(
            f"{quoted(address)} is not an address; write PORT, HOST:PORT or [HOST]:PORT"
        )
    return bare or HOST, int(port)


def _place(host: str, port: int) -> tuple[socket.AddressFamily, tuple[str, int], bool]:
    """Return the socket's address, and whether only this machine can reach it."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise ServeError(
            f"there is no host {shown(host)}; give a name or a number of this machine"
        ) from None
    family, *_, place = found[0]
    is_here = all(ip_address(str(each[4][0]).partition("%")[0]).is_loopback for each in found)
    return family, (str(place[0]), port), is_here


def _bare(host: str) -> str:
    return f"[{host}]" if ":" in host else host.lower()


def _check_open(host: str, tokens: Tokens, hosts: Collection[str]) -> None:
    """Refuse to serve other machines without tokens, or without a host name."""
    if not any(each.project is not None for each in tokens.all()):
        raise ServeError(
            f"other machines could reach {host}, and there is no token in {tokens.path}:"
            " `ujsx token add PROJECT` makes one, or leave the host out"
        )
    if host in {"0.0.0.0", "::"} and not hosts:  # noqa: S104 - it is asked for
        raise ServeError(
            f"{host} is not a name that clients ask for; say which they do: --allow-host hud.example"
        )


def _passed_over(number: int, frame: object) -> None:
    """Ignore a signal."""


def _run(app: Application, listening: socket.socket, ready: Callable[[], object]) -> None:

    # The SDK's log of a broken request may contain its texts, and goes to standard error by
    # default.
    sdk = logging.getLogger("mcp")
    if not sdk.handlers:
        sdk.addHandler(logging.NullHandler())

    async def stop() -> None:
        app.stop()

    server = HttpServer(
        app,
        listening,
        connections=app.limits.connections,
        head=app.limits.head,
        stopping=app.limits.stopping,
        begun=ready,
        ends=stop,
        refused=lambda why: app.metrics.count("ujsx_refused_total", why=why),
    )
    app.metrics.gauges["ujsx_connections_now"] = lambda: len(server.connections)
    # After stopping, uvicorn raises the signal again, to end the process by it; a stop is not a
    # failure.
    is_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, _passed_over) if is_main else None
    try:
        server.run()
    finally:
        if is_main:
            signal.signal(signal.SIGTERM, before)
