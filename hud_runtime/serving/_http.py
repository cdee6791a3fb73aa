"""An HTTP server that its clients cannot wear out: uvicorn's, with bounds on connections, heads and the log.

Uvicorn bounds the size of a head and the time between requests. It has no time for a head and no bound on connections that
say nothing, and asyncio's accept writes thousands of lines when no descriptor is left. The rest of what a server needs in
order to stay up is here; :mod:`hud_runtime.preview` runs on it as well.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import Awaitable, Callable
from typing import Any, cast

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from hud_runtime.serving._server_limits import KNOWN

HEAD_BYTES = 32 * 1024
"""Bytes of a request's head at most."""

IDLE = 75
"""Seconds after which a connection that nobody uses is closed; proxies keep theirs for 60."""

RESERVED = 64
"""Descriptors that connections leave to the store, its threads and the log."""

PAUSE = 0.5
"""Seconds before the next try where a connection could not be accepted."""

LAST_RESORT = 1
"""Seconds after which uvicorn itself cancels requests whose connections were closed."""

LOG_LINES = 5
"""Lines that one place in the code may log in each period."""

LOG_PERIOD = 60.0
"""Seconds of a period."""

_log = logging.getLogger("ujsx.serving")


def listening_socket(family: socket.AddressFamily, place: tuple[str, int]) -> socket.socket:
    """Return a socket that listens.

    With the protocol named, so that asyncio lets what is accepted send at once (TCP_NODELAY): an answer is two
    packets, and the second one would wait 40 ms for the client to acknowledge the first. The queue of clients is as long as
    the system has it: one that finds it full tries again after a second.

    :raises OSError: for an address that cannot be had.
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
    """A filter that lets through a few records of each place in the code, and counts the others.

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
        """By place: when its period began, and the records in it."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether a record is let through; the first one of a period counts those that were not."""
        place = record.pathname, record.lineno
        began, number = self._seen.get(place, (record.created, 0))
        if record.created - began >= self._period:
            if number > self._most:
                more = number - self._most
                record.msg, record.args = f"{record.getMessage()} (and {more:,} more like it)", ()
            began, number = record.created, 0
        self._seen[place] = began, number + 1
        return number < self._most


class Connections:
    """The connections of a server, and the one that is closed when there are too many.

    A connection waits while no request of it is under way. At the limit, the address that has the most waiting connections
    of clients that have not shown who they are loses its oldest: a client that means to ask sends its head at once. Where
    there is none, the connection of a known client that has waited longest is closed.

    :param most: connections at once.
    :param refused: called with the reason when a client is turned away.
    """

    def __init__(self, most: int, refused: Callable[[str], object]) -> None:
        self._most = most
        self.refused = refused
        self._all: set[Connection] = set()
        self._waiting: dict[str | None, dict[Connection, None]] = {}
        """By the client's address, or None for clients that are known; the oldest first."""

    def __len__(self) -> int:
        return len(self._all)

    def add(self, connection: Connection) -> None:
        """Take a connection in, and close another one, or this one, where there are too many."""
        self._all.add(connection)
        if len(self._all) > self._most:
            self.refused("connections")
            self._superfluous(connection).abort()

    def _superfluous(self, new: Connection) -> Connection:
        strangers = (crowd for address, crowd in self._waiting.items() if address is not None)
        crowd = max(strangers, key=len, default=self._waiting.get(None, {new: None}))
        return next(iter(crowd))

    def waits(self, connection: Connection, address: str | None) -> None:
        """Note that a connection has no request under way."""
        if connection in self._all:
            self._waiting.setdefault(address, {})[connection] = None

    def works(self, connection: Connection, address: str | None) -> None:
        """Note that a connection that waited has one."""
        crowd = self._waiting.get(address, {})
        crowd.pop(connection, None)
        if not crowd:
            self._waiting.pop(address, None)

    def discard(self, connection: Connection, address: str | None) -> None:
        """Forget a connection that is closed."""
        self._all.discard(connection)
        self.works(connection, address)

    def abort(self) -> None:
        """Close all of them, whatever is under way."""
        for each in [*self._all]:
            each.abort()


class Connection(H11Protocol):
    """A connection that has so long for the head of each request.

    :param connections: those that it is one of.
    :param seconds: the time for a head, from its first byte; for the first one from the beginning.
    :param given: what uvicorn's protocol takes.
    """

    def __init__(self, connections: Connections, seconds: float, **given: Any) -> None:
        super().__init__(**given)
        self._connections = connections
        self._seconds = seconds
        self._address: str | None = ""
        """The client's; None once the client is known."""
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
            self.transport.close()  # nobody reads the rest, which has no end perhaps

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answer what is not HTTP; a request whose body it is in ends as if its client had left."""
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

    :param connections: at once, at most; never more than there are descriptors for.
    :param head: seconds for the head of a request.
    :param stopping: seconds that requests have to end in when the server stops.
    :param begun: called once it accepts connections.
    :param ends: awaited when it stops, before it waits for requests.
    :param refused: called with the reason when a client is turned away: ``connections``, ``head`` or ``http``.
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
        self.connections = Connections(_within_descriptors(connections), refused)
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
        """Begin to accept connections, which uvicorn is not given a socket for."""
        await super().startup([])
        self._accepting = asyncio.create_task(self._accept())
        self._begun()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more, let requests end, and close what has not ended in time."""
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
            except ConnectionError:  # the client has gone again
                continue
            except OSError as error:  # no descriptor or no memory is left
                _log.warning("no connection can be accepted: %s", error.strerror)
                await asyncio.sleep(PAUSE)

    def _connection(self) -> Connection:
        return Connection(
            self.connections,
            self._head,
            config=self.config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
        )


def _within_descriptors(most: int) -> int:
    """The limit, or less where the process has fewer descriptors."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return most
    descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if descriptors == resource.RLIM_INFINITY:
        return most
    return max(1, min(most, descriptors - RESERVED))
