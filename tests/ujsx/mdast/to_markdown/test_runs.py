"""Runs that need no thought are written as ``Phrasing`` writes them, or not at all."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ujsx.mdast import (
    Break,
    Delete,
    Emphasis,
    FootnoteReference,
    Html,
    Image,
    InlineCode,
    Link,
    LinkReference,
    Node,
    Strong,
    Text,
)
from ujsx.mdast.to_markdown import Rules, Writing
from ujsx.mdast.to_markdown._phrasing import Phrasing, Unwritable
from ujsx.mdast.to_markdown._state import plain_run as plain
from ujsx.mdast.to_markdown._unsafe import Place

WORDS = (
    "a",
    " b ",
    "!",
    "c!",
    "<",
    "(d)",
    ": e",
    "@f",
    "g@",
    "_",
    "*h*",
    "\n",
    "i\nj",
    "\t",
    " \n",
)
SPANS = (Strong, Emphasis, Delete)

NODES: tuple[Node, ...] = (
    *[Text(word) for word in WORDS],
    InlineCode("k"),
    InlineCode("k\n"),
    Link(url="l", children=[Text("m")]),
    Image(url="n", alt="o"),
    LinkReference(identifier="p", label="p", reference_type="shortcut", children=[Text("p")]),
    FootnoteReference(identifier="q", label="q"),
    Html("<r>"),
    Break(),
    *[kind(children=[Text(word)]) for kind in SPANS for word in ("s", "t u", "v!")],
)
PLACES: tuple[Place, ...] = ("text", "label")


def outcome(nodes: list[Node], place: Place, *, one_line: bool, long_way: bool) -> str:
    """Return what is written, or why it cannot be written."""
    writing = Writing(Rules())
    writing.one_line = one_line
    try:
        if long_way:
            return Phrasing(writing, place).write(nodes)
        return writing.run(nodes, place)
    except Unwritable as error:
        return error.reason


def assert_is_as_on_the_long_way(nodes: list[Node], place: Place, *, one_line: bool) -> None:
    short, long = [outcome(nodes, place, one_line=one_line, long_way=way) for way in (False, True)]
    assert short == long, nodes


class TestPlain:
    @pytest.mark.parametrize("place", PLACES)
    def test_beside_any_other_a_node_is_as_on_the_long_way(self, place: Place) -> None:
        for pair in product(NODES, repeat=2):
            assert_is_as_on_the_long_way(list(pair), place, one_line=False)

    @given(st.lists(st.sampled_from(NODES), max_size=5), st.sampled_from(PLACES), st.booleans())
    def test_so_is_a_longer_run(self, nodes: list[Node], place: Place, one_line: bool) -> None:
        assert_is_as_on_the_long_way(nodes, place, one_line=one_line)

    @pytest.mark.parametrize(
        "nodes",
        [
            [InlineCode("a"), Text(": b")],
            [Strong([Text("a")]), Text(": "), InlineCode("b")],
            [Text("a "), Link(url="b", children=[Text("c")]), Text(".")],
        ],
    )
    def test_common_runs_are_plain(self, nodes: list[Node]) -> None:
        assert plain(nodes, Writing(Rules()), "text") is not None

    @pytest.mark.parametrize(
        "nodes",
        [
            [],
            [Text("a"), Break()],
            [Text("a"), Text("b")],
            [Text("a!"), Link(url="b", children=[Text("c")])],
            [Strong([Text("a")]), Emphasis([Text("b")])],
            [Strong([Text("a!")]), Text("b")],
            [FootnoteReference(identifier="a"), Text(": b")],
            [Break(), Text(" a")],
        ],
    )
    def test_what_asks_for_thought_is_not(self, nodes: list[Node]) -> None:
        assert plain(nodes, Writing(Rules()), "text") is None
