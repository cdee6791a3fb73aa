"""Canonical form, case by case."""

from __future__ import annotations

from random import Random

import pytest

from tests.ids import looped
from ujsx.mdast import (
    Break,
    Code,
    Definition,
    Delete,
    Emphasis,
    FootnoteReference,
    Heading,
    Html,
    InlineCode,
    Link,
    LinkReference,
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
    Yaml,
    from_markdown,
    normalize,
    to_markdown,
)

A = Text("a")
CELL = TableCell([A])
LIST = List(children=[ListItem(children=[Paragraph([A])])])

CASES: dict[str, tuple[Node, Node]] = {
    "adjacent texts are one": (Paragraph([A, A]), Paragraph([Text("aa")])),
    "adjacent code is one": (
        Paragraph([InlineCode("a"), InlineCode("b")]),
        Paragraph([InlineCode("ab")]),
    ),
    "empty text and emphasis are left out": (
        Paragraph([A, Text(""), Emphasis(), Strong([Text("")])]),
        Paragraph([A]),
    ),
    "an empty paragraph is left out": (Root([Paragraph(), Paragraph([A])]), Root([Paragraph([A])])),
    "an empty list is left out": (Root([List()]), Root()),
    "a block before one that is left out is the last": (
        Root([Html("<!--\n"), List()]),
        Root([Html("<!--\n")]),
    ),
    "a null character is the replacement character": (
        Paragraph([Text("\0")]),
        Paragraph([Text("\ufffd")]),
    ),
    "a line end in code within a line is a space": (
        Paragraph([InlineCode("a\r\n- b")]),
        Paragraph([InlineCode("a - b")]),
    ),
    "code has line feeds": (Code("a\r\nb\rc"), Code("a\nb\nc")),
    "the first word is the language": (Code("", "a b", "c"), Code("", "a", "b c")),
    "a break at a block's end is left out": (Paragraph([A, Break()]), Paragraph([A])),
    "a break at emphasis's end moves behind it": (
        Paragraph([Emphasis([A, Break()]), A]),
        Paragraph([Emphasis([A]), Break(), A]),
    ),
    "a break in a low heading is a space": (Heading(4, [A, Break(), A]), Heading(4, [Text("a a")])),
    "emphasis that no marker stands for is its children": (
        Paragraph([Emphasis([Emphasis([Emphasis([Text("(a)")])])])]),
        Paragraph([Emphasis([Emphasis([Text("(a)")])])]),
    ),
    "strikethrough in strikethrough is its children": (
        Paragraph([Delete([Emphasis([Delete([A])])])]),
        Paragraph([Delete([Emphasis([A])])]),
    ),
    "a link in a link is its children": (
        Paragraph([Link("x", children=[Emphasis([Link("y", children=[A])])])]),
        Paragraph([Link("x", children=[Emphasis([A])])]),
    ),
    "HTML in a line that is no tag is text": (Paragraph([Html("<b")]), Paragraph([Text("<b")])),
    "a tag that starts a block is text": (
        Paragraph([Html("<div>"), A]),
        Paragraph([Text("<div>a")]),
    ),
    "HTML that is not one block is a paragraph": (
        Root([Html("<p>\n\n# a")]),
        Root([Paragraph([Text("<p>\n\n# a")])]),
    ),
    "front matter after the start is code": (
        Root([Paragraph([A]), Yaml("b: c")]),
        Root([Paragraph([A]), Code("b: c", "yaml")]),
    ),
    "a reference without a definition is its text": (
        Root([Paragraph([LinkReference("x", children=[A]), FootnoteReference("n")])]),
        Root([Paragraph([Text("a[^n]")])]),
    ),
    "a reference whose text is not its label is full": (
        Root([Paragraph([LinkReference("x", None, "shortcut", [A])]), Definition("x", "y")]),
        Root([Paragraph([LinkReference("x", "x", "full", [A])]), Definition("x", "y", "x")]),
    ),
    "a row has a cell, a column an alignment": (
        Table([], [TableRow([CELL]), TableRow(), TableRow([CELL, CELL])]),
        Table([None], [TableRow([CELL]), TableRow([TableCell()]), TableRow([CELL, CELL])]),
    ),
    "a task without a paragraph has no box": (
        List(children=[ListItem(True)]),
        List(children=[ListItem()]),
    ),
    "an item of one block is not spread": (
        List(spread=True, children=[ListItem(None, True, [Paragraph([A])])]),
        List(children=[ListItem(children=[Paragraph([A])])]),
    ),
    "two paragraphs spread an item": (
        List(children=[ListItem(children=[Paragraph([A]), Paragraph([A])])]),
        List(children=[ListItem(None, True, [Paragraph([A]), Paragraph([A])])]),
    ),
    "a blank line that blocks need spreads their item": (
        List(children=[ListItem(children=[Heading(1), LIST, Paragraph([A])])]),
        List(children=[ListItem(spread=True, children=[Heading(1), LIST, Paragraph([A])])]),
    ),
    "HTML behind a list is indented less than its items": (
        Root([List(children=[ListItem(spread=True)]), Html("  <p>")]),
        Root([List(children=[ListItem()]), Html(" <p>")]),
    ),
    "a tab before HTML is left out": (Root([Html("\t<p>")]), Root([Html("<p>")])),
    "HTML with a pipe in a cell is text": (
        TableCell([Html("<a b='|'>")]),
        TableCell([Text("<a b='|'>")]),
    ),
    "a reference with a pipe in a cell is its text": (
        TableCell([LinkReference("p|q", children=[A])]),
        TableCell([A]),
    ),
    "code keeps line ends at its edges": (
        Paragraph([InlineCode("\na\n  b\n")]),
        Paragraph([InlineCode("\na\n  b\n")]),
    ),
    "codes that become one are looked at as one": (
        Paragraph([InlineCode("  \n"), Html(""), InlineCode("  \n")]),
        Paragraph([InlineCode("      ")]),
    ),
    "codes that become one in a cell, with a backslash before a pipe, are text": (
        TableCell([InlineCode("a\\"), Delete([Delete([])]), InlineCode("|b")]),
        TableCell([Text("a\\|b")]),
    ),
    "an ordered list starts somewhere": (
        List(ordered=True, children=[ListItem()]),
        List(ordered=True, start=1, children=[ListItem()]),
    ),
}


