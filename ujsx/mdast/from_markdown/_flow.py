"""Block tokens become flow nodes: a builder per kind of token, in two tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, cast

from markdown_it import MarkdownIt
from markdown_it.token import Token

from .._nodes import (
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
            else:
                opening, siblings = outer.pop()
                siblings.append(_CONTAINERS[kind](self, opening, children))
                children = siblings
        return Root(
            children=tuple(children), position=source.position(0, len(source.text))
        )

    def phrasing(self, text: str) -> Children:
        """Return the nodes of a paragraph's, heading's or cell's text."""
        tokens: list[Token] = []
        self.md.inline.parse(text, self.md, self.env, tokens)
        return phrasing(tokens, literals=self.gfm)

    def position(self, token: Token) -> Position:
        """Return where a block without content of its own stands."""
        start = token.meta["start"]
        assert token.map is not None
        return self.source.position(start, self.source.content_end(start, token.map[1]))

    def spanning(self, token: Token, children: Sequence[Node]) -> Position:
        """Return where a block stands that ends with its last child."""
        last = children[-1].position if children else None
        if last is None:
            return self.position(token)
        return Position(self.source.point(token.meta["start"]), last.end)


def _paragraph(builder: Builder, token: Token) -> Paragraph:
    return Paragraph(
        tuple(builder.phrasing(token.content)), position=builder.position(token)
    )


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
        tuple(builder.phrasing(token.content)),
        position=builder.position(token),
    )


def _indented_code(builder: Builder, token: Token) -> Code:
    return Code(token.content.removesuffix("\n"), position=builder.position(token))


def _fence(builder: Builder, token: Token) -> Code:
    info = token.info.strip(SPACES)
    lang, _, meta = info.replace("\t", " ").partition(" ")
    return Code(
        token.content.removesuffix("\n"),
        decode(lang) or None,
        decode(info[len(lang) :].strip(SPACES)) or None,
        position=builder.position(token),
    )


def _html(builder: Builder, token: Token) -> Html:
    return Html(token.content.rstrip("\n"), position=builder.position(token))


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
    position = builder.source.position
    return TableRow(
        tuple(
            TableCell(
                tuple(builder.phrasing(cell.text)),
                position=position(cell.start, cell.end),
            )
            for cell in cells
        ),
        position=position(cells[0].start, cells[-1].end),
    )


def _quote(builder: Builder, token: Token, children: list[FlowContent]) -> Blockquote:
    return Blockquote(tuple(children), position=builder.position(token))


def _item(builder: Builder, token: Token, children: list[FlowContent]) -> ListItem:
    return ListItem(
        token.meta.get("checked"),
        _spread(children),
        tuple(children),
        position=builder.spanning(token, children),
    )


def _list(builder: Builder, token: Token, children: list[ListItem]) -> List:
    ordered = token.type == "ordered_list_open"
    start = cast(int, token.attrs.get("start", 1)) if ordered else None
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
        for before, after in zip(children, children[1:], strict=False)
    )


def _footnote(
    builder: Builder, token: Token, children: list[FlowContent]
) -> FootnoteDefinition:
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
    "front_matter": lambda builder, token: Yaml(
        token.content, position=builder.position(token)
    ),
}
"""Tokens that are a node of their own."""

_CONTAINERS: dict[
    str, Callable[[Builder, Token, list[Any]], FlowContent | ListItem]
] = {
    "blockquote_close": _quote,
    "bullet_list_close": _list,
    "ordered_list_close": _list,
    "list_item_close": _item,
    "footnote_close": _footnote,
}
"""Tokens that end a node: what to build of the opening token and the children."""
