"""The server under clients that wear it out: connections that say nothing, bodies that are no message, a stop in the middle.

``make strangers`` is the long form: ``UJSX_HALF_OPEN`` clients for twenty seconds.
"""

from __future__ import annotations

import asyncio
import gc
import http.client
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the MCP SDK is not installed: make sdks")

from hud_runtime.serve.http import Tokens
from tests.hud_runtime.mcp.lines import UNKNOWN, broken_lines, expected
from tests.hud_runtime.serving.asking import Asking, driven
from tests.hud_runtime.serving.inside import KNOWN, HttpServer, SparseLog, listening_socket
from tests.hud_runtime.serving.strangers import (
    HALF,
    HalfOpen,
    processor_seconds,
    seconds_to_ask,
)
from tests.warm import python

ROOT = Path(__file__).parents[3]

HALF_OPEN = int(os.environ.get("UJSX_HALF_OPEN", "0"))
LINES = int(os.environ.get("UJSX_LINES", "500"))

posix = pytest.mark.skipif(os.name != "posix", reason="descriptors are counted by POSIX")


class Serving:
    """The command as a process, whose standard error goes to a file."""

    def __init__(self, folder: Path, *options: str, descriptors: int | None = None) -> None:
        self.token = Tokens(folder / "tokens.json").add("shop")[1]
        self._log = folder / "log.txt"
        limit = "" if descriptors is None else f"ulimit -n {descriptors}; "
        program = python() if descriptors is None else [sys.executable]
        served = [*program, "-m", "hud_runtime", "serve", "--http", "0", *options]
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                ["/bin/sh", "-c", f'{limit}exec "$@"', "sh", *served],
                stderr=log,
                cwd=folder,
                env={**os.environ, "UJSX_HOME": str(folder), "PYTHONPATH": str(ROOT)},
            )
        while "/mcp" not in self.log():
            assert self.process.poll() is None, self.log()
            time.sleep(0.02)
        self.port = int(self.log().partition("127.0.0.1:")[2].partition("/")[0])

    def log(self) -> str:
        return self._log.read_text()

    def said(self) -> str:
        """The log without its first line, which says where the server is."""
        return self.log().partition("\n")[2]

    def connect(self, data: bytes = b"") -> socket.socket:
        made = socket.create_connection(("127.0.0.1", self.port), timeout=20)
        made.sendall(data)
        return made

    def client(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)

    def head(self, length: int) -> bytes:
        fields = {
            "Host": "localhost",
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Content-Length": length,
        }
        lines = (f"{name}: {value}\r\n" for name, value in fields.items())
        return f"POST /mcp HTTP/1.1\r\n{''.join(lines)}\r\n".encode()


@contextmanager
def serving(folder: Path, *options: str, descriptors: int | None = None) -> Iterator[Serving]:
    made = Serving(folder, *options, descriptors=descriptors)
    try:
        yield made
    finally:
        made.process.kill()
        made.process.wait(20)


def wait_until_closed(one: socket.socket) -> None:
    """Return when the server has closed a connection; after the socket's own time-out it is an error."""
    with suppress(ConnectionError):
        while one.recv(1_000):
            pass


