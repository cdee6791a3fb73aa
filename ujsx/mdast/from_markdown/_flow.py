"""Block tokens become flow nodes: a builder per kind of token, in two tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Literal, cast

from markdown_it import MarkdownIt
from markdown_it.token import Token

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
    Position,
    Root,
    RootContent,
    Table,
    TableCell,
    TableRow,
    ThematicBreak,
    Yaml,
)

from ._characters import SPACES, decode
from ._markdown_it import environment, parse_blocks, parser
from ._markdown_it._table import Cell
from ._phrasing import Children, phrasing
from ._source import Source


class Builder:
    """Builds one document's tree."""

    def __init__(self, text: str, *, gfm: bool, frontmatter: bool) -> None:
        self.source = Source(text)
        self.gfm = gfm
        self.md: MarkdownIt = parser(gfm=gfm, frontmatter=frontmatter)
        self.env = environment(gfm=gfm)
        self.quotes = 0
        """How many block quotes stand around the block that is being built."""

    def root(self) -> Root:
        """Return the document."""
        source = self.source
        children: list[Any] = []
        outer: list[tuple[Token, list[Any]]] = []
        for token in parse_blocks(source.text, self.md, self.env):
            kind = token.type
            if (leaf := _LEAVES.get(kind)) is not None:
                children.append(leaf(self, token))
            elif token.nesting > 0:
                outer.append((token, children))
                children = []
                self.quotes += kind == "blockquote_open"
            else:
                self.quotes -= kind == "blockquote_close"
                opening, siblings = outer.pop()
                siblings.append(_CONTAINERS[kind](self, opening, children))
                children = siblings
        return Root(children=tuple(children), position=source.position(0, len(source.text)))

    def phrasing(self, token: Token) -> Children:
        """Return the nodes of a paragraph's or heading's text."""
        assert token.map is not None
        tokens = self.inline_tokens(token.content)
        return phrasing(tokens, literals=self.gfm, line=token.map[0] + 1)

    def inline_tokens(self, text: str) -> list[Token]:
        """Return the tokens of a text."""
        tokens: list[Token] = []
        self.md.inline.parse(text, self.md, self.env, tokens)
        return tokens

    def position(self, token: Token) -> Position:
        """Return where a block without content of its own stands."""
        start = token.meta["start"]
        assert token.map is not None
        return self.source.position(start, self.source.line_end(token.map[1] - 1))

    def quote_position(self, token: Token) -> Position:
        """Return where a quote stands; markdown-it counts blank lines after an empty one to it."""
        assert token.map is not None
        start, line = token.meta["start"], token.map[1]
        while not self.source.line(line - 1).strip(SPACES):
            line -= 1
        return self.source.position(start, self.source.line_end(line - 1))

    def reaches_end(self, token: Token) -> bool:
        """Return whether a block that nothing closes takes the text's last line end too."""
        assert token.map is not None
        return (
            not self.quotes
            and self.source.text.endswith("\n")
            and token.map[1] == len(self.source.starts) - 1
        )

    def to_end(self, token: Token) -> Position:
        """Return where a block stands that reaches the text's end."""
        return self.source.position(token.meta["start"], len(self.source.text))

    def spanning(self, token: Token, children: Sequence[Node]) -> Position:
        """Return where a container stands: it ends with its last child, or with its marker."""
        last = children[-1].position if children else None
        start = token.meta["start"]
        if last is not None:
            return Position(self.source.point(start), last.end)
        assert token.map is not None
        return self.source.position(start, self.source.line_end(token.map[0]))


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


def _table(builder: Builder, token: Token) -> Table:
    rows = tuple(_row(builder, cells) for cells in token.meta["rows"])
    return Table(tuple(token.meta["align"]), rows, position=builder.position(token))


def _row(builder: Builder, cells: list[Cell]) -> TableRow:
    return TableRow(
        tuple(_cell(builder, cell) for cell in cells),
        position=builder.source.position(cells[0].start, cells[-1].end),
    )


def _cell(builder: Builder, cell: Cell) -> TableCell:
    tokens = builder.inline_tokens(cell.text)
    for token in tokens:
        if token.type == "code_inline":
            token.content = _ESCAPED_PIPE.sub(r"\1", token.content)
    position = builder.source.position(cell.start, cell.end)
    children = phrasing(tokens, literals=builder.gfm, line=position.start.line)
    return TableCell(tuple(children), position=position)


_ESCAPED_PIPE = re.compile(r"(\\\\)|\\(?=\|)")
"""A backslash before a pipe is the table's, even in code; a pair of them escapes nothing there."""


def _quote(builder: Builder, token: Token, children: list[FlowContent]) -> Blockquote:
    return Blockquote(tuple(children), position=builder.quote_position(token))


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


_LEAVES: dict[str, Callable[[Builder, Token], RootContent]] = {
    "paragraph": _paragraph,
    "heading": _heading,
    "hr": lambda builder, token: ThematicBreak(position=builder.position(token)),
    "code_block": _indented_code,
    "fence": _fence,
    "html_block": _html,
    "definition": _definition,
    "table": _table,
    "front_matter": lambda builder, token: Yaml(token.content, position=builder.position(token)),
}
"""Tokens that are a node of their own."""

_CONTAINERS: dict[str, Callable[[Builder, Token, list[Any]], FlowContent | ListItem]] = {
    "blockquote_close": _quote,
    "bullet_list_close": _list,
    "ordered_list_close": _list,
    "list_item_close": _item,
    "footnote_close": _footnote,
}
"""Tokens that end a node: what to build of the opening token and the children."""
