"""One document's tree, put together from the block tokens of markdown-it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from markdown_it import MarkdownIt
from markdown_it.token import Token

from ujsx.errors import MdastError
from ujsx.mdast._extension import Build, Extension
from ujsx.mdast._nodes import Node, Paragraph, Position, Root

from ._characters import SPACES
from ._content_places import ContentPlaces, in_lines, in_one_line
from ._flow import CONTAINERS, LEAVES
from ._markdown_it import environment, parse_blocks, parser
from ._phrasing import Children, phrasing
from ._source import Source

_QUOTE_MARKERS = f"{SPACES}>"


class _Builds(dict[str, Build]):
    """What makes nodes of the tokens of extensions, by the token's type."""

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
        self.source = Source(text)
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