@posix
class TestHalfOpenClients:
    def test_leave_a_client_its_answers(self, tmp_path: Path) -> None:
        """More of them than there are descriptors: those that wait longest have to go."""
        with (
            serving(tmp_path, "--limit", "rate=1000", descriptors=120) as server,
            HalfOpen(server.port, 200).running(),
            closing(server.client()) as kept,
        ):
            took: list[float] = []
            for _ in range(20):
                with closing(server.client()) as fresh:
                    took += [seconds_to_ask(each, server.token) for each in (fresh, kept)]
                time.sleep(0.05)
            assert sorted(took)[-2] < 1
            assert server.said() == ""

    @pytest.mark.skipif(not HALF_OPEN, reason="make strangers")
    def test_cost_little_and_fill_no_log(self, tmp_path: Path) -> None:
        """Whom a server has descriptors for is kept until his time is over, and comes again."""
        with (
            serving(tmp_path, descriptors=10_000) as server,
            HalfOpen(server.port, HALF_OPEN).running() as strangers,
        ):
            began, used = time.perf_counter(), processor_seconds(server.process.pid) or 0
            took: list[float] = []
            while time.perf_counter() - began < 30:
                with closing(server.client()) as fresh:
                    took += [seconds_to_ask(fresh, server.token)]
                time.sleep(0.2)
            share = (processor_seconds(server.process.pid) or 0) - used
            share /= time.perf_counter() - began
            p99 = sorted(took)[int(len(took) * 0.99)]
            size = len(server.log())
            found = (
                f"{strangers.opened:,} opened; p99 {p99:.3f} s, processor {share:.1%}, log {size} B"
            )
            print(found)  # noqa: T201 - the long form tells what it measured
            assert p99 < 1
            assert share < 0.2
            assert size < 2**20

    def test_are_closed_when_their_time_for_a_head_is_over(self, tmp_path: Path) -> None:
        with serving(tmp_path, "--limit", "head=1") as server, closing(server.client()) as late:
            silent, dripping = server.connect(), server.connect(HALF)
            seconds_to_ask(late, server.token)
            late.sock.sendall(b"GET /health/live HTTP/1.1\r\n")  # the head of the second request
            # bodies that nobody reads, of a client that is known and of one that is not
            unread = [
                server.connect(server.head(10**9).replace(b"/mcp", b"/health/live")),
                server.connect(server.head(10**9).replace(b"POST", b"PUT")),
            ]
            assert b"200" in unread[0].recv(10_000)
            assert b"405" in unread[1].recv(10_000)
            for _ in range(4):
                dripping.sendall(b"x")
                with suppress(ConnectionError):
                    unread[0].sendall(b"x")
                unread[1].sendall(b"x")
                time.sleep(0.1)
            for each in (silent, dripping, late.sock, *unread):
                wait_until_closed(each)
                each.close()
            with closing(server.client()) as another:
                seconds_to_ask(another, server.token)


