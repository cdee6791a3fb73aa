"""Block tokens become flow nodes: a builder per kind of token, in two tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, cast

from markdown_it.token import Token

from ujsx.mdast._alerts import ALERT, MARK
from ujsx.mdast._nodes import (
    Blockquote,
    Code,
    Definition,
    FlowContent,
    FootnoteDefinition,
    Heading,
    Html,
    List,
    ListItem,
    Node,
    Paragraph,
    Point,
    Position,
    RootContent,
    Text,
    ThematicBreak,
    Yaml,
)

from ._characters import SPACES, decode
from ._tables import table

if TYPE_CHECKING:
    from ._builder import Builder


def _paragraph(builder: Builder, token: Token) -> Paragraph:
    return Paragraph(tuple(builder.phrasing(token)), position=builder.position(token))


_DEPTHS: dict[str, Literal[1, 2, 3, 4, 5, 6]] = {
    "=": 1,
    "-": 2,
    "#": 1,
    "##": 2,
    "###": 3,
    "####": 4,
    "#####": 5,
    "######": 6,
}


def _heading(builder: Builder, token: Token) -> Heading:
    return Heading(
        _DEPTHS[token.markup],
        tuple(builder.phrasing(token)),
        position=builder.position(token),
    )


def _indented_code(builder: Builder, token: Token) -> Code:
    return Code(token.content.removesuffix("\n"), position=builder.position(token))


def _fence(builder: Builder, token: Token) -> Code:
    assert token.map is not None
    info = token.info.strip(SPACES)
    lines = token.map[1] - token.map[0]
    closed = token.content.count("\n") == lines - 2 or not builder.reaches_end(token)
    lang = info.replace("\t", " ").partition(" ")[0]
    return Code(
        token.content.removesuffix("\n"),
        decode(lang) or None,
        decode(info[len(lang) :].strip(SPACES)) or None,
        position=builder.position(token) if closed else builder.to_end(token),
    )


def _html(builder: Builder, token: Token) -> Html:
    content = token.content
    if builder.reaches_end(token) and any(
        opening.match(content) and not closing.search(content) for opening, closing in _OPEN_HTML
    ):
        return Html(content, position=builder.to_end(token))
    return Html(content.removesuffix("\n"), position=builder.position(token))


_OPEN_HTML = tuple(
    (re.compile(rf" *{opening}", re.IGNORECASE), re.compile(closing, re.IGNORECASE))
    for opening, closing in (
        (r"<(?:script|pre|style|textarea)(?=[ \t\n>])", r"</(?:script|pre|style|textarea)>"),
        (r"<!--", r"-->"),
        (r"<\?", r"\?>"),
        (r"<!\[CDATA\[", r"\]\]>"),
        (r"<![a-z]", r">"),
    )
)
"""How HTML starts that a blank line does not end, and what ends it (CommonMark 4.6, 1 to 5)."""


def _definition(builder: Builder, token: Token) -> Definition:
    meta = token.meta
    return Definition(
        meta["identifier"],
        meta["url"],
        meta["label"],
        meta["title"],
        position=builder.position(token),
    )


def _quote(builder: Builder, token: Token, children: list[FlowContent]) -> Blockquote:
    return Blockquote(
        tuple(children),
        position=builder.quote_position(token),
        data=_alert(builder, children),
    )


def _alert(builder: Builder, children: list[FlowContent]) -> dict[str, Any] | None:
    """Return what says that a quote is an alert: its source does, and no backslash takes it back."""
    match children:
        case [
            Paragraph(children=(Text(), *_), position=Position(start=Point(line, column))),
            *_,
        ]:
            # An offset is one of the original, which may have other line ends than the source's text.
            mark = MARK.match(builder.source.text, builder.source.starts[line - 1] + column - 1)
            return {ALERT: mark[1]} if mark else None
        case _:
            return None


def _item(builder: Builder, token: Token, children: list[FlowContent]) -> ListItem:
    return ListItem(
        token.meta.get("checked"),
        _spread(children),
        tuple(children),
        position=builder.spanning(token, children),
    )


def _list(builder: Builder, token: Token, children: list[ListItem]) -> List:
    ordered = token.type == "ordered_list_open"
    start = cast("int", token.attrs.get("start", 1)) if ordered else None
    return List(
        ordered,
        start,
        _spread(children),
        tuple(children),
        position=builder.spanning(token, children),
    )


def _spread(children: Sequence[Node]) -> bool:
    """Return whether a blank line stands between any two children."""
    return any(
        before.position is not None
        and after.position is not None
        and after.position.start.line - before.position.end.line > 1
        for before, after in pairwise(children)
    )


def _footnote(builder: Builder, token: Token, children: list[FlowContent]) -> FootnoteDefinition:
    return FootnoteDefinition(
        token.meta["identifier"],
        token.meta["label"],
        tuple(children),
        position=builder.spanning(token, children),
    )


LEAVES: dict[str, Callable[[Builder, Token], RootContent]] = {
    "paragraph": _paragraph,
    "heading": _heading,
    "hr": lambda builder, token: ThematicBreak(position=builder.position(token)),
    "code_block": _indented_code,
    "fence": _fence,
    "html_block": _html,
    "definition": _definition,
    "table": table,
    "front_matter": lambda builder, token: Yaml(token.content, position=builder.position(token)),
}
"""Tokens that are a node of their own."""

CONTAINERS: dict[str, Callable[[Builder, Token, list[Any]], FlowContent | ListItem]] = {
    "blockquote_close": _quote,
    "bullet_list_close": _list,
    "ordered_list_close": _list,
    "list_item_close": _item,
    "footnote_close": _footnote,
}
"""Tokens that end a node: what to build of the opening token and the children."""
