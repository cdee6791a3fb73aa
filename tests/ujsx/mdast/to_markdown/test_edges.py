"""One table says what an edge of a text means: all ways of the writer read it, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

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
from ujsx.mdast.to_markdown import Writing, _unsafe
from ujsx.mdast.to_markdown._phrasing import Phrasing, Unwritable

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
CHARACTERS = sorted(_unsafe.FIRST.keys() | _unsafe.LAST.keys())
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


def long_way(line: list[Any]) -> str:
    """What is written where every text is thought about."""
    return Phrasing(Writing(WRITER.rules), "text").write(line)


@pytest.mark.parametrize("character", CHARACTERS, ids=ascii)
def test_a_run_is_what_it_is_on_the_long_way(character: str) -> None:
    for line in lines_with(character):
        try:
            wanted = long_way(line)
        except Unwritable:
            continue
        assert Writing(WRITER.rules).run(line, "text") == wanted, line


@pytest.mark.parametrize("character", CHARACTERS, ids=ascii)
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


ADDED: list[tuple[str, Any, list[Any], tuple[str, str]]] = [
    ("LAST", InlineCode, [Text("a%"), InlineCode("b")], ("a%`b`", "a\\%`b`")),
    ("LAST", "anything", [Text("a%"), Strong([Text("b")])], ("a%**b**", "a\\%**b**")),
    ("FIRST", InlineCode, [InlineCode("b"), Text("%a")], ("`b`%a", "`b`\\%a")),
    ("LAST", "mark", [Strong([Text("a%")])], ("**a%**", "**a\\%**")),
    ("FIRST", "mark", [Strong([Text("%a")])], ("**%a**", "**\\%a**")),
    ("FIRST", "block", [Text("%a")], ("%a", "\\%a")),
    ("LAST", "block", [InlineCode("b"), Text(" a%")], ("`b` a%", "`b` a\\%")),
]
"""A row that the table has not, a line, and what is written without that row and with it."""


@pytest.mark.parametrize(("edges", "beside", "line", "wanted"), ADDED)
def test_a_row_of_the_table_is_all_that_it_takes(
    monkeypatch: pytest.MonkeyPatch,
    edges: str,
    beside: Any,
    line: list[Any],
    wanted: tuple[str, str],
) -> None:
    assert written(line) == both(wanted[0])
    monkeypatch.setitem(getattr(_unsafe, edges), "%", frozenset({beside}))
    assert written(line) == both(wanted[1])


TAKEN: list[tuple[str, str, list[Any], tuple[str, str]]] = [
    ("LAST", "<", [Text("a<"), InlineCode("b")], ("a\\<`b`", "a<`b`")),
    ("LAST", "<", [Text("a<"), Strong([Text("b")])], ("a\\<**b**", "a<**b**")),
    ("FIRST", "\ufeff", [Text("\ufeffa")], ("&#xFEFF;a", "\ufeffa")),
    ("LAST", "\ufeff", [InlineCode("b"), Text("a\ufeff")], ("`b`a&#xFEFF;", "`b`a\ufeff")),
    ("FIRST", "\ufeff", [Strong([Text("\ufeffa")])], ("**&#xFEFF;a**", "**\ufeffa**")),
]
"""A character that the table has, a line, and what is written with its row and without it."""


@pytest.mark.parametrize(("edges", "character", "line", "wanted"), TAKEN)
def test_what_the_table_does_not_have_is_written_nowhere_else(
    monkeypatch: pytest.MonkeyPatch,
    edges: str,
    character: str,
    line: list[Any],
    wanted: tuple[str, str],
) -> None:
    assert written(line) == both(wanted[0])
    monkeypatch.delitem(getattr(_unsafe, edges), character)
    assert written(line) == both(wanted[1])
