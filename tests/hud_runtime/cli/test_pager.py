"""What is longer than the terminal goes through a pager: tried in a real terminal."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.warm import python

pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")

ROOT = Path(__file__).parents[3]
ROWS = 30
LONG, SHORT = ("record", "--help"), ("schema", "NoSuch", "--version")
"""What starts quickly: a pager does not know which command it is."""
COMMAND = ("schema", "DecisionsList")
"""A command with an option behind it, where a help would be given before that is read."""


@pytest.fixture
def terminal(tmp_path):
    """Run the command in a terminal with a pager that keeps what it gets, and return what is seen."""
    seen = tmp_path / "paged"
    pager = tmp_path / "pager"
    pager.write_text(f"#!/bin/sh\nprintf '[%s]' \"$LESS\" > {seen}\ncat >> {seen}\n", "utf-8")
    pager.chmod(0o700)

    def run(*arguments: str, **environ: str) -> tuple[str, str | None, int]:
        ours, theirs = pty.openpty()
        settings = {"TERM": "xterm", "COLUMNS": "80", "LINES": str(ROWS), "PAGER": str(pager)}
        done = subprocess.Popen(
            [*python(), "-m", "hud_runtime", *arguments],
            stdin=theirs, stdout=theirs, stderr=theirs,
            env={**os.environ, "PYTHONPATH": str(ROOT), **settings, **environ},
        )  # fmt: skip
        os.close(theirs)
        shown = b""
        with os.fdopen(ours, "rb", buffering=0) as master:
            while True:
                try:
                    piece = master.read(65536)
                except OSError:  # the other end is gone
                    break
                if not piece:
                    break
                shown += piece
        paged = seen.read_text("utf-8") if seen.exists() else None
        return shown.decode().replace("\r\n", "\n"), paged, done.wait()

    return run


def piped(*arguments: str) -> str:
    """What a pipe gets."""
    command = [*python(), "-m", "hud_runtime", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode()


@pytest.fixture(scope="module")
def whole():
    return piped(*LONG)


class TestPager:
    def test_gets_what_is_longer_than_the_terminal_and_nothing_is_lost(self, terminal, whole):
        assert whole.count("\n") > ROWS
        assert terminal(*LONG) == ("", f"[]{whole}", 0)

    def test_is_not_started_for_less(self, terminal):
        shown, paged, status = terminal(*SHORT)
        assert (paged, status) == (None, 0)
        assert shown.startswith("ujsx ")

    def test_keeps_the_settings_that_the_user_has(self, terminal, whole):
        assert terminal(*LONG, LESS="-S")[1] == f"[-S]{whole}"

    @pytest.mark.parametrize(
        ("arguments", "environ"),
        [
            (("--no-pager", *LONG), {}),
            (LONG, {"PAGER": "cat"}),
            (LONG, {"PAGER": ""}),
            (LONG, {"TERM": "dumb"}),
        ],
        ids=str,
    )
    def test_is_not_used_where_none_is_wanted(self, terminal, whole, arguments, environ):
        assert terminal(*arguments, **environ) == (whole, None, 0)

    def test_is_not_used_where_an_option_behind_the_command_says_so(self, terminal):
        shown = piped(*COMMAND)
        assert shown.count("\n") > ROWS
        assert terminal(*COMMAND, "--no-pager") == (shown, None, 0)

    def test_that_is_not_there_is_no_failure(self, terminal, whole):
        assert whole in terminal(*LONG, PAGER="/no/such/pager -x")[0]

    def test_that_the_reader_leaves_is_no_failure(self, terminal):
        shown, _, status = terminal("schema", "--all", "--lint", PAGER="head -n 1")
        assert (shown.count("\n"), status) == (1, 0)

    def test_lets_remarks_wait_until_it_is_gone(self, terminal, demo):
        shown, paged, status = terminal("replay", str(demo), LINES="5")
        assert status == 0
        assert paged.startswith("[]**Task:**")
        assert shown.startswith("turn 3")
        assert "turn 3" not in paged

    def test_gets_a_long_help_too(self, terminal):
        shown, paged, _ = terminal("record", "--help")
        assert shown == ""
        assert paged.startswith("[]Usage: ujsx record")
