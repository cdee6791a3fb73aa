"""Markdown with pieces in it, as an mdast tree: each ``Html`` node holds the number of a piece."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, TypeAlias

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ujsx import mdast
from ujsx.errors import MdastError
from ujsx.layout._block_parser import LayoutBlockParser, pieces
from ujsx.layout._faults import Fault, Faults, layout_error
from ujsx.layout._origins import Origin
from ujsx.layout._pieces import Piece, Scanner
from ujsx.layout._tags import broken_tag
from ujsx.mdast.from_markdown._builder import Builder
from ujsx.mdast.from_markdown._markdown_it import environment, parser
from ujsx.mdast.from_markdown._markdown_it._inline_parser import InlineParser
from ujsx.mdast.from_markdown._markdown_it._inline_state import InlineRule, InlineState
from ujsx.mdast.from_markdown._markdown_it._spans import autolink
from ujsx.mdast.from_markdown._source import Source

Found: TypeAlias = "list[tuple[Piece, Origin]]"
"""The pieces of a layout by their numbers, with where they stood."""

_LINE = re.compile(r"line ([0-9]+): ")


def parse(
    text: str, *, gathers: bool = False, holes: bool = False, written: str | None = None
) -> tuple[mdast.Root, Found, Faults]:
    """Return a layout's tree, the pieces that its ``Html`` nodes stand for, and its source with
    what is wrong with it.

    :param gathers: whether to go on after a piece that is malformed.
    :param holes: whether a name in braces is a hole.
    :param written: the text as its author wrote it, where another one of the same length is read.
    :raises LayoutError: for a piece that is malformed, and for text that nests too deep.

    >>> parse("a <B/>")[0].children[0].children
    (Text(value='a '), Html(value='0'))
    """
    builder = _LayoutBuilder(text, gathers=gathers, holes=holes, written=written)
    source = builder.env["faults"].source
    try:
        return builder.root(), builder.env["pieces"], builder.env["faults"]
    except MdastError as error:
        line = _LINE.match(error.message)
        offset = source.starts[int(line[1]) - 1] if line else 0
        message = error.message.removeprefix(line[0] if line else "")
        raise layout_error(source, message, offset) from None


class _LayoutBuilder(Builder):
    def __init__(self, text: str, *, gathers: bool, holes: bool, written: str | None) -> None:
        super().__init__(text, gfm=True, frontmatter=True)
        self.md = _parser()
        faults = Faults(self.source if written is None else Source(written), gathers=gathers)
        own: dict[str, Any] = {
            "source": self.source,
            "pieces": [],
            "faults": faults,
            "holes": holes,
        }
        self.env = {**environment(gfm=True), **own}


class _LayoutInlineParser(InlineParser):
    """An inline parser that knows where its text stood, and pieces in it."""

    def __init__(self, rules: Mapping[str, tuple[InlineRule, ...]]) -> None:
        super().__init__(
            {**rules, "<": (autolink, _piece), "{": (_piece,), "}": (_piece,)}, literals=True
        )

    def parse(self, src: str, md: MarkdownIt, env: Any, tokens: list[Token]) -> list[Token]:
        env["origin"] = next(env["origins"])
        env["scanner"] = Scanner(src, holes=env["holes"])
        found = super().parse(src, md, env, tokens)
        _check_images(found, env)
        return found


def _piece(state: InlineState) -> bool:
    """Take a piece within a text."""
    origin = state.env["origin"]
    try:
        piece = state.env["scanner"].scan(state.pos)
    except Fault as fault:
        piece = _broken(state, fault)
    if piece is None:
        return False
    state.push("html_inline", "", 0).content = str(len(state.env["pieces"]))
    state.env["pieces"].append((piece, origin))
    state.pos = piece.end
    return True


def _broken(state: InlineState, fault: Fault) -> Piece | None:
    """What a malformed piece is taken for, by who gathers mistakes; else it is raised."""
    state.env["faults"].add(fault.message, state.env["origin"].offset(fault.at))
    return broken_tag(state.src, state.pos)


def _check_images(tokens: list[Token], env: Any) -> None:
    """Refuse a piece in an image's text, which is plain."""
    depth = 0
    for token in tokens:
        if token.type == "html_inline" and depth:
            piece, origin = env["pieces"][int(token.content)]
            message = r"the text of an image is plain; write \< or \{ for the character"
            env["faults"].add(message, origin.offset(piece.at))
        depth += (token.type == "image_open") - (token.type == "image_close")


@cache
def _parser() -> MarkdownIt:
    usual = parser.__wrapped__(gfm=True, frontmatter=True)  # one that nobody else has
    block = LayoutBlockParser()
    block.ruler = usual.block.ruler
    block.ruler.disable(["code", "html_block"])
    interrupted = ["paragraph", "reference", "blockquote", "list"]
    block.ruler.before("blockquote", "pieces", pieces, {"alt": interrupted})
    inline: Any = usual.inline
    usual.block = block
    usual.inline = _LayoutInlineParser(inline.rules)
    return usual
