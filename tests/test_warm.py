"""A program that starts warm is as one that Python has started."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path
from typing import Any

from tests.ids import looped
from tests.warm import python

WAITS = "import time; print(flush=True); time.sleep(60)"


def begun(code: str, *given: str, **settings: Any) -> subprocess.Popen[str]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([*python(), "-c", code, *given], text=True, **pipes, **settings)


def test_it_has_what_its_command_has(tmp_path: Path) -> None:
    code = (
        "import os, sys, pathlib; print(sys.argv[1:], os.environ['A'], pathlib.Path.cwd())\n"
        "print(sys.stdin.read(), file=sys.stderr); sys.exit(3)"
    )
    with begun(code, "ä", cwd=tmp_path, env={"A": "b"}) as process:
        out, err = process.communicate("given")
    assert (out, err) == (f"['ä'] b {tmp_path}\n", "given\n")
    assert process.returncode == 3


@looped("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_reach_it_and_it_ends_as_it_ends(number: signal.Signals) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        process = begun(WAITS)
    finally:
        signal.signal(signal.SIGINT, before)
    with process:
        process.stdout.readline()
        process.send_signal(number)
        _, err = process.communicate()
    assert ("KeyboardInterrupt" in err) == (number == signal.SIGINT)
    assert process.returncode == -number


def test_it_ends_with_its_command() -> None:
    with begun(WAITS) as process:
        process.stdout.readline()
        process.kill()
        assert process.communicate() == ("", "")
