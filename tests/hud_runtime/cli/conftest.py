"""The command, as the tests of its subcommands call it."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hud_runtime import HudStore
from hud_runtime.cli import main
from tests.warm import python

ROOT = Path(__file__).parents[3]

HOUR = 3_600_000
"""In milliseconds."""


@pytest.fixture(autouse=True)
def _a_process_of_its_own(monkeypatch):
    """A command does not know what an earlier one has warned of."""
    monkeypatch.setattr("hud_components.layout._hud._SAID", set())


@pytest.fixture(autouse=True)
def _hosts_of_its_own(monkeypatch, tmp_path_factory):
    """A command does not look into the settings of whoever runs the tests."""
    folder = str(tmp_path_factory.getbasetemp() / "no-hosts")
    for name in (
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
        "UJSX_HOME",
        "XDG_CONFIG_HOME",
        "XDG_CACHE_HOME",
    ):
        monkeypatch.setenv(name, folder)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call of the command came to."""

    status: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)

    @property
    def refusal(self) -> str:
        """The sentence of a refusal, having checked that it is one sentence and nothing else."""
        assert (self.status, self.out) == (2, "")
        assert self.err.count("\n") == 1
        return self.err.rstrip("\n")


@pytest.fixture
def ujsx(capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Call the command in this process."""

    def call(*arguments: object) -> Outcome:
        status = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Outcome(status, out, err)

    return call


@pytest.fixture
def process() -> Callable[..., subprocess.Popen[str]]:
    """Start the command as a process of its own, ``anew`` where it matters how Python starts."""

    def start(*arguments: object, anew: bool = False, **settings: Any) -> subprocess.Popen[str]:
        environ = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
        environ.pop("PYTHONUNBUFFERED", None)  # what is left in a buffer is written at the end
        usual = {
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "encoding": "utf-8",
            "env": environ,
        }
        begins = [sys.executable] if anew else python()
        command = [*begins, "-m", "hud_runtime", *map(str, arguments)]
        # A child inherits that SIGINT is ignored, as it is in a shell's background; a handler, it
        # does not.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            return subprocess.Popen(command, **usual | settings)
        finally:
            signal.signal(signal.SIGINT, before)

    return start


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with the session ``shop`` of four events in three turns, an hour each."""
    path = tmp_path / "hud.db"
    with HudStore.open(path) as opened:
        session = opened.session("shop", project="/srv/shop", started_at=HOUR)
        session.record("task.set", description="Add a login", turn=1, timestamp=2 * HOUR)
        session.record("note.add", content="Port 8080", turn=2, timestamp=3 * HOUR)
        used = {"used": 150_000, "turn": 3, "timestamp": 4 * HOUR}
        session.record("context.snapshot", actor="host", **used)
    return path


@pytest.fixture
def piped(monkeypatch: pytest.MonkeyPatch) -> Callable[[str | bytes], None]:
    """Put something into standard input."""

    def pipe(data: str | bytes) -> None:
        content = data.encode() if isinstance(data, str) else data
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return pipe


@pytest.fixture
def demo() -> Path:
    """The bundled transcript."""
    return ROOT / "hud_runtime" / "data" / "demo.jsonl"


@pytest.fixture
def transcript(tmp_path: Path) -> Callable[..., Path]:
    """Write a transcript of the given lines; data become JSON."""

    def write(*lines: object) -> Path:
        path = tmp_path / "session.jsonl"
        texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        return path

    return write
