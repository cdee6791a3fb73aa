"""What mypy and pyright see of the library: right code passes, wrong code is caught where it is."""

from __future__ import annotations

import re
import runpy
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.typing.checkers import Found, mypy, pyright

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
FILES = [str(HERE / name) for name in ("good.py", "wrong.py")]

_MARK = re.compile(r"# ✗ mypy: (?P<mypy>.*?) \| pyright: (?P<pyright>.*)")


def expected(checker: str) -> Found:
    """The marks of ``wrong.py``; ``good.py`` has none."""
    lines = (HERE / "wrong.py").read_text("utf-8").splitlines()
    marks = [(number, _MARK.search(line)) for number, line in enumerate(lines, 1)]
    return {("wrong.py", number): set(mark[checker].split(", ")) for number, mark in marks if mark}


@pytest.mark.skipif(find_spec("mypy") is None, reason="mypy is not installed")
class TestMypy:
    def test_finds_what_is_marked_and_nothing_else(self, tmp_path: Path) -> None:
        assert mypy(FILES, tmp_path, "--strict", cwd=ROOT) == expected("mypy")


@pytest.mark.skipif(find_spec("pyright") is None, reason="pyright is not installed")
class TestPyright:
    def test_finds_what_is_marked_and_nothing_else(self) -> None:
        assert pyright(*FILES, cwd=ROOT) == expected("pyright")


class TestRightCode:
    def test_runs(self) -> None:
        names = runpy.run_path(FILES[0])
        assert names["render"](names["section"]).startswith("# Rows\n")


class TestMarks:
    def test_stand_behind_the_mistakes_that_people_make(self) -> None:
        assert len(expected("mypy")) == len(expected("pyright")) >= 60
