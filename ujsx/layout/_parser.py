"""Markdown with tags in it, as an mdast tree."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from ujsx import mdast
from ujsx.errors import MdastError
from ujsx.layout._nesting import Braces, Found, OpenComment, Piece, Scanner, Verbatim
from ujsx.layout._tags import (
    Hole,
    LayoutFaults,
    LineOrigin,
    ScanFault,
    Tag,
    broken_tag,
    layout_error,
    line_offsets,
    origins,
)
from ujsx.mdast.from_markdown._block_rules import BlockParser, BlockState
from ujsx.mdast.from_markdown._inline_rules import InlineParser, InlineRule, InlineState, autolink
from ujsx.mdast.from_markdown._markdown_it import Builder, environment, parser
from ujsx.mdast.from_markdown._source import MarkdownSource

# Lines of pieces alone: separate blocks, which end a paragraph.
#
# The indent between two tags is insignificant and removed.

PIECE = "html_block"
"""The type of a piece's token. A layout has no HTML, so mdast's HTML node can hold the number of a piece."""


class LayoutBlockParser(BlockParser):
    """A block parser with lines of pieces."""

    def __init__(self) -> None:
        super().__init__(frontmatter=True)

    def parse(
        self,
        src: str,
        md: MarkdownIt,
        env: Any,
        outTokens: list[Token],  # noqa: N803
    ) -> list[Token] | None:
        tokens = super().parse(src, md, env, outTokens)
        env["origins"] = origins(outTokens, env["source"])
        return tokens

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:  # noqa: N803
        if isinstance(state, BlockState) and state.depth == 0:
            dedent(state, startLine, endLine)
        super().tokenize(state, startLine, endLine)


def pieces(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """Parse a line of pieces alone; a piece may span several lines."""
    start = state.bMarks[start_line] + state.tShift[start_line]
    if state.src[start : start + 1] not in ("<", "{"):
        return False
    taken = _scanned(state, start_line, end_line)
    if taken is None:
        return False
    found, origin, lines = taken
    if silent:  # in a paragraph they may be in code
        return all(type(piece) is not Braces for piece in found)
    opened = 0
    for piece in found:
        token = state.push(PIECE, "", 0)
        token.content = str(len(state.env["pieces"]))
        token.map = [start_line, start_line + lines]
        token.meta = {"start": origin.offset(piece.at)}
        state.env["pieces"].append((piece, origin))
        if isinstance(piece, Tag) and not piece.is_whole:
            opened += -1 if piece.closes else 1
    state.line = start_line + lines
    if opened > 0:
        dedent(state, state.line, end_line)
    return True


def _scanned(state: StateBlock, line: int, end: int) -> tuple[list[Piece], LineOrigin, int] | None:
    """Return the pieces from a line's start to its end, and their number of lines."""
    wanted, over_blank_lines = 1, False
    while True:
        text, origin = _text(state, line, min(line + wanted, end), over_blank_lines)
        try:
            found, after = _row(text, state, origin)
        except OpenComment as fault:
            if len(origin.text) < wanted and over_blank_lines:
                state.env["faults"].add(fault.message, origin.offset(fault.at))
                return None
            wanted, over_blank_lines = 2 * wanted, True
        except ScanFault as fault:
            if not fault.incomplete or len(origin.text) < wanted:
                return None  # in a paragraph, it is an error unless it is in code
            wanted *= 2
        else:
            return None if found is None else (found, origin, text.count("\n", 0, after) + 1)


def _row(text: str, state: StateBlock, origin: LineOrigin) -> tuple[list[Piece] | None, int]:
    """Return the pieces up to a line end, and its place; ``None`` if there is anything else."""
    found: list[Piece] = []
    scanner = Scanner(text, holes=state.env["holes"])
    at = 0
    while at < len(text) and text[at] != "\n":
        try:
            piece = scanner.scan(at)
        except ScanFault as fault:
            piece = broken_tag(text, at) if state.env["faults"].gathers else None
            if piece is None:
                raise
            state.env["faults"].add(fault.message, origin.offset(fault.at))
        if piece is None:
            return None, at
        found.append(piece)
        at = piece.end
        while text[at : at + 1] in (" ", "\t"):
            at += 1
    return (None if _parts_values(found) else found), at


