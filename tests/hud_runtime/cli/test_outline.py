"""Trees and data laid out for readers."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_runtime.cli._demo import laid_out, outline
from ujsx import dump
from ujsx.elements import Item, Link, List, Paragraph, Section, code, strong

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)


def lines(node, width: int = 40) -> list[str]:
    return [*outline(dump(node), width)]


class TestOutline:
    def test_puts_what_is_short_in_one_line(self):
        assert lines(Paragraph()["a ", strong("b")]) == ['Paragraph["a ", Strong["b"]]']

    def test_breaks_what_is_long_at_its_children(self):
        tree = List()[Item()["one of the items"], Item()["and another one"]]
        assert lines(tree, 30) == [
            "List",
            '  Item["one of the items"]',
            '  Item["and another one"]',
        ]

    def test_names_the_props_that_were_given(self):
        assert lines(Section(title="Notes")["x"]) == ["Section(title='Notes')[\"x\"]"]
        assert lines(Link(url="/a")["b"]) == ["Link(url='/a')[\"b\"]"]

    def test_cuts_a_line_of_text_and_does_not_break_it(self):
        [line] = lines(Item()[Paragraph()["Whatever rotate() calls must run on ", code("tx")]])
        assert len(line) == 40
        assert line.endswith("…")

    def test_keeps_text_on_one_line(self):
        assert lines(Paragraph()["a\nb"]) == [r'Paragraph["a\nb"]']

    @pytest.mark.parametrize("width", [30, 60])
    def test_keeps_within_the_width(self, width):
        items = [Item()[f"number {n} of the items"] for n in range(3)]
        tree = Section(title="Notes")[List()[items], Paragraph()["and some text behind it, long"]]
        assert max(map(len, lines(tree, width))) <= width


class TestLaidOut:
    @given(JSON, st.integers(4, 80))
    def test_is_the_same_data(self, data, width):
        assert json.loads(laid_out(data, width)) == data

    @given(st.lists(st.integers(0, 999), max_size=40), st.integers(8, 80))
    def test_keeps_within_the_width(self, data, width):
        assert max(map(len, laid_out({"a": {"b": data}}, width).splitlines())) <= max(width, 14)

    def test_keeps_short_parts_in_one_line(self):
        assert laid_out({"anyOf": [{"type": "string"}, {"type": "null"}]}, 40).splitlines() == [
            "{",
            '  "anyOf": [',
            '    {"type": "string"},',
            '    {"type": "null"}',
            "  ]",
            "}",
        ]
