"""What does not fit a terminal is broken, cut or narrowed, and numbers stay whole."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from hud_runtime.cli._terminal import CELL, NARROWEST, broken, cut, in_columns, laid_out
from ujsx import render
from ujsx.elements import Table, TableCell, TableRow, code
from ujsx.text import width as columns_of

WIDTHS = st.integers(NARROWEST, 100)
NUMBERS = st.integers(0, 10**9).map("{:,}".format)
WORDS = st.one_of(NUMBERS, st.text("ab …🟠|", min_size=1, max_size=12))
LINES = st.lists(WORDS, max_size=30).map("  ".join)


def numbers(text: str) -> list[str]:
    return re.findall(r"\d[\d,]*", text)


@given(LINES, WIDTHS)
def test_a_line_that_is_cut_fits_and_has_no_half_of_a_number(line, width):
    shown = cut(line, width)
    assert columns_of(shown) <= width
    kept = numbers(shown)
    assert kept == numbers(line)[: len(kept)]


@given(LINES, WIDTHS)
def test_a_text_that_is_broken_has_all_its_words_in_their_order(line, width):
    assert " ".join(broken(line, width)).split() == line.split()


@given(st.lists(LINES, max_size=5).map("\n".join), WIDTHS)
def test_a_report_has_all_its_words_within_the_width(text, width):
    shown = laid_out(text, width)
    assert shown.split() == text.split()
    assert max(map(len, shown.split("\n"))) <= width


def table(rows):
    return render(
        Table()[[TableRow()[[TableCell()[each] for each in row]] for row in rows]],
    )


@given(st.lists(st.tuples(*[WORDS] * 4), min_size=1, max_size=5), st.integers(4 * CELL + 13, 100))
def test_a_markdown_table_is_narrowed_to_the_width_and_stays_one(rows, width):
    shown = laid_out(table([("a", "b", "c", "d"), *rows]), width).rstrip("\n").split("\n")
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in shown} == {5}
    assert all(columns_of(line) <= width for line in shown)


def test_code_that_is_cut_in_a_table_ends_as_code():
    text = table([("id", "title"), (code("ses_" + "x" * 40), "y" * 40)])
    assert laid_out(text, 40).split("\n")[2] == f"| `ses_{'x' * 9}…` | {'y' * 15}… |"


def test_a_table_that_fits_is_left_alone():
    text = table([("a", "b"), ("1", "2")])
    assert laid_out(text, 80) == text


@given(st.integers(1, 9), st.integers(1, 4), WIDTHS, st.data())
def test_columns_without_room_follow_below_with_the_rows_names(columns, rows, width, data):
    cells = [
        [f"row{row}", *data.draw(st.lists(NUMBERS, min_size=columns, max_size=columns))]
        for row in range(rows)
    ]
    lines = [*in_columns(cells, width)]
    assert max(map(len, lines)) <= max(width, 4 + 2 + 13)
    found = {
        row[0]: [cell for line in lines if line.startswith(row[0]) for cell in line.split()[1:]]
        for row in cells
    }
    assert found == {row[0]: row[1:] for row in cells}