class Ticking:
    """An application that answers at once, or knows its client, or never ends; it tells who has asked."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            while True:
                message = await receive()
                await send({"type": f"{message['type']}.complete"})
                if message["type"] == "lifespan.shutdown":
                    return
        if scope["path"] == "/known":
            scope[KNOWN] = True
        client = scope["client"][0].encode()
        if scope["path"] == "/streams":
            await send({"type": "http.response.start", "status": 204, "headers": []})
            await send({"type": "http.response.body", "more_body": True})
        if scope["path"] in {"/hangs", "/body", "/streams"}:
            while (await receive())["type"] != "http.disconnect":
                pass
        if scope["path"] == "/streams":
            return
        await send(
            {"type": "http.response.start", "status": 204, "headers": [(b"asked-by", client)]}
        )
        await send({"type": "http.response.body"})


class TestConnections:
    """The server itself, in this process."""

    def driven(self, drive: Any, at_end: Any = None, **limits: Any) -> Counter[str]:
        refused: Counter[str] = Counter()

        async def run() -> None:
            begun, over = asyncio.Event(), asyncio.Event()

            async def ends() -> None:
                if at_end is not None:
                    await at_end(listening.getsockname()[1])
                over.set()

            with listening_socket(socket.AF_INET, ("127.0.0.1", 0)) as listening:
                server = HttpServer(
                    Ticking(),
                    listening,
                    begun=begun.set,
                    ends=ends,
                    refused=lambda why: refused.update([why]),
                    **{"connections": 4, "head": 20, "stopping": 1, **limits},
                )
                serving = asyncio.create_task(server.serve())
                async with asyncio.timeout(30):
                    await begun.wait()
                    await drive(server, listening.getsockname()[1])
                    server.should_exit = True
                    await serving
                assert over.is_set()
                assert len(server.connections) == 0

        asyncio.run(run())
        return refused

    async def asked(self, port: int, path: str) -> Any:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        if path != "/hangs":
            assert b"204" in await reader.readuntil(b"\r\n\r\n")
        return reader, writer

    def test_those_of_strangers_go_before_those_of_known_clients(self) -> None:
        async def drive(server: HttpServer, port: int) -> None:
            known = [await self.asked(port, "/known") for _ in range(3)]
            stranger = await self.asked(port, "/")
            newer = await self.asked(port, "/")
            assert await stranger[0].read() == b""
            for each in known:
                each[1].write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                assert b"204" in await each[0].readuntil(b"\r\n\r\n")
            for _, writer in (*known, stranger, newer):
                writer.close()

        assert self.driven(drive) == {"connections": 1}

    def test_without_a_stranger_the_known_one_goes_that_has_waited_longest(self) -> None:
        async def drive(server: HttpServer, port: int) -> None:
            known = [await self.asked(port, "/known") for _ in range(4)]
            known[0][1].write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert b"204" in await known[0][0].readuntil(b"\r\n\r\n")
            newer = await self.asked(port, "/")
            assert await known[1][0].read() == b""
            assert len(server.connections) == 4
            for _, writer in (*known, newer):
                writer.close()

        assert self.driven(drive) == {"connections": 1}

    @pytest.mark.skipif(sys.platform != "linux", reason="this machine has one address of its own")
    def test_the_address_with_most_of_them_loses_its_oldest(self) -> None:
        async def drive(server: HttpServer, port: int) -> None:
            place = "127.0.0.1", port
            other = await asyncio.open_connection(*place, local_addr=("127.0.0.2", 0))
            crowd = [await asyncio.open_connection(*place) for _ in range(4)]
            assert await crowd[0][0].read() == b""
            other[1].write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert b"204" in await other[0].readline()
            for _, writer in (other, *crowd):
                writer.close()

        assert self.driven(drive) == {"connections": 1}

    def test_the_rest_of_a_body_is_read_from_a_known_client_alone(self) -> None:
        async def drive(server: HttpServer, port: int) -> None:
            ends: dict[str, Any] = {}
            for path in ("/known", "/"):
                ends[path] = await asyncio.open_connection("127.0.0.1", port)
                head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n"
                ends[path][1].write(head.encode())
                assert b"204" in await ends[path][0].readuntil(b"\r\n\r\n")
            assert await asyncio.wait_for(ends["/"][0].read(), 10) == b""
            ends["/known"][1].write(b"{}GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert b"204" in await ends["/known"][0].readline()
            for _, writer in ends.values():
                writer.close()

        assert self.driven(drive) == {}

    def test_where_each_has_a_request_under_way_the_new_one_is_closed(self) -> None:
        async def drive(server: HttpServer, port: int) -> None:
            busy = [await self.asked(port, "/hangs") for _ in range(4)]
            await asyncio.sleep(0.2)
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            assert await reader.read() == b""
            assert len(server.connections) == 4
            for _, each in (*busy, (reader, writer)):
                each.close()

        assert self.driven(drive) == {"connections": 1}

    def test_the_time_for_a_head_is_over_with_the_head_or_with_the_connection(self) -> None:
        async def drive(server: HttpServer, port: int) -> None:
            slow = await self.asked(port, "/hangs")
            used = await self.asked(port, "/")
            used[1].write(b"GET /hangs HTTP/1.1\r\nHost: x\r\n\r\n")
            left = await asyncio.open_connection("127.0.0.1", port)
            left[1].write(HALF)
            await asyncio.sleep(0.1)
            left[1].close()
            await asyncio.sleep(1.4)
            assert len(server.connections) == 2
            for _, writer in (slow, used):
                writer.close()

        assert self.driven(drive, head=1) == {}

    def test_the_second_head_has_its_time_from_its_first_byte(self) -> None:
        async def drive(server: HttpServer, port: int) -> None:
            reader, writer = await self.asked(port, "/")
            await asyncio.sleep(1.3)
            assert len(server.connections) == 1
            writer.write(HALF)
            assert await reader.read() == b""
            writer.close()

        assert self.driven(drive, head=1) == {"head": 1}

    def test_a_head_has_so_many_bytes(self) -> None:
        """32 KiB, while it is not whole."""

        async def drive(server: HttpServer, port: int) -> None:
            for size, status in ((2**15, b"204"), (2**15 + 1, b"400")):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nX: ".ljust(size, b"x"))
                await asyncio.sleep(0.2)
                writer.write(b"\r\n\r\n")
                assert status in await reader.readline()
                writer.close()

        assert self.driven(drive) == {"http": 1}

    @pytest.mark.parametrize(("descriptors", "bound"), [(66, 2), (20, 1), (1_000, 4), (-1, 4)])
    @posix
    def test_are_no_more_than_there_are_descriptors_for(
        self, descriptors: int, bound: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """64 are left to the store and the log; -1 stands for no limit."""
        import resource

        assert resource.RLIM_INFINITY == -1
        monkeypatch.setattr(resource, "getrlimit", lambda _: (descriptors, descriptors))

        async def drive(server: HttpServer, port: int) -> None:
            half = [await asyncio.open_connection("127.0.0.1", port) for _ in range(5)]
            for reader, _ in half[: 5 - bound]:
                assert await reader.read() == b""
            assert len(server.connections) == bound
            for _, writer in half:
                writer.close()

        assert self.driven(drive) == {"connections": 5 - bound}

    def test_that_come_while_the_server_stops_are_not_accepted(self) -> None:
        late: list[Any] = []

        async def at_end(port: int) -> None:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            late.append((reader, writer))
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(reader.read(1), 0.3)

        async def drive(server: HttpServer, port: int) -> None:
            (await self.asked(port, "/"))[1].close()

        assert self.driven(drive, at_end) == {}
        late[0][1].close()

    def test_say_nothing_of_the_server_and_believe_nothing_of_a_proxy(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Neither header nor log has a line for each request, and a client cannot name itself."""
        caplog.set_level(logging.INFO)

        async def drive(server: HttpServer, port: int) -> None:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 10.0.0.1\r\n\r\n")
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            assert b"server:" not in head
            assert b"asked-by: 127.0.0.1\r\n" in head
            writer.close()

        self.driven(drive)
        assert not [each for each in caplog.records if each.name == "uvicorn.access"]

    def test_a_request_that_goes_on_is_broken_off_when_its_time_is_over(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        async def drive(server: HttpServer, port: int) -> None:
            reader, writer = await self.asked(port, "/hangs")
            server.should_exit = True
            with suppress(ConnectionError):
                assert await reader.read() == b""
            writer.close()

        self.driven(drive)
        assert not [each for each in caplog.records if each.levelno >= logging.WARNING]

    @pytest.mark.parametrize(("path", "together"), [("/", True), ("/body", True), ("/body", False)])
    def test_a_request_whose_body_is_not_http_is_refused_once(
        self, path: str, together: bool, caplog: pytest.LogCaptureFixture
    ) -> None:
        garbage = b"no number\r\n"

        async def drive(server: HttpServer, port: int) -> None:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            fields = "Host: x\r\nTransfer-Encoding: chunked\r\n"
            head = f"POST {path} HTTP/1.1\r\n{fields}\r\n".encode()
            writer.write(head + garbage if together else head)
            if not together:
                await asyncio.sleep(0.1)
                writer.write(garbage)
            assert (await reader.read()).startswith(b"HTTP/1.1 400")
            writer.close()

        assert self.driven(drive) == {"http": 1}
        assert not [each for each in caplog.records if each.levelno >= logging.ERROR]

    def test_an_answer_that_goes_on_is_broken_off_by_what_is_not_http(self) -> None:
        async def drive(server: HttpServer, port: int) -> None:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"POST /streams HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            assert b"204" in await reader.readuntil(b"\r\n\r\n")
            writer.write(b"no number\r\n")
            with suppress(ConnectionError):
                assert await asyncio.wait_for(reader.read(), 10) == b""
            writer.close()

        assert self.driven(drive) == {"http": 1}

    def test_a_failed_accept_is_followed_by_a_pause(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        tried = 0

        async def drive(server: HttpServer, port: int) -> None:
            loop, given = asyncio.get_running_loop(), asyncio.get_running_loop().sock_accept

            async def full(listening: Any) -> Any:
                nonlocal tried
                accepted, place = await given(listening)
                tried += 1
                if tried < 3:
                    accepted.close()
                    raise OSError(24, "Too many open files")
                return accepted, place

            (await self.asked(port, "/"))[1].close()  # one is accepted before
            monkeypatch.setattr(loop, "sock_accept", full)
            (await self.asked(port, "/"))[1].close()
            began = time.monotonic()
            for _ in range(2):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                assert is_nothing(await reader.read())
                writer.close()
            (await self.asked(port, "/"))[1].close()
            assert time.monotonic() - began > 0.3

        def is_nothing(data: bytes) -> bool:
            return data == b""

        self.driven(drive)
        assert tried == 3
        assert caplog.messages.count("no connection can be accepted: Too many open files") == 2

    def test_an_answer_in_two_packets_waits_for_no_acknowledgement(self) -> None:
        async def drive(server: HttpServer, port: int) -> None:
            _, writer = await self.asked(port, "/")
            [one] = server.server_state.connections
            sent = one.transport.get_extra_info("socket")  # type: ignore[union-attr]
            assert sent.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0
            writer.close()

        self.driven(drive)


@pytest.mark.skipif(sys.platform != "linux", reason="the system tells how long its queue is")
def test_a_crowd_that_comes_at_once_finds_a_place_in_the_queue() -> None:
    """Whoever finds it full tries again after a second."""
    import resource

    crowd = min(2_000, int(Path("/proc/sys/net/core/somaxconn").read_text()))
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    if before[1] < crowd + 500:
        pytest.skip("this process may not have so many descriptors")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before[0], crowd + 500), before[1]))
    try:
        with ExitStack() as clients:
            listening = clients.enter_context(listening_socket(socket.AF_INET, ("127.0.0.1", 0)))
            for _ in range(crowd):
                one = clients.enter_context(socket.socket())
                one.setblocking(False)
                one.connect_ex(listening.getsockname())
                one.getpeername()  # an error where it is still waiting
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


