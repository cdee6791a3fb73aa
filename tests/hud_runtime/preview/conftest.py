"""Previews for the tests, and the patience to wait for what another process does."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple

import pytest

from hud_runtime.preview import Preview, Subject
from tests.warm import python

DEMO = Path(__file__).parents[3] / "hud_runtime" / "data" / "demo.jsonl"
"""The bundled transcript."""

PATIENCE = 60.0
"""Seconds in which something has to have happened, however busy the machine is."""


@pytest.fixture(scope="module", autouse=True)
def _warm(warm_previews: None) -> None:
    """Half a second of a processor less for each preview."""


@pytest.fixture
def until() -> Callable[[Callable[[], object]], None]:
    """Wait until something holds."""

    def wait(holds: Callable[[], object]) -> None:
        end = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < end, "it did not come to hold"
            time.sleep(0.01)  # between two looks at the condition

    return wait


@pytest.fixture
def preview() -> Iterator[Callable[..., Preview]]:
    """Make previews, and end them."""
    with ExitStack() as held:

        def make(subject: Subject, **patience: float) -> Preview:
            return held.enter_context(Preview(subject, **{"loading": 2 * PATIENCE} | patience))

        yield make


@pytest.fixture(scope="module")
def demo() -> Iterator[Preview]:
    """A preview of the bundled transcript."""
    with Preview(Subject("demo", transcript=str(DEMO))) as made:
        yield made


class Answer(NamedTuple):
    """A server's answer to a request."""

    status: int
    headers: dict[str, str]
    body: bytes


class Served(NamedTuple):
    """``ujsx preview`` of the bundled transcript in a process of its own."""

    process: subprocess.Popen[str]
    port: int
    token: str

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def cookie(self) -> str:
        return f"ujsx-preview-{self.port}={self.token}"

    def get(self, path: str, *, method: str = "GET", **headers: str | None) -> Answer:
        """Ask as its own page does, or with other headers; one that is None is left out."""
        given = {"host": self.host, "cookie": self.cookie, **headers}
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in given.items():
            if value is not None:
                connection.putheader(name.replace("_", "-"), value.encode("latin-1", "replace"))
        connection.endheaders()
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return Answer(answer.status, dict(answer.getheaders()), body)


@contextmanager
def serving(folder: Path) -> Iterator[Served]:
    """Serve a preview, as a shell does that hands on Ctrl-C."""
    default = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        command = [*python(), "-m", "hud_runtime", "preview", str(DEMO), "--density", "compact"]
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            env=os.environ | {"UJSX_CONFIG": str(folder / "none")},
        )
    finally:
        signal.signal(signal.SIGINT, default)
    with process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=([\w-]{43})", address)
        assert found is not None, address  # 43 characters of six bits each are 256 bits
        yield Served(process, int(found[1]), found[2])
        process.terminate()


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A preview's server."""
    with serving(tmp_path_factory.getbasetemp()) as made:
        yield made
