"""Clients that open connections, send half a head on each, and open another one for each that is closed."""

from __future__ import annotations

import http.client
import json
import os
import selectors
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

HALF = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Half: "

AGAIN = 1.0
"""Seconds after which a client comes again whose connection was closed."""


class HalfOpen:
    """So many clients, in a thread."""

    def __init__(self, port: int, number: int) -> None:
        self._place = "127.0.0.1", port
        self._due = [0.0] * number
        self._is_over = threading.Event()
        self._selector = selectors.DefaultSelector()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.opened = 0
        self._number = number

    @contextmanager
    def running(self) -> Iterator[HalfOpen]:
        self._thread.start()
        try:
            while self.opened < self._number:
                time.sleep(0.02)
            yield self
        finally:
            self._is_over.set()
            self._thread.join(30)
            for key in [*self._selector.get_map().values()]:
                key.fileobj.close()  # type: ignore[union-attr]
            self._selector.close()

    def _run(self) -> None:
        while not self._is_over.is_set():
            now = time.monotonic()
            due = [each for each in self._due if each <= now][:100]
            self._due = [each for each in self._due if each > now] + [0.0] * (
                sum(each <= now for each in self._due) - len(due)
            )
            for _ in due:
                self._open()
            for key, _ in self._selector.select(0.02):
                self._look(key.fileobj)  # type: ignore[arg-type]

    def _open(self) -> None:
        made = socket.socket()
        made.setblocking(False)
        made.connect_ex(self._place)
        self._selector.register(made, selectors.EVENT_WRITE)
        self.opened += 1

    def _look(self, one: socket.socket) -> None:
        with suppress(OSError):
            if self._selector.get_key(one).events == selectors.EVENT_WRITE:
                one.send(HALF)
                self._selector.modify(one, selectors.EVENT_READ)
                return
            if one.recv(1_000):
                return
        self._selector.unregister(one)
        one.close()
        self._due.append(time.monotonic() + AGAIN)


def seconds_to_ask(connection: http.client.HTTPConnection, token: str) -> float:
    """Call a tool over a connection, and return how long it took; it has to be answered."""
    call = {"name": "hud", "arguments": {"call": {"op": "notes.list"}}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
    headers = {
        "authorization": f"Bearer {token}",
        "content-type": "application/json",
        "accept": "application/json",
    }
    began = time.perf_counter()
    connection.request("POST", "/mcp", body, headers)
    answer = connection.getresponse()
    assert answer.status == 200, answer.read()
    assert json.loads(answer.read())["result"]["isError"] is False
    return time.perf_counter() - began


def processor_seconds(pid: int) -> float | None:
    """What a process has taken of the processor, where Linux tells."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
