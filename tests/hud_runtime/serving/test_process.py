"""The command as a process: what it listens on, what it prints, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from hud_runtime import HudStore, ServeError
from hud_runtime.serve.http import Tokens, serve_http
from tests.ids import looped
from tests.warm import python

ROOT = Path(__file__).parents[3]

anyio = pytest.importorskip("anyio", reason="the MCP SDK is not installed: make sdks")
mcp = pytest.importorskip("mcp", reason="the MCP SDK is not installed: make sdks")


@contextmanager
def serving(
    folder: Path, *options: str, anew: bool = False
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run ``ujsx serve --http``; give the process, ``anew`` if its id matters, and the address that it prints."""
    program = [sys.executable] if anew else python()
    call = [*program, "-m", "hud_runtime", "serve", "--http", "0", *options]
    env = os.environ | {"UJSX_HOME": str(folder), "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(call, stderr=subprocess.PIPE, text=True, env=env, cwd=folder)
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        assert line.startswith("ujsx serve: http://127.0.0.1:"), line
        yield process, line.split()[2].rstrip(",")
    finally:
        process.kill()
        process.wait(20)
        process.stderr.close()


@asynccontextmanager
async def client(
    url: str, text: str | None, *, mode: str = "auto", **headers: str
) -> AsyncIterator[Any]:
    """A client of the SDK."""
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    given = {**headers, **({} if text is None else {"Authorization": f"Bearer {text}"})}
    async with httpx2.AsyncClient(headers=given, timeout=30) as http:
        transport = streamable_http_client(url, http_client=http)
        async with mcp.Client(transport, mode=mode) as made:
            yield made


class TestProcess:
    def test_serves_the_official_client_and_ends_when_told_to(self, tmp_path: Path) -> None:
        text = Tokens(tmp_path / "tokens.json").add("shop")[1]

        async def drive(url: str, process: Any) -> None:
            named = {"Ujsx-Session": "main"}
            async with (
                client(url, text, mode="legacy", **named) as old,
                client(url, text, **named) as new,
            ):
                assert [each.name for each in (await old.list_tools()).tools] == [
                    "hud",
                    "hud_compact",
                ]
                await old.call_tool("hud", {"op": "notes.add", "content": "Port 8080"})
                hud = await new.read_resource("hud://current/markdown")
                assert "Port 8080" in hud.contents[0].text
                async with new.listen(resource_subscriptions=["hud://current"]) as events:
                    await old.call_tool("hud", {"op": "notes.add", "content": "Port 9090"})
                    with anyio.fail_after(20):
                        assert (await anext(aiter(events))).uri == "hud://current"
                    process.send_signal(signal.SIGTERM)
                    with anyio.fail_after(20):
                        async for _ in events:  # it ends, since the server says so
                            pass
            assert process.wait(30) == 0

        with serving(tmp_path) as (process, url):
            anyio.run(drive, url, process)
            assert process.stderr is not None
            said = process.stderr.read()
            assert text not in said
            assert said == ""
        with HudStore.open(tmp_path / "hud.db") as store:
            assert store.sessions() == ("shop/main",)
            assert store.keeping.verify() == ()

    def test_ends_requests_that_run_and_takes_no_new_ones(self, tmp_path: Path) -> None:
        """One that sends for ever is cut off when its time is over, and the exit status is 0 all the same."""
        text = Tokens(tmp_path / "tokens.json").add("shop")[1]
        with serving(tmp_path, "--limit", "stopping=1") as (process, url):
            port = int(url.split(":")[2].partition("/")[0])
            with socket.create_connection(("127.0.0.1", port)) as half:
                head = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {text}\r\n"
                half.sendall(f"{head}Content-Length: 100\r\n\r\nhalf".encode())
                with urllib.request.urlopen(url.replace("/mcp", "/health/ready")) as answer:
                    assert json.load(answer) == {"status": "ready"}
                process.send_signal(signal.SIGTERM)
                assert process.wait(30) == 0
            with pytest.raises(OSError):
                socket.create_connection(("127.0.0.1", port), timeout=5)

    def test_without_tokens_is_the_users_own_on_this_machine(self, tmp_path: Path) -> None:
        async def drive(url: str) -> None:
            async with client(url, None) as one:
                await one.call_tool("hud", {"op": "notes.add", "content": "x"})

        with serving(tmp_path, anew=True) as (process, url):
            anyio.run(drive, url)
            addresses = listened_on(process.pid)
            assert addresses is None or addresses == {"127.0.0.1"}
        with HudStore.open(tmp_path / "hud.db") as store:
            assert store.sessions() == (str(tmp_path),)


def listened_on(pid: int) -> set[str] | None:
    """The addresses on which a process listens, where Linux tells."""
    folder = Path(f"/proc/{pid}/fd")
    if not folder.is_dir():
        return None
    owned: set[str] = set()
    for each in folder.iterdir():
        with suppress(FileNotFoundError):  # the process closed it since
            owned.add(str(each.readlink()))
    found: set[str] = set()
    for name in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in owned:
                number = fields[1].partition(":")[0]
                found.add(
                    socket.inet_ntoa(bytes.fromhex(number)[::-1]) if name == "tcp" else number
                )
    return found


class TestStarting:
    def test_says_that_an_outbox_is_not_for_it(self, tmp_path: Path) -> None:
        (tmp_path / "context.toml").write_text("[outbox]\n")
        with serving(tmp_path) as (process, _):
            assert process.stderr is not None
            assert "outbox of context.toml is not for a server" in process.stderr.readline()
        assert not (tmp_path / "outbox").exists()

    @looped("address", ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"])
    def test_elsewhere_needs_a_token(self, tmp_path: Path, address: str) -> None:
        store = tmp_path / "hud.db"
        with pytest.raises(ServeError, match=r"there is no token in .*ujsx token add"):
            serve_http(store, address)
        Tokens(tmp_path / "tokens.json").add(None)  # one for the figures is none
        with pytest.raises(ServeError, match="there is no token in"):
            serve_http(store, address, hosts=["hud.example"])
        assert not store.exists()

    def test_on_all_addresses_needs_a_name(self, tmp_path: Path) -> None:
        Tokens(tmp_path / "tokens.json").add("shop")
        with pytest.raises(ServeError, match="--allow-host"):
            serve_http(tmp_path / "hud.db", "0.0.0.0:0")

    def test_with_tokens_takes_no_session_of_its_own(self, tmp_path: Path) -> None:
        Tokens(tmp_path / "tokens.json").add("shop")
        for own in ({"session": "s"}, {"folder": tmp_path}):
            with pytest.raises(ServeError, match="leave --session and --project out"):
                serve_http(tmp_path / "hud.db", "0", **own)  # type: ignore[arg-type]

    def test_with_a_file_that_others_may_read_is_refused(self, tmp_path: Path) -> None:
        tokens = Tokens(tmp_path / "tokens.json")
        tokens.add("shop")
        tokens.path.chmod(0o644)
        with pytest.raises(ServeError, match="others may read"):
            serve_http(tmp_path / "hud.db", "0")

    def test_where_somebody_listens_is_told(self, tmp_path: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            with pytest.raises(ServeError, match=f"127.0.0.1:{port} cannot be listened on"):
                serve_http(tmp_path / "hud.db", str(port))

    @looped(
        "address",
        ["", "x", "70000", "-1", ":80", "1.2.3.4", "::1:80", "[::1:80", "a:b:80", "80 ", "٨٠"],
    )
    def test_at_what_is_no_address_is_told(self, tmp_path: Path, address: str) -> None:
        with pytest.raises(ServeError, match="is not an address"):
            serve_http(tmp_path / "hud.db", address)

    @looped("host", ["no such host", "a" * 300, "host.invalid"])
    def test_at_a_host_that_is_not_there_is_told(self, tmp_path: Path, host: str) -> None:
        with pytest.raises(ServeError, match="there is no host"):
            serve_http(tmp_path / "hud.db", f"{host}:0")
