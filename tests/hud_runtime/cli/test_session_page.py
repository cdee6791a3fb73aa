"""The pages on sessions in the shell: the calls of each are run in their order, in one store."""

from __future__ import annotations

import doctest
import shlex
from pathlib import Path

from tests.hud_runtime.cli.test_command_page import examples
from tests.ids import looped

DO = Path(__file__).parents[3] / "docs" / "do"


@looped(("page", "least"), [("keep-a-session-from-the-shell", 11), ("claude-code", 8)])
def test_the_examples_show_what_comes_out(page, least, ujsx, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("UJSX_HOME", str(tmp_path / "home"))
    checker = doctest.OutputChecker()
    calls = [*examples(DO / f"{page}.md")]
    assert len(calls) >= least
    for call, shown in calls:
        done = ujsx(*shlex.split(call))
        printed = done.out + done.err
        assert checker.check_output(shown, printed, doctest.ELLIPSIS), (call, printed)
