"""The reference page of the command: every example in it is run, and shows what comes out.

A block with ``title=NAME`` behind its language is a file. In a ``console`` block, a line that
begins with ``$ ujsx`` is a call, and what follows is its output, remarks last; ``...`` stands for
any text.
"""

from __future__ import annotations

import doctest
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from hud_runtime.cli import COMMANDS
from ujsx import mdast

PAGE = Path(__file__).parents[3] / "docs" / "look-up" / "command.md"
PROMPT = "$ ujsx "


def blocks() -> list[mdast.Code]:
    root = mdast.from_markdown(PAGE.read_text(encoding="utf-8"))
    return [node for node in root.children if isinstance(node, mdast.Code)]


def examples() -> Iterator[tuple[str, str]]:
    """Yield each call with the output that the page shows for it."""
    for block in blocks():
        if block.lang == "console":
            for example in f"\n{block.value}".split(f"\n{PROMPT}")[1:]:
                call, _, output = example.partition("\n")
                yield call, f"{output}\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the files of the page, to work in."""
    for block in blocks():
        words = (block.meta or "").split()
        for word in words:
            if word.startswith("title="):
                (tmp_path / word.removeprefix("title=")).write_text(f"{block.value}\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("call", "shown"), [*examples()], ids=[call for call, _ in examples()])
def test_an_example_shows_what_comes_out(ujsx, call, shown):
    done = ujsx(*shlex.split(call))
    printed = done.out + done.err
    checker = doctest.OutputChecker()
    assert checker.check_output(shown, printed, doctest.ELLIPSIS), printed


def test_every_command_has_an_example():
    assert {call.split()[0] for call, _ in examples()} == {*COMMANDS}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_a_command_is_on_the_page(ujsx, name):
    text = PAGE.read_text(encoding="utf-8")
    section = text.partition(f"## `ujsx {name}`")[2].partition("\n## ")[0]
    words = ujsx(name, "--help").out.replace(",", " ").split()
    options = {word for word in words if word.startswith("--")} - {"--help", "--version"}
    assert [option for option in sorted(options) if f"`{option}" not in section] == []
