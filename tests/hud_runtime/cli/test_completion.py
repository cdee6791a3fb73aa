"""Completion: what Click offers a shell of the commands, their options and values, and the sessions of a store."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hud_runtime import HudStore
from tests.ids import looped
from ujsx import Density

# What is typed, and what must and must not be among the words that a shell is offered for it.
CASES = [
    ("ujsx se", {"session", "serve"}, {"demo"}),
    ("ujsx ho", set(), {"hook"}),
    ("ujsx session l", {"list"}, {"export"}),
    ("ujsx session export --", {"--store", "--as", "--no-pager"}, {"--density"}),
    ("ujsx session export --as ", {"log", "state"}, {"json"}),
    ("ujsx history show last --whole --as ", {"json", "markdown"}, {"log"}),
    ("ujsx demo --density c", {"compact"}, {"full"}),
    ("ujsx demo --density=m", {"minimal"}, {"full"}),
    ("ujsx demo --json --d", {"--density"}, {"--json"}),
    ("ujsx install cl", {"claude-code"}, {"codex"}),
    ("ujsx new ", {"domain", "component"}, {"list"}),
    ("ujsx parse --to ", {"mdast"}, {"session"}),
    ("ujsx hud session ", set(), {"list"}),
    ("ujsx session show shop", {"shop-login", "shop-search"}, {"desk", "list"}),
    ("ujsx session search port --session d", set(), {"shop-login"}),
    ("ujsx session show --store none.db s", set(), {"shop-login"}),
    ("ujsx history show s", set(), {"shop-login"}),
]

IDS = ("shop-login", "shop-search", "desk", "two\nlines", "$(touch run)", "`touch run`", "a b")
"""Sessions of the store that completion looks into."""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("completion")
    with HudStore.open(folder / "hud.db") as store:
        for each in IDS:
            store.session(each).record("note.add", content="Port 8080")
    return folder


@pytest.fixture
def offered(ujsx, home, monkeypatch):
    """Return what Click offers bash for a line, as ``type,value``."""

    def ask(line: str) -> set[str]:
        words = line.split(" ")
        monkeypatch.setenv("UJSX_HOME", str(home))
        monkeypatch.setenv("_UJSX_COMPLETE", "bash_complete")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
        done = ujsx()
        assert (done.status, done.err) == (0, "")
        return {*done.out.splitlines()}

    return ask


@pytest.mark.parametrize(("line", "wanted", "unwanted"), CASES, ids=[line for line, *_ in CASES])
def test_offers_what_can_come_next(offered, line, wanted, unwanted):
    found = {each.partition(",")[2] for each in offered(line)}
    assert (wanted - found, unwanted & found) == (set(), set())


@pytest.mark.parametrize("line", ["ujsx parse not", "ujsx hud not", "ujsx deliver --to not"])
def test_lets_the_shell_look_for_files(offered, line):
    assert "file,not" in offered(line)


def test_offers_no_session_that_a_shell_would_run(offered):
    assert offered("ujsx edit ") == {"plain,shop-login", "plain,shop-search", "plain,desk"}


def test_knows_every_density(offered):
    assert offered("ujsx demo --density ") >= {f"plain,{each.value}" for each in Density}


def test_unknown_shell_names_the_nearest(ujsx):
    assert ujsx("--completion", "bsh").refusal.endswith('did you mean "bash"?')


@looped("shell", ["bash", "zsh", "fish"])
def test_a_shell_reads_its_script(ujsx, tmp_path, shell):
    """And asks the command, with the words that were typed."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    script = tmp_path / "script"
    script.write_text(ujsx("--completion", shell).out, "utf-8")
    subprocess.run([shell, "-n", script], check=True)


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes(ujsx, tmp_path, home):
    (tmp_path / "script").write_text(ujsx("--completion", "bash").out, "utf-8")
    program = tmp_path / "ujsx"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m hud_runtime "$@"\n', "utf-8")
    program.chmod(0o700)
    line = "source ./script; COMP_WORDS=(./ujsx session show shop); COMP_CWORD=3; _ujsx_completion ./ujsx; echo ${COMPREPLY[@]}"
    environ = {**os.environ, "UJSX_HOME": str(home), "PYTHONPATH": str(Path(__file__).parents[3])}
    done = subprocess.run(
        ["bash", "--norc", "-c", line],
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert {*done.stdout.split()} == {"shop-login", "shop-search"}


class TestSessions:
    def test_have_each_id_that_can_stand_in_a_line_the_last_first(self, home, ujsx):
        listed = ujsx("session", "list", "--ids", "--store", home / "hud.db").out
        assert listed.splitlines() == [each for each in reversed(IDS) if "\n" not in each]

    def test_are_none_where_there_is_no_store(self, tmp_path, ujsx):
        assert ujsx("session", "list", "--ids", "--store", tmp_path / "none.db").out == ""
        (tmp_path / "other.db").write_text("no database")
        assert ujsx("session", "list", "--ids", "--store", tmp_path / "other.db").out == ""

    def test_are_listed_without_what_reads_events(self, home):
        code = (
            "import sys; from hud_runtime.cli import main; main(['session', 'list', '--ids']);"
            "print({'pydantic', 'msgspec', 'hud_runtime.log.store'} & {*sys.modules}, file=sys.stderr)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"UJSX_HOME": str(home)},
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
        assert (len(done.stdout.splitlines()), done.stderr) == (len(IDS) - 1, "set()\n")