class TestLog:
    def test_has_a_few_lines_of_what_many_clients_cause_and_none_of_a_stop(
        self, tmp_path: Path
    ) -> None:
        with serving(tmp_path, "--limit", "stopping=1") as server:
            for _ in range(40):
                with server.connect(b"\x00 is no request\r\n\r\n") as one:
                    assert b"400" in one.recv(1_000)
            half = [server.connect(server.head(100) + b"half") for _ in range(8)]
            half += [server.connect(HALF), server.connect(), server.connect(b"GET / HTTP/1.1\r\n")]
            with closing(server.client()) as whole:
                seconds_to_ask(whole, server.token)
            server.process.send_signal(signal.SIGTERM)
            assert server.process.wait(30) == 0
            assert server.said() == "Invalid HTTP request received.\n" * 5
            for each in half:
                each.close()

    def test_names_how_many_were_left_out(self) -> None:
        sparse, records = SparseLog(most=2, period=10), []
        for second in (*range(9), 11, 22):
            made = logging.LogRecord("x", logging.ERROR, "a.py", 1, "it %s", ("broke",), None)
            made.created = second
            if sparse.filter(made):
                records.append(made.getMessage())
        assert records == ["it broke", "it broke", "it broke (and 7 more like it)", "it broke"]

    def test_does_not_count_what_was_let_through(self) -> None:
        sparse, records = SparseLog(most=2, period=10), []
        for second in (0, 1, 10):
            made = logging.LogRecord("x", logging.ERROR, "a.py", 1, "it broke", (), None)
            made.created = second
            if sparse.filter(made):
                records.append(made.getMessage())
        assert records == ["it broke"] * 3

    def test_is_sparse_while_the_server_runs(self) -> None:
        """Its handlers are those of the whole process."""
        filters = [each.filters[:] for each in logging.root.handlers]
        during: list[list[Any]] = []

        async def ends() -> None:
            during.extend(each.filters[:] for each in logging.root.handlers)

        with listening_socket(socket.AF_INET, ("127.0.0.1", 0)) as listening:
            server = HttpServer(
                Ticking(),
                listening,
                connections=4,
                head=20,
                stopping=1,
                begun=threading.Timer(0.1, lambda: setattr(server, "should_exit", True)).start,
                ends=ends,
            )
            thread = threading.Thread(target=server.run)  # signals are the main one's
            thread.start()
            thread.join(30)
        assert [[type(each) for each in those][-1] for those in during] == [SparseLog] * len(
            filters
        )
        assert [each.filters for each in logging.root.handlers] == filters


