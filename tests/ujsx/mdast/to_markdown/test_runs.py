"""Runs that need no thought are written as where two nodes of a kind stand side by side, and all is thought about."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ids import looped
from ujsx import MdastError
from ujsx.mdast import (
    Break,
    Delete,
    Emphasis,
    FootnoteReference,
    Heading,
    Html,
    Image,
    InlineCode,
    Link,
    LinkReference,
    Node,
    Paragraph,
    Root,
    Strong,
    Text,
    to_markdown,
)

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
PLACES: dict[str, Callable[[list[Any]], Node]] = {
    "text": Paragraph,
    "one line": lambda nodes: Heading(3, nodes),
    "label": lambda nodes: Paragraph([Link(url="u", children=nodes)]),
    "label in one line": lambda nodes: Heading(3, [Link(url="u", children=nodes)]),
}


IMAGE, WRITTEN = Image(url="x", alt="y"), "![y](x)"


def outcome(nodes: list[Node], place: str) -> str:
    """Return what is written, or why it cannot be written."""
    try:
        return to_markdown(Root([PLACES[place](nodes)]))
    except MdastError as error:
        return str(error).partition(": ")[2]


def assert_is_as_on_the_long_way(nodes: list[Node], place: str) -> None:
    """Assert that a run is written as beside two of a kind, where every node is thought about."""
    between = Text(" z ")
    for short, long in (
        ([IMAGE, between, *nodes], [IMAGE, IMAGE, between, *nodes]),
        ([*nodes, between, IMAGE], [*nodes, between, IMAGE, IMAGE]),
    ):
        written = outcome(long, place).replace(WRITTEN * 2, WRITTEN)
        assert written == outcome(short, place), nodes


class TestPlain:
    @pytest.mark.parametrize("place", PLACES)
    def test_beside_any_other_a_node_is_as_on_the_long_way(self, place: str) -> None:
        for pair in product(NODES, repeat=2):
            assert_is_as_on_the_long_way([*pair], place)

    @given(st.lists(st.sampled_from(NODES), max_size=5), st.sampled_from([*PLACES]))
    def test_so_is_a_longer_run(self, nodes: list[Node], place: str) -> None:
        assert_is_as_on_the_long_way(nodes, place)

    @looped(
        ("node", "written"),
        [
            (Strong([Text("a")]), "**a**__a__"),
            (Emphasis([Text("a")]), "*a*_a_"),
            (InlineCode("a"), "`aa`"),
            (Text("a"), "aa"),
            (Link(url="b", children=[Text("a")]), "[a](b)[a](b)"),
        ],
    )
    def test_two_of_a_kind_are_thought_about(self, node: Node, written: str) -> None:
        assert outcome([node, node], "text") == f"{written}\n"
