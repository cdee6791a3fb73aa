"""Items that are written together are what each of them is when it is written by itself."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ujsx import MdastError
from ujsx.mdast import (
    Delete,
    Emphasis,
    InlineCode,
    List,
    ListItem,
    Paragraph,
    Root,
    Strong,
    Text,
    Writer,
)
from ujsx.mdast.to_markdown import Writing
from ujsx.mdast.to_markdown._flow import paragraph
from ujsx.mdast.to_markdown._rows import written_together

PARTS = (
    *"ab1 .,;:!?()[]<>*_~`&@#-+=|\\/\"'\n\t",
    "é",
    "—",
    "→",
    "🚀",
    "\u00a0",
    "w.",
    "://",
    "www.a",
    "a@b.c",
    "&amp;",
    "1. ",
    "# ",
    " x",
)
"""What texts are put together from: what means something, and what stands beside it."""

texts = st.lists(st.sampled_from(PARTS), min_size=1, max_size=5).map("".join)
kinds = st.sampled_from([Text, Text, Strong, Emphasis, Delete, InlineCode])
shapes = st.lists(kinds, min_size=1, max_size=3)


def _by_itself(node: Any, writing: Writing) -> str:
    return paragraph(node, writing)


TOGETHER = Writer()
ALONE = Writer(handlers={Paragraph: _by_itself})
"""A writer that is told how a paragraph is written writes each of them by itself."""


def outcome(writer: Writer, items: list[ListItem], **fields: Any) -> str:
    try:
        return writer.write(Root(children=[List(children=items, **fields)]))
    except MdastError as error:
        return str(error)


def line(*nodes: Any) -> ListItem:
    return ListItem(children=[Paragraph(children=nodes)])


@st.composite
def lists(draw: st.DrawFn) -> list[ListItem]:
    drawn = draw(st.lists(shapes, min_size=1, max_size=2))
    items: list[ListItem] = []
    for _ in range(draw(st.integers(1, 5))):
        nodes: list[Any] = [
            kind(draw(texts)) if kind in (Text, InlineCode) else kind((Text(draw(texts)),))
            for kind in draw(st.sampled_from(drawn))
        ]
        items.append(line(*nodes))
    return items


@given(items=lists(), ordered=st.booleans(), spread=st.booleans())
def test_are_what_each_is_by_itself(items: list[ListItem], ordered: bool, spread: bool) -> None:
    fields = {"ordered": ordered, "spread": spread}
    assert outcome(TOGETHER, items, **fields) == outcome(ALONE, items, **fields)


@pytest.mark.parametrize(
    "items",
    [
        [line(Strong([Text("a.")]), Text(" — b")), line(Strong([Text("(c)")]), Text(" — d"))],
        [line(Text("a (b)\nc")), line(Text("# d"))],
        [line(InlineCode("a`b"), Text(" (c)")), line(InlineCode(" "), Text("!"))],
    ],
)
def test_common_lines_are_written_together(items: list[ListItem]) -> None:
    assert None not in written_together(items, Writing(TOGETHER.rules))


def test_one_that_needs_thought_does_not_hold_up_the_others() -> None:
    items = [line(Strong([Text(f"a{n}")]), Text(" b")) for n in range(8)]
    items[5] = line(Strong([Text("a")]), Text("b"), Strong([Text("c!")]), Text("d"))
    items[6] = line(Strong([Text("!")]), Text("b"))
    written = written_together(items, Writing(TOGETHER.rules))
    assert [place for place, each in enumerate(written) if each is None] == [5, 6]
