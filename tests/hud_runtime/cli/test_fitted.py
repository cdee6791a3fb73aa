"""Text that does not fit a terminal is broken, cut or narrowed, and numbers stay whole: held against what a pipe gets."""

from __future__ import annotations

import io
import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_runtime import HudStore
from hud_runtime.cli import main
from tests.hud_runtime.history import databases as db_of
from ujsx.schema import DIALECTS
from ujsx.text import width as columns_of

NUMBERS = st.integers(0, 10**9).map("{:,}".format)
WORDS = st.lists(NUMBERS | st.text("ab …🟠|", min_size=1, max_size=12), min_size=1, max_size=20)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(*arguments: object, columns: int | None = None) -> list[str]:
    """The lines that a pipe gets, or a terminal of so many columns."""
    out = io.StringIO() if columns is None else Terminal()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"TERM": "xterm", "NO_COLOR": "1", "PAGER": "cat"}.items():
            patch.setenv(name, value)
        patch.setenv("COLUMNS", str(columns))
        patch.setattr(sys, "stdout", out)
        assert main([str(each) for each in arguments]) == 0
    return out.getvalue().splitlines()


def numbers(text: str) -> list[str]:
    return re.findall(r"\d[\d,]*", text)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("fitted") / "hud.db"


@given(WORDS, st.integers(16, 100))
def test_a_line_that_is_cut_fits_and_has_no_half_of_a_number(store, words, width):
    with HudStore.open(store) as opened:
        opened.session("s 1,234").record("task.set", description="Count 1 " + " ".join(words))
    for command in (("session", "list"), ("session", "tail", "s 1,234")):
        whole = shown(*command, "--store", store)
        fitted = shown(*command, "--store", store, columns=width)
        assert len(whole) == len(fitted) > 1
        for line, piped in zip(fitted, whole, strict=True):
            assert columns_of(line) <= width
            kept = numbers(line)
            assert kept == numbers(piped)[: len(kept)]


@given(st.integers(24, 100))
def test_a_report_has_all_its_words_in_their_order_within_the_width(width):
    lines = shown("explain", "hud_components:NotesSection", columns=width)
    assert max(map(len, lines)) <= width
    whole = shown("explain", "hud_components:NotesSection")
    assert " ".join(lines).split() == " ".join(whole).split()


@pytest.fixture
def history(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    (tmp_path / "opencode").mkdir()
    db_of.small(tmp_path / "opencode" / "opencode.db")


@pytest.mark.usefixtures("history")
def test_a_markdown_table_is_narrowed_to_the_width_and_stays_one():
    whole = shown("history", "list")
    assert shown("history", "list", columns=200) == whole, "one that fits is left alone"
    for width in (56, 57, 64, 80, len(whole[0]) - 1, len(whole[0])):
        lines = shown("history", "list", columns=width)
        assert len(lines) == len(whole)
        for line in lines:
            assert columns_of(line) <= width
            cells = [each.strip() for each in re.split(r"(?<!\\)\|", line)]
            assert len(cells) == 7
            assert all(each.count("`") in (0, 2) for each in cells), "code that is cut ends as code"


def test_columns_without_room_follow_below_with_the_rows_names():
    head, row, *_ = shown("schema", "Link", "--cost")
    for width in (30, 45, 60, 100):
        lines = shown("schema", "Link", "--cost", columns=width)
        tables = [each.split() for each in lines if each.startswith(("tokens", "Link"))]
        names = [cell for name, *cells in tables if name == "tokens" for cell in cells]
        figures = [cell for name, *cells in tables if name == "Link" for cell in cells]
        assert names == head.split()[1:] == [*DIALECTS]
        assert figures == row.split()[1:]
        longest = max(len("tokens  "), *map(len, (f"tokens  {each}" for each in names)))
        assert max(len(each) for each in lines[:-1]) <= max(width, longest)
