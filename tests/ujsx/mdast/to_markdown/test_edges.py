"""A character at the edge of a text is written alike by all ways of the writer."""

from __future__ import annotations

from typing import Any

from tests.ids import looped
from ujsx.mdast import (
    Delete,
    Emphasis,
    FootnoteReference,
    Image,
    InlineCode,
    Link,
    LinkReference,
    List,
    ListItem,
    Paragraph,
    Root,
    Strong,
    Text,
    Writer,
    to_markdown,
)

NEIGHBOURS: tuple[Any, ...] = (
    InlineCode("c"),
    Strong([Text("s")]),
    Emphasis([Text("e")]),
    Delete([Text("d")]),
    Link(url="l", children=[Text("m")]),
    Image(url="n", alt="o"),
    LinkReference(identifier="p", label="p", reference_type="shortcut", children=[Text("p")]),
    FootnoteReference(identifier="q", label="q"),
)
CHARACTERS = "\t\n\f\r !(:<@[\u00a0\u1680\u2000\u2028\u202f\u205f\u3000\ufeff"
"""Characters that mean something at an edge, beside some nodes or at a block's; of white space, some of each kind."""

WRITER = Writer()


def lines_with(character: str) -> list[list[Any]]:
    """Lines in which the character is the first or the last of a text, beside all that may be there."""
    texts = [Text(f"{character}a"), Text(f"a{character}")]
    return [
        line
        for text in texts
        for neighbour in NEIGHBOURS
        for line in ([neighbour, text], [text, neighbour])
    ] + [
        line
        for text in texts
        for kind in (Strong, Emphasis, Delete)
        for line in ([kind([text])], [kind([text]), Text(" b")], [Text("b "), kind([text])])
    ]


@looped("character", CHARACTERS, ids=ascii)
def test_a_row_is_what_it_is_as_a_paragraph(character: str) -> None:
    for line in lines_with(character):
        paragraph = Paragraph(children=line)
        try:
            alone = "".join(WRITER.blocks([paragraph]))
        except Exception:  # noqa: BLE001 - what cannot be written is no row either
            continue
        rows = [ListItem(children=[paragraph]), ListItem(children=[paragraph])]
        each = alone.replace("\n", "\n  ")
        (written,) = WRITER.blocks([List(children=rows)])
        assert written == f"- {each}\n- {each}", line


def written(line: list[Any]) -> list[str]:
    """A line as a paragraph, and as two items that are written together."""
    paragraph = Paragraph(children=line)
    items = List(children=[ListItem(children=[paragraph])] * 2)
    return [to_markdown(Root(children=[each])) for each in (paragraph, items)]


def both(line: str) -> list[str]:
    return [f"{line}\n", f"- {line}\n- {line}\n"]


EDGES: list[tuple[list[Any], str]] = [
    ([Text("a<"), InlineCode("b")], "a\\<`b`"),
    ([Text("a<"), Strong([Text("b")])], "a\\<**b**"),
    ([Text("\ufeffa")], "&#xFEFF;a"),
    ([InlineCode("b"), Text("a\ufeff")], "`b`a&#xFEFF;"),
    ([Strong([Text("\ufeffa")])], "**&#xFEFF;a**"),
    ([Text("a%"), InlineCode("b")], "a%`b`"),
    ([InlineCode("b"), Text("%a")], "`b`%a"),
    ([Strong([Text("a%")])], "**a%**"),
    ([Strong([Text("%a")])], "**%a**"),
    ([Text("%a")], "%a"),
    ([InlineCode("b"), Text(" a%")], "`b` a%"),
]
"""A line, and what is written: with an escape for a character that means something there, and with none for others."""


@looped(("line", "wanted"), EDGES)
def test_an_edge_is_escaped_where_it_means_something(line: list[Any], wanted: str) -> None:
    assert written(line) == both(wanted)
