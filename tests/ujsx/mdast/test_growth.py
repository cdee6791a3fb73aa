"""Eight times the input takes eight times as long, and makes eight times as much, or little more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.growth import IN_PROPORTION, growth
from tests.ids import looped
from ujsx.mdast import (
    Blockquote,
    Code,
    Emphasis,
    Html,
    Image,
    InlineCode,
    Link,
    List,
    ListItem,
    Node,
    Paragraph,
    Root,
    Strong,
    Table,
    TableCell,
    TableRow,
    Text,
    normalize,
    to_markdown,
)

TEXTS = (
    "word *a* [b] ",
    "<",
    "&a",
    "a@",
    "a@_.",
    "<a@.",
    "[",
    "]",
    "[a](",
    "![",
    "[a]: ",
    "[^a]:\n",
    "\n- [ ] ",
    "*_",
    "~`",
    "&#",
    "\\",
    "http://",
    "www.",
    " \n",
    "\n\n",
    "\t",
    "|-\n",
    ":::\n",
    "1. ",
    "#",
    "=\n",
    "é\u3000",
)

PLACES: dict[str, Callable[[str], Node]] = {
    "text": lambda s: Paragraph([Text(s)]),
    "text behind a mail's start": lambda s: Paragraph([Text(f"a@{s}")]),
    "text between spans": lambda s: Paragraph([Emphasis([Text("a")]), Text(s), Emphasis([Text("b")])]),
    "many texts": lambda s: Paragraph([n for c in s for n in (Text(c), InlineCode("x"))]),
    "link": lambda s: Paragraph([Link(s, s, [Text(s)])]),
    "image": lambda s: Paragraph([Image(s, s, s)]),
    "code": lambda s: Code(s, "a", s.replace("\n", "-").strip() or "b"),
    "inline code": lambda s: Paragraph([Text("a "), InlineCode(s)]),
    "comment": lambda s: Paragraph([Text("a "), Html(f"<!--{s}-->")]),
    "cell": lambda s: Table([None], [TableRow([TableCell([Text(s)])])]),
}  # fmt: skip


def written(tree: Node) -> str:
    return to_markdown(tree, on_unwritable="normalize")


@pytest.mark.parametrize("place", PLACES)
def test_a_text_is_written_in_proportion(place: str) -> None:
    build = PLACES[place]
    for text in TEXTS:
        small, large = (build(text * (size // len(text))) for size in (1_000, 8_000))
        assert growth(written, small, large) <= IN_PROPORTION, text


def spans(count: int) -> Node:
    return Paragraph([Emphasis([Text("a")]), Strong([Text("b")])] * count)


def spans_in_spans(depth: int) -> Node:
    tree: Any = Text("a")
    for level in range(depth):
        tree = (Emphasis, Strong)[level % 2]([Text("b "), tree, Text(" c")])
    return tree


@looped(("build", "size"), [(spans, 2_000), (spans_in_spans, 120)])
def test_spans_are_written_in_proportion(build: Callable[[int], Node], size: int) -> None:
    assert growth(written, build(size // 8), build(size)) <= IN_PROPORTION


def nested(depth: int, around: Callable[[Any], Any]) -> Root:
    tree: Any = Paragraph([Text("a")])
    for _ in range(depth):
        tree = around(tree)
    return Root([tree])


@looped(
    "around",
    [
        lambda tree: Blockquote([tree, Paragraph()]),
        lambda tree: List(children=[ListItem(children=[Paragraph([Text("a")]), Paragraph([Text("b")]), tree])]),
        lambda tree: List(children=[ListItem(children=[tree, Html("<!--")])]),
    ],
    ids=["what is left out", "what becomes loose", "what has no end"],
)  # fmt: skip
def test_canonical_form_does_not_double_with_each_level(around: Callable[[Any], Any]) -> None:
    # Levels are 12, and 36: doubled at each, the second would take years.
    assert growth(normalize, nested(12, around), nested(36, around)) <= IN_PROPORTION


def test_a_table_is_not_padded_beyond_measure() -> None:
    def table(rows: int) -> Table:
        long = TableRow([TableCell([Text("a" * 10 * rows)])])
        return Table([None], [*[TableRow([TableCell([Text("b")])])] * rows, long])

    sizes = [len(to_markdown(table(rows))) for rows in (100, 800)]
    assert sizes[1] <= 9 * sizes[0]