class TestListening:
    def test_on_a_port_that_was_just_left_is_possible(self) -> None:
        with listening_socket(socket.AF_INET, ("127.0.0.1", 0)) as first:
            place = first.getsockname()
            with socket.create_connection(place) as client:
                first.accept()[0].close()  # who closes first keeps the port for a while
                assert client.recv(1) == b""
        listening_socket(socket.AF_INET, place).close()

    def test_by_ipv6_leaves_the_port_of_ipv4(self) -> None:
        try:
            wide = listening_socket(socket.AF_INET6, ("::", 0))
        except OSError:
            pytest.skip("there is no IPv6")
        with wide:
            listening_socket(socket.AF_INET, ("0.0.0.0", wide.getsockname()[1])).close()

    def test_where_another_does_leaves_no_socket(self) -> None:
        with (
            listening_socket(socket.AF_INET, ("127.0.0.1", 0)) as first,
            warnings.catch_warnings(record=True) as heard,
        ):
            warnings.simplefilter("always")
            with pytest.raises(OSError, match="in use"):
                listening_socket(socket.AF_INET, first.getsockname())
            gc.collect()
            assert not heard


class TestBodies:
    """What is no message of the protocol is refused with a status and an error, counted, and breaks nothing."""

    def test_that_are_broken_are_answered(self, made: Any, tokens: Tokens) -> None:
        app = made()
        client = Asking(app, tokens.add("shop")[1])

        async def drive() -> None:
            for body in broken_lines(LINES):
                answer = await client.send(body=body)
                assert answer.status in {200, 202, 400}, body
                if answer.status != 202:
                    found = answer.data
                    assert ("result" in found) != ("error" in found)
                    if answer.status == 200 and not body.lstrip(b"\xef\xbb\xbf \r").startswith(
                        b"["
                    ):
                        [wanted] = expected(body)
                        assert wanted != UNKNOWN, body
            figures = (await Asking(app, tokens.add(None)[1]).send("/metrics", method="GET")).body
            assert b"ujsx_errors_total 0" in figures
            assert b'ujsx_refused_total{why="message"}' in figures
            assert (await client.hud("notes.add", content="works")).status == 200

        driven(app, drive)

    @pytest.mark.parametrize(
        ("body", "request_id", "code"),
        [
            (b'{"jsonrpc":"2.0","id":4,"method":"ping","params":{"x":"\xff"}}', 4, -32700),
            (b'{"jsonrpc":"2.0","id":4,"method":"ping"', 4, -32700),
            (b'{"jsonrpc":"2.0","id":4,"method":"\xff"}', 4, -32700),
            (b"\xff", None, -32700),
            (b"", None, -32700),
            (b'[{"jsonrpc":"2.0","id":4,"method":"ping"},{"jsonrpc":"2.0","id":5,"method":"ping"}]', None, -32600),
            (b'{"jsonrpc":"2.0","id":[4],"method":"ping"}', None, -32600),
            (b'{"jsonrpc":"2.0","id":"4","method":"ping","params":[]}', "4", -32602),
        ],
    )  # fmt: skip
    def test_that_are_no_message_are_refused_and_counted(
        self, made: Any, tokens: Tokens, body: bytes, request_id: object, code: int
    ) -> None:
        app = made()

        async def drive() -> None:
            answer = await Asking(app, tokens.add("shop")[1]).send(body=body)
            assert answer.status == 400
            assert (answer.data["id"], answer.data["error"]["code"]) == (request_id, code)
            assert 'ujsx_refused_total{why="message"} 1' in app.metrics.text()
            assert "ujsx_errors_total 0" in app.metrics.text()

        driven(app, drive)

    def test_with_half_a_character_are_served_with_its_replacement(
        self, made: Any, tokens: Tokens
    ) -> None:
        app = made()

        async def drive() -> None:
            client = Asking(app, tokens.add("shop")[1])
            body = (
                rb'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"hud","arguments":'
                rb'{"call":{"op":"notes.add","content":"cut \ud83d"}}}}'
            )
            assert (await client.send(body=body)).text.endswith("became U+FFFD")
            notes = await client.rpc("resources/read", {"uri": "hud://current"})
            assert "cut \ufffd" in notes.text

        driven(app, drive)

    def test_of_a_client_that_has_left_are_not_taken_for_whole(
        self, made: Any, tokens: Tokens
    ) -> None:
        """The part that came may be a whole message: it is not what the client meant to send."""
        app = made()
        client = Asking(app, tokens.add("shop")[1])
        whole = b'{"jsonrpc":"2.0","id":4,"method":"ping"}'
        headers = {**client.headers, "content-length": "100"}

        async def drive() -> None:
            parts = [
                {"type": "http.request", "body": whole, "more_body": True},
                {"type": "http.disconnect"},
            ]
            sent: list[Any] = []

            async def receive() -> Any:
                return parts.pop(0)

            async def send(message: Any) -> None:
                sent.append(message)

            scope = {
                "type": "http", "method": "POST", "path": "/mcp", "query_string": b"",
                "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            }  # fmt: skip
            await app(scope, receive, send)
            assert sent[0]["status"] == 400
            assert 'ujsx_refused_total{why="left"} 1' in app.metrics.text()

        driven(app, drive)
