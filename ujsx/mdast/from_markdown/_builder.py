"""Block tokens become a document's tree."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Literal, cast

import msgspec
from markdown_it import MarkdownIt
from markdown_it.token import Token

from ujsx.errors import MdastError
from ujsx.mdast._nodes import (
    ALERT,
    MARK,
    Blockquote,
    Build,
    Code,
    Definition,
    Extension,
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
    Root,
    RootContent,
    Table,
    TableCell,
    TableRow,
    Text,
    ThematicBreak,
    Yaml,
)
from ujsx.mdast.from_markdown._markdown_it import environment, parse_blocks, parser
from ujsx.mdast.from_markdown._markdown_it._blocks import Cell
from ujsx.mdast.from_markdown._phrasing import Children, phrasing
from ujsx.mdast.from_markdown._source import (
    SPACES,
    ContentPlaces,
    MarkdownSource,
    decode,
    in_lines,
    in_one_line,
)

# Tables: rows of cells, whose text is phrasing.


def table(builder: Builder, token: Token) -> Table:
    """Return a table; a row has the cells that were written, be they fewer or more than the head's."""
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
        if token.type == "code_inline" or token.type in builder.build:
            token.content = _ESCAPED_PIPE.sub(r"\1", token.content)
    position = builder.source.position(cell.start, cell.end)
    locate = None
    if builder.places:
        text = builder.source.text
        start = cell.start + (text[cell.start] == "|")
        while start < cell.end and text[start] in SPACES:
            start += 1
        locate = in_one_line(builder.source, start).position
    children = phrasing(tokens, line=position.start.line, locate=locate, build=builder.build)
    return TableCell(tuple(children), position=position)


_ESCAPED_PIPE = re.compile(r"(\\\\)|\\(?=\|)")
"""A backslash before a pipe is the table's, even in code; a pair of them escapes nothing there."""


# Block tokens become flow nodes: a builder per kind of token, in two tables.


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


_QUOTE_MARKERS = f"{SPACES}>"


class _Builds(dict[str, Build]):
    """The functions that make nodes of the tokens of extensions, by the token's type."""

    def __missing__(self, kind: str) -> Build:
        if kind == "paragraph_close":  # a plugin may push one of its own
            return lambda _, children: Paragraph(children)
        token = kind.removesuffix("_close")
        raise MdastError(
            f"no extension says what node the token {token!r} becomes; add a row for it to nodes="
        )


class Builder:
    """Builds a tree, and knows its source: where blocks stand, what their text holds."""

    def __init__(
        self,
        text: str,
        *,
        gfm: bool,
        frontmatter: bool,
        places: bool = False,
        extensions: tuple[Extension, ...] = (),
    ) -> None:
        self.extensions = extensions
        self.source = MarkdownSource(text)
        self.gfm = gfm
        self.md: MarkdownIt = parser(gfm=gfm, frontmatter=frontmatter, extensions=extensions)
        self.build = _Builds(
            {kind: build for each in extensions for kind, build in each.build.items()}
        )
        """What makes nodes of the tokens of extensions."""
        self.change = {kind: change for each in extensions for kind, change in each.change.items()}
        """What makes other nodes of blocks that were read."""
        self.env = environment(gfm=gfm, places=places)
        self.places = places
        """Whether what stands in a line gets a position too."""
        self.quotes = 0
        """How many block quotes stand around the block that is being built."""

    def root(self) -> Root:
        """Return the document."""
        source = self.source
        children: list[Any] = []
        outer: list[tuple[Token, list[Any]]] = []
        for token in parse_blocks(source.text, self.md, self.env):
            kind = token.type
            if (leaf := LEAVES.get(kind)) is not None:
                children.append(leaf(self, token))
            elif token.nesting > 0:
                outer.append((token, children))
                children = []
                self.quotes += kind == "blockquote_open"
            elif token.nesting < 0:
                self.quotes -= kind == "blockquote_close"
                opening, siblings = outer.pop()
                siblings.append(self._container(kind, opening, children))
                children = siblings
            elif kind == "inline":
                children.extend(self.phrasing(token))
            else:
                made = self.build[kind](token, ())
                in_place = self.position if "start" in token.meta else self._extended_position
                children.append(self._extended(made, in_place(token)))
        return Root(children=tuple(children), position=source.position(0, len(source.text)))

    def _container(self, kind: str, opening: Token, children: list[Any]) -> Node:
        make = CONTAINERS.get(kind)
        if make is None:
            position = self._extended_position(opening, children)
            return self._extended(self.build[kind](opening, tuple(children)), position)
        node = make(self, opening, children)
        if self.change and type(node) in self.change:
            return self.change[type(node)](node)
        return node

    def _extended(self, node: Node, position: Position) -> Node:
        """Return an extension's node with its position."""
        msgspec.structs.force_setattr(node, "position", position)
        return node

    def _extended_position(self, opening: Token, children: Sequence[Node] = ()) -> Position:
        """Return where an extension's node stands: to the end of its lines, if its rule tells them."""
        assert opening.map is not None
        first, last = opening.map
        start = opening.meta.get("start")
        inner = children[-1].position if children else None
        if start is None:  # a rule of a plugin: behind what containers put before the line
            if children and children[0].position is not None:
                first = children[0].position.start.line - 1
            line = self.source.line(first)
            start = self.source.starts[first] + len(line) - len(line.lstrip(_QUOTE_MARKERS))
            last = first + 1
        while last > first + 1 and not self.source.line(last - 1).strip(_QUOTE_MARKERS):
            last -= 1
        position = self.source.position(start, self.source.line_end(max(last, first + 1) - 1))
        if inner is not None and inner.end.line > position.end.line:
            return Position(position.start, inner.end)
        return position

    def phrasing(self, token: Token) -> Children:
        """Return the nodes of a paragraph's or heading's text."""
        assert token.map is not None
        self.env["label"] = "label" in token.meta  # in brackets, where an address is no link
        tokens = self.inline_tokens(token.content)
        self.env["label"] = False
        locate = self._places(token).position if self.places else None
        return phrasing(tokens, line=token.map[0] + 1, locate=locate, build=self.build)

    def _places(self, token: Token) -> ContentPlaces:
        """Return where the text of a paragraph or a heading stands."""
        assert token.map is not None
        if token.type == "inline" and "start" in token.meta:
            return in_one_line(self.source, token.meta["start"])
        if token.markup[:1] == "#":
            start = token.meta["start"] + len(token.markup)
            while self.source.text[start : start + 1] in {" ", "\t"}:
                start += 1
            return in_one_line(self.source, start)
        last = max(token.map[0], token.map[1] - (2 if token.type == "heading" else 1))
        return in_lines(self.source, token.content, last)

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
        """Return where a quote stands; markdown-it counts blank lines after an empty one to it.

        A line that has only the markers of quotes around it is blank as well.
        """
        assert token.map is not None
        start, line = token.meta["start"], token.map[1]
        while not self.source.line(line - 1).strip(_QUOTE_MARKERS) and (
            self.source.line(line - 1).count(">") <= self.quotes
        ):
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