@looped("case", CASES)
def test_canonical_form(case: str) -> None:
    tree, expected = CASES[case]
    assert normalize(tree) == expected


@looped("case", CASES)
def test_canonical_form_is_idempotent(case: str) -> None:
    expected = CASES[case][1]
    assert normalize(expected) is expected


def test_a_break_at_an_edge_of_one_line_is_left_out():
    heading = Heading(3, children=[Break(), Text("a"), Break(), Text("b"), Break()])
    assert normalize(heading) == Heading(3, children=[Text("a b")])
    assert normalize(Heading(3, children=[Break()])) == Heading(3)


def test_a_break_at_a_spans_edge_in_one_line_is_a_space_beside_it():
    broken = Strong([Break(), Emphasis([Text("b"), Break()])])
    beside = Heading(3, [Text("a"), broken, Text("c")])
    spans = Strong([Emphasis([Text("b")])])
    assert normalize(beside) == Heading(3, [Text("a "), spans, Text(" c")])
    assert normalize(Heading(3, [broken])) == Heading(3, [spans])
    assert normalize(Heading(3, [Text("a"), Strong([Break()])])) == Heading(3, [Text("a")])


CODES = [InlineCode(value) for value in ("  \n", "a\\", "|b", "\n", "`", "``", "\n- a", "`\n")]
GONE = [Html(""), Text(""), Emphasis(), Delete([Delete([])])]
AROUND = [
    lambda one: one,
    lambda one: Delete([Delete([one])]),
    lambda one: Emphasis([Emphasis([one])]),
    lambda one: Link("u", children=[Link("v", children=[one])]),
]


@pytest.mark.parametrize("seed", range(2))
def test_code_is_canonical_whatever_is_taken_out_around_it(seed: int) -> None:
    random = Random(seed)
    for _ in range(150):
        parts = random.choices(CODES, k=random.randint(2, 5))
        nodes = [random.choice(AROUND)(each) for each in parts]
        nodes.insert(1, random.choice(GONE))
        cell = Table(children=[TableRow([TableCell(nodes)])])
        tree = Root([Paragraph(nodes), Heading(2, nodes), cell])
        canonical = normalize(tree)
        assert from_markdown(to_markdown(canonical)) == canonical
        assert normalize(canonical) == canonical
