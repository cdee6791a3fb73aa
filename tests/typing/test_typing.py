"""What mypy and pyright see of the library: right code passes, wrong code is caught where it is."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from collections import defaultdict
from importlib.util import find_spec
from pathlib import Path
from typing import TypeAlias

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
FILES = [str(HERE / name) for name in ("good.py", "wrong.py")]

Found: TypeAlias = dict[tuple[str, int], set[str]]
"""Error codes by file name and line."""

_MARK = re.compile(r"# ✗ mypy: (?P<mypy>.*?) \| pyright: (?P<pyright>.*)")
_MYPY_ERROR = re.compile(
    r"^(?P<path>.+?):(?P<line>\d+): error: .*\[(?P<code>[\w-]+)\]$", re.MULTILINE
)


def expected(checker: str) -> Found:
    """The marks of ``wrong.py``; ``good.py`` has none."""
    lines = (HERE / "wrong.py").read_text("utf-8").splitlines()
    marks = [(number, _MARK.search(line)) for number, line in enumerate(lines, 1)]
    return {("wrong.py", number): set(mark[checker].split(", ")) for number, mark in marks if mark}


def run(*arguments: str) -> str:
    command = [sys.executable, "-m", *arguments, *FILES]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode in {0, 1}, done.stderr + done.stdout
    return done.stdout


def mypy(cache: Path) -> Found:
    found: Found = defaultdict(set)
    for error in _MYPY_ERROR.finditer(
        run("mypy", "--strict", "--config-file=", f"--cache-dir={cache}")
    ):
        found[Path(error["path"]).name, int(error["line"])].add(error["code"])
    return dict(found)


def pyright() -> Found:
    found: Found = defaultdict(set)
    report = json.loads(run("pyright", "--outputjson", "--pythonpath", sys.executable))
    for error in report["generalDiagnostics"]:
        line = error["range"]["start"]["line"] + 1
        found[Path(error["file"]).name, line].add(error.get("rule", error["message"]))
    return dict(found)


@pytest.mark.skipif(find_spec("mypy") is None, reason="mypy is not installed")
class TestMypy:
    def test_finds_what_is_marked_and_nothing_else(self, tmp_path: Path) -> None:
        assert mypy(tmp_path) == expected("mypy")


@pytest.mark.skipif(find_spec("pyright") is None, reason="pyright is not installed")
class TestPyright:
    def test_finds_what_is_marked_and_nothing_else(self) -> None:
        assert pyright() == expected("pyright")


class TestRightCode:
    def test_runs(self) -> None:
        names = runpy.run_path(FILES[0])
        assert names["render"](names["section"]).startswith("# Rows\n")


class TestMarks:
    def test_stand_behind_the_mistakes_that_people_make(self) -> None:
        assert len(expected("mypy")) == len(expected("pyright")) >= 60
