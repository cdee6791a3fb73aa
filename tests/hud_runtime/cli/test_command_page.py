"""The examples of the command: every one is run, and shows what comes out. The reference page has the short ones.

A block with ``title=NAME`` behind its language is a file. In a ``console`` block, a line that
begins with ``$ ujsx`` is a call, and what follows is its output, remarks last; ``...`` stands for
any text. Each call finds the page's files and, in a store of its own, the page's session.
"""

from __future__ import annotations

import doctest
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from hud_runtime.cli import COMMANDS, main
from ujsx import mdast

pytestmark = pytest.mark.usefixtures("warm_previews")

PAGE = Path(__file__).with_name("examples.md")
PROMPT = "$ ujsx "


def blocks(page: Path = PAGE) -> list[mdast.Code]:
    root = mdast.from_markdown(page.read_text(encoding="utf-8"))
    return [node for node in root.children if isinstance(node, mdast.Code)]


def examples(page: Path = PAGE) -> Iterator[tuple[str, str]]:
    """Yield each call with the output that the page shows for it."""
    for block in blocks(page):
        if block.lang == "console":
            for example in f"\n{block.value}".split(f"\n{PROMPT}")[1:]:
                call, _, output = example.partition("\n")
                yield call, f"{output}\n"


SESSION = "shop.jsonl"
"""The file with the session that the page's examples use."""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with the files of the page, and a store with its session, to be copied."""
    folder = tmp_path_factory.mktemp("page")
    for block in blocks():
        words = (block.meta or "").split()
        for word in words:
            if word.startswith("title="):
                path = folder / word.removeprefix("title=")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(f"{block.value}\n", "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UJSX_HOME", str(folder / "home"))
        assert main(["session", "import", str(folder / SESSION)]) == 0
    return folder


@pytest.fixture
def folder(made, tmp_path, monkeypatch):
    """A folder to work in."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("UJSX_HOME", str(tmp_path / "home"))
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("call", "shown"), [*examples()], ids=[call for call, _ in examples()])
def test_an_example_shows_what_comes_out(ujsx, call, shown):
    done = ujsx(*shlex.split(call))
    printed = done.out + done.err
    checker = doctest.OutputChecker()
    assert checker.check_output(shown, printed, doctest.ELLIPSIS), printed


def test_every_command_has_an_example():
    # "snapshots" compares with a revision of Git, which no page has.
    called = {call.split()[0] for call, _ in examples()}
    assert called == {*COMMANDS, "--completion"} - {"snapshots"}


def test_every_action_on_sessions_has_an_example():
    calls = [call.split() for call, _ in examples()]
    for group in ("session", "store", "history"):
        known = {each.name for each in COMMANDS[group].actions}
        assert {words[1] for words in calls if words[0] == group} == known
