"""Differences between texts, as a person reads them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ujsx.testing._difference import difference

LINES = st.lists(st.sampled_from(["", "a", "b", " c", "d "]), max_size=9)
TEXTS = LINES.map("\n".join)


class TestDifference:
    @pytest.mark.parametrize(
        ("before", "after", "lines"),
        [
            ("", "a\n", ["+ a"]),
            ("a\n", "", ["- a"]),
            ("a\n", "a", ["- a", "+ a (no newline at the end)"]),
            ("a\n", "a \t\n", ["- a", "+ a·→"]),
            ("a\nb\n", "a\nc\n", ["  a", "- b", "+ c"]),
            ("1\n2\n3\n4\n5\n6\n7\n", "1\n2\n3\n4\nx\n6\n7\n", ["  …", "  3", "  4", "- 5", "+ x", "  6", "  7"]),
            ("1\n2\n3\n4\n", "x\n2\n3\n4\n", ["- 1", "+ x", "  2", "  3", "  …"]),
        ],
    )  # fmt: skip
    def test_is(self, before: str, after: str, lines: list[str]) -> None:
        assert difference(before, after).split("\n") == lines

    @given(before=TEXTS, after=TEXTS)
    def test_is_empty_for_equal_texts_alone(self, before: str, after: str) -> None:
        assert (difference(before, after) == "") == (before == after)

    @given(before=LINES, after=LINES)
    def test_has_every_line_that_came_and_went(self, before: list[str], after: list[str]) -> None:
        lines = difference("\n".join([*before, ""]), "\n".join([*after, ""])).split("\n")
        came = sum(line.startswith("+") for line in lines)
        went = sum(line.startswith("-") for line in lines)
        assert came - went == len(after) - len(before)