def _parts_values(found: list[Piece]) -> bool:
    """Tell whether white space separates a hole from another text: then they form a line that includes it."""
    return any(
        Hole in (type(one), type(other))
        and {type(one), type(other)} <= {Hole, Verbatim}
        and one.end < other.at
        for one, other in pairwise(found)
    )


def _text(state: StateBlock, line: int, end: int, over_blank_lines: bool) -> tuple[str, LineOrigin]:
    """Return lines without their indent, up to the end of the container or block around them."""
    parts: list[str] = []
    starts: list[int] = []
    for each in range(line, end):
        start = state.bMarks[each] + state.tShift[each]
        if each > line:
            blank = start >= state.eMarks[each]
            if blank and not over_blank_lines:
                break
            if not blank and state.sCount[each] < state.blkIndent:
                break
        parts.append(state.src[start : state.eMarks[each]])
        starts.append(start)
    return "\n".join(parts), LineOrigin(line_offsets(parts), starts)


def dedent(state: StateBlock, line: int, end: int) -> None:
    """Remove the indent of the first nonblank line from it and the lines that share it.

    The lines end before one with less indent. Prefixes of containers are ignored.
    """
    width = 0
    for each in range(line, end):
        if state.isEmpty(each):
            continue
        indent = state.sCount[each] - state.blkIndent
        width = width or indent
        if width <= 0 or indent < width:
            return
        start = at = state.bMarks[each]
        columns = 0
        while columns < width:
            step = 4 - (columns + state.bsCount[each]) % 4 if state.src[at] == "\t" else 1
            if columns + step > width:
                break
            columns += step
            at += 1
        state.bMarks[each] = at
        state.tShift[each] -= at - start
        state.sCount[each] -= columns
        state.bsCount[each] += columns


_LINE = re.compile(r"line ([0-9]+): ")


def parse(
    text: str, *, gathers: bool = False, holes: bool = False, written: str | None = None
) -> tuple[mdast.Root, Found, LayoutFaults]:
    """Return a layout's tree, the pieces of its ``Html`` nodes, and its source with the mistakes.

    :param gathers: whether to continue after a malformed piece.
    :param holes: whether a name in braces is a hole.
    :param written: the text as its author wrote it, if another one of the same length is read.
    :raises LayoutError: for a malformed piece, and for text that nests too deeply.

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
        faults = LayoutFaults(
            self.source if written is None else MarkdownSource(written), gathers=gathers
        )
        own: dict[str, Any] = {
            "source": self.source,
            "pieces": [],
            "faults": faults,
            "holes": holes,
        }
        self.env = {**environment(gfm=True), **own}


class _LayoutInlineParser(InlineParser):
    """An inline parser that knows the place of its text, and the pieces in it."""

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
    """Parse a piece within a text."""
    origin = state.env["origin"]
    try:
        piece = state.env["scanner"].scan(state.pos)
    except ScanFault as fault:
        state.env["faults"].add(fault.message, origin.offset(fault.at))
        piece = broken_tag(state.src, state.pos)  # its replacement when mistakes are gathered
    if piece is None:
        return False
    state.push("html_inline", "", 0).content = str(len(state.env["pieces"]))
    state.env["pieces"].append((piece, origin))
    state.pos = piece.end
    return True


def _check_images(tokens: list[Token], env: Any) -> None:
    """Refuse a piece in an image's text, which must be plain."""
    depth = 0
    for token in tokens:
        if token.type == "html_inline" and depth:
            piece, origin = env["pieces"][int(token.content)]
            message = r"the text of an image is plain; write \< or \{ for < or {"
            env["faults"].add(message, origin.offset(piece.at))
        depth += (token.type == "image_open") - (token.type == "image_close")


@cache
def _parser() -> MarkdownIt:
    usual = parser.__wrapped__(gfm=True, frontmatter=True)  # not shared with another token
    block = LayoutBlockParser()
    block.ruler = usual.block.ruler
    block.ruler.disable(["code", "html_block"])
    interrupted = ["paragraph", "reference", "blockquote", "list"]
    block.ruler.before("blockquote", "pieces", pieces, {"alt": interrupted})
    inline: Any = usual.inline
    usual.block = block
    usual.inline = _LayoutInlineParser(inline.rules)
    return usual
