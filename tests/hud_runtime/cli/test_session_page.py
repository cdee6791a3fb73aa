"""The page on keeping a session from the shell: its calls are run in their order, in one store."""

from __future__ import annotations

import doctest
import shlex
from pathlib import Path

from tests.hud_runtime.cli.test_command_page import examples

HOW_TO = Path(__file__).parents[3] / "docs" / "do" / "keep-a-session-from-the-shell.md"


def test_the_examples_show_what_comes_out(ujsx, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("UJSX_HOME", str(tmp_path / "home"))
    checker = doctest.OutputChecker()
    calls = [*examples(HOW_TO)]
    assert len(calls) > 10
    for call, shown in calls:
        done = ujsx(*shlex.split(call))
        printed = done.out + done.err
        assert checker.check_output(shown, printed, doctest.ELLIPSIS), (call, printed)
