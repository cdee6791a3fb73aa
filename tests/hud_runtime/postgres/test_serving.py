"""Two servers over HTTP with one database: any of them answers any request, and either may go."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any
from urllib.error import HTTPError

import pytest

from hud_runtime import HudStore
from tests.docs.test_fleet import COMPOSE, read
from tests.hud_runtime.postgres.servers import Server
from tests.warm import python

ROOT = Path(__file__).parents[3]

anyio = pytest.importorskip("anyio", reason="the MCP SDK is not installed: make sdks")
mcp = pytest.importorskip("mcp", reason="the MCP SDK is not installed: make sdks")

from hud_runtime.serve.http import Tokens  # noqa: E402 - where the SDK is there

HOST = "hud.localhost"

PATIENCE = 60.0


class Served:
    """One server process, with the options of the example in the docs; ``anew`` if its own is killed."""

    def __init__(self, folder: Path, address: str, *, anew: bool) -> None:
        told = read(COMPOSE.read_text())["services"]["server"]["command"]
        here = {
            "0.0.0.0:8080": "0.0.0.0:0",
            "postgresql://owner@db/hud": address,
            "/tokens/tokens.json": str(folder / "tokens.json"),
            "${HUD_HOST:-hud.localhost}": HOST,
        }
        assert here.keys() <= {*told}
        limits = ["--limit", "rate=10000", "--limit", "burst=10000"]
        env = os.environ | {"UJSX_HOME": str(folder), "PYTHONPATH": str(ROOT)}
        program = [sys.executable] if anew else python()
        self.process = subprocess.Popen(
            [*program, "-m", "hud_runtime", *(here.get(each, each) for each in told), *limits],
            stderr=subprocess.PIPE, text=True, env=env, cwd=folder,
        )  # fmt: skip
        assert self.process.stderr is not None
        line = self.process.stderr.readline()
        assert "http://" in line, line
        port = line.split()[2].rstrip(",").removesuffix("/mcp").rpartition(":")[2]
        self.url = f"http://127.0.0.1:{port}"
        self.said: list[str] = []

    def get(self, path: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(f"{self.url}{path}", timeout=PATIENCE) as answer:
                return answer.status, answer.read().decode()
        except HTTPError as error:
            return error.code, error.read().decode()

    def end(self) -> None:
        """Kill it; what it has said on standard error is kept."""
        self.process.kill()
        if not self.said:
            self.said = ["", *self.process.communicate()[1].splitlines()]


@contextmanager
def two(folder: Path, address: str, *, anew: bool = False) -> Iterator[tuple[list[Served], str]]:
    """Run two servers, and give them and a token of the project "shop"."""
    text = Tokens(folder / "tokens.json").add("shop")[1]
    with ExitStack() as stack:
        served = []
        for _ in range(2):
            served.append(Served(folder, address, anew=anew))
            stack.callback(served[-1].end)
        yield served, text
    assert not any(text in line for each in served for line in each.said)


@asynccontextmanager
async def client(
    served: list[Served], text: str, *, mode: str = "auto", session: str | None = "main"
) -> AsyncIterator[Any]:
    """A client of the SDK behind a balancer: each request goes to any server that is there."""
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    chance = Random(1)

    class Balancer(httpx2.AsyncHTTPTransport):
        async def handle_async_request(self, request: Any) -> Any:
            last: Exception | None = None
            for one in chance.sample(served, len(served)):
                request.url = request.url.copy_with(port=int(one.url.rpartition(":")[2]))
                request.headers["host"] = HOST  # as a proxy has it
                try:
                    return await super().handle_async_request(request)
                except httpx2.ConnectError as error:
                    last = error
                except httpx2.TransportError:  # nobody knows whether it was done: a proxy says so
                    return httpx2.Response(502, request=request)
            assert last is not None
            raise last

    headers = {"Authorization": f"Bearer {text}", **({"Ujsx-Session": session} if session else {})}
    async with httpx2.AsyncClient(transport=Balancer(), headers=headers, timeout=PATIENCE) as http:
        transport = streamable_http_client(f"{served[0].url}/mcp", http_client=http)
        async with mcp.Client(transport, mode=mode) as made:
            yield made


async def said(client: Any, op: str, **arguments: Any) -> tuple[str, bool]:
    result = await client.call_tool("hud", {"call": {"op": op, **arguments}})
    return result.content[0].text, bool(result.is_error)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_each_request_may_reach_either(address: str, tmp_path: Path, mode: str) -> None:
    async def drive(served: list[Served], text: str) -> None:
        async with client(served, text, mode=mode, session=None) as one:
            for number in range(10):
                assert await said(one, "notes.add", content=f"Port {number}") == (
                    f"Added n-{number + 2}.\nno task · {number + 1} note{'s' if number else ''}", False,
                )  # fmt: skip
            for _ in range(2):  # of both
                hud = (await one.read_resource("hud://current/markdown")).contents[0].text
                assert "Port 9" in hud

    with two(tmp_path, address) as (served, text):
        anyio.run(drive, served, text)
        calls = r'requests_total\{method="tools/call",status="200"\} (\d+)'
        answered = [re.findall(calls, each.get("/metrics")[1]) for each in served]
        assert all(answered)  # both had some of it
        assert sum(int(number) for [number] in answered) == 10
    with HudStore.open(address) as store:
        [session] = store.sessions()
        assert session.startswith("shop/mcp-" if mode == "legacy" else "shop")
        assert store.keeping.verify() == ()


def test_who_listens_at_one_hears_at_once_what_the_other_records(
    address: str, tmp_path: Path
) -> None:
    """Long before a server would look by itself."""

    async def drive(served: list[Served], text: str) -> None:
        one, other = ([each] for each in served)
        async with client(one, text) as reader, client(other, text) as writer:
            async with reader.listen(resource_subscriptions=["hud://current"]) as events:
                told = aiter(events)
                await anyio.sleep(1)  # the connection that hears is made
                times = []
                for number in range(5):
                    began = time.monotonic()
                    await said(writer, "notes.add", content=f"Port {number}")
                    with anyio.fail_after(PATIENCE):
                        assert (await anext(told)).uri == "hud://current"
                    times.append(time.monotonic() - began)
                    hud = (await reader.read_resource("hud://current/markdown")).contents[0].text
                    assert f"Port {number}" in hud
            assert sorted(times)[2] < 2.0, times  # a look would take 5 seconds

    with two(tmp_path, address) as (served, text):
        anyio.run(drive, served, text)


def test_one_that_is_killed_takes_nothing_along(address: str, tmp_path: Path) -> None:
    """What was acknowledged is there once, and its clients go on at the other one."""
    acknowledged: list[str] = []

    async def record(served: list[Served], text: str, name: str) -> None:
        async with client(served, text, session=name) as one:
            for number in range(20):
                note = f"{name} note {number}"
                for _ in range(
                    50
                ):  # a request that broke is sent again: the same note is there once
                    with suppress(Exception):
                        answer, is_error = await said(one, "notes.add", content=note)
                        assert not is_error, answer
                        acknowledged.append(note)
                        break
                    await anyio.sleep(0.05)
                else:
                    raise AssertionError(note)

    async def drive(served: list[Served], text: str) -> None:
        async with anyio.create_task_group() as group:
            for name in ("a", "b", "c", "d"):
                group.start_soon(record, served, text, name)
            while len(acknowledged) < 30:
                await anyio.sleep(0.01)
            served[0].process.send_signal(signal.SIGKILL)

    with two(tmp_path, address, anew=True) as (served, text):
        anyio.run(drive, served, text)
        assert served[0].process.wait(PATIENCE) == -signal.SIGKILL
        assert served[1].process.poll() is None
    with HudStore.open(address) as store:
        there = [
            note.content for each in store.sessions() for note in store.session(each).state().notes
        ]
        assert store.keeping.verify() == ()
    assert sorted(there) == sorted(acknowledged)
    assert len(there) == len({*there}) == 80


def test_while_the_database_is_away_memory_is_shown_and_records_are_refused(
    server: Server, address: str, tmp_path: Path
) -> None:
    async def drive(served: list[Served], text: str) -> None:
        async with client(served[:1], text) as one:
            await said(one, "notes.add", content="Port 8080")
            server.stop()
            try:
                hud = (await one.read_resource("hud://current/markdown")).contents[0].text
                assert hud.startswith("The store cannot be reached: this is what was known")
                assert "- Port 8080" in hud
                answer, is_error = await said(one, "notes.add", content="Port 9090")
                assert is_error
                assert "nothing was recorded" in answer
                begin = time.monotonic()
                answers = [await said(one, "notes.add", content=f"{n}") for n in range(8)]
                assert time.monotonic() - begin < 8  # each would wait five seconds
                assert all(is_error for _, is_error in answers)
                assert "\nujsx_store_away 1\n" in served[0].get("/metrics")[1]
                assert served[0].get("/health/ready")[0] == 503
                assert served[0].get("/health/live")[0] == 200
                assert served[0].process.poll() is None
            finally:
                server.start()
            with anyio.fail_after(30):
                while (told := await said(one, "notes.add", content="Port 9091"))[1]:
                    await anyio.sleep(0.1)
            assert told[0].startswith("Added n-3.")
            await anyio.sleep(1.1)
            assert json.loads(served[0].get("/health/ready")[1]) == {"status": "ready"}

    with two(tmp_path, address) as (served, text):
        anyio.run(drive, served, text)
        figures = served[0].get("/metrics")[1]
        assert "\nujsx_errors_total 0\n" in figures
        for each in served:
            each.process.send_signal(signal.SIGTERM)
            assert each.process.wait(PATIENCE) == 0
    with HudStore.open(address) as store:
        notes = [each.content for each in store.session("shop/main").state().notes]
    assert notes == ["Port 8080", "Port 9091"]


def test_two_projects_in_one_database_are_apart(address: str, tmp_path: Path) -> None:
    async def drive(served: list[Served], shop: str, till: str) -> None:
        async with client(served, shop) as one, client(served, till) as other:
            await said(one, "notes.add", content="Port 8080")
            await said(other, "notes.add", content="Port 9090")
            for mine, theirs, text in ((one, "till", "Port 9090"), (other, "shop", "Port 8080")):
                answer, _ = await said(mine, "snapshot")
                assert text not in answer
                with pytest.raises(mcp.MCPError, match="there is no resource"):
                    await mine.read_resource(f"hud://session/{theirs}%2Fmain")

    with two(tmp_path, address) as (served, shop):
        till = Tokens(tmp_path / "tokens.json").add("till")[1]  # the servers take it at once
        anyio.run(drive, served, shop, till)
    with HudStore.open(address) as store:
        assert {*store.sessions()} == {"shop/main", "till/main"}
