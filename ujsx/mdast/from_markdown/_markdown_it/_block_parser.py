"""markdown-it's block parser, where it has to do more: starts of blocks, depth, front matter.

Differences from ``markdown_it.parser_block``:

- Every block's first token says where the block starts (``meta["start"]``, an offset): a token's
  own map has lines only, and the column is lost once the containers around it are closed.
- Containers nested deeper than ``MAX_DEPTH`` are refused. markdown-it skips what lies deeper
  (``maxNesting``), which would lose text in silence.
- Front matter is taken before the first block, so that no rule has to look for it at each line.
"""

from __future__ import annotations

from typing import Any, Literal

from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from ujsx.errors import MdastError
from ujsx.mdast.from_markdown._source import MAX_DEPTH, match_front_matter

CODE_INDENT = 4
"""Columns from which on an indent makes code."""

_WITH_INDENT = frozenset({"code_block", "html_block"})
"""Blocks that keep the indent before them."""


class BlockState(StateBlock):
    """The state of the block rules; list items are given their start as they are pushed."""

    depth = 0
    """How many calls of ``BlockParser.tokenize`` are under way: one per container."""

    seeks_quote_end = False
    """Whether a quote's rule is looking for its last line, and has not come to its content."""

    indents: tuple[int, ...] = ()
    """The indents of the containers around, outermost first; of a quote's content, 0."""

    columns: list[int] | None = None
    """The column at which each line's content starts in the innermost quote; 0 outside of quotes."""

    def enter_quote(self, first: int, end: int) -> list[int]:
        """Count the columns of a quote's lines from the page's edge; return those of the quote around.

        Tabs go by them. markdown-it's rule counts them from the content of the quote around.
        """
        if self.columns is None:
            self.columns = [0] * len(self.bsCount)
        around = self.columns[first:end]
        for line in range(first, end):
            if self.sCount[line] >= 0:
                self.bsCount[line] += self.columns[line]
                self.columns[line] = self.bsCount[line]
        return around

    def is_code_block(self, line: int) -> bool:
        """Return whether no block but code can start at a line, indented as it is.

        A line that is indented less than the container's content is looked at as what the innermost
        container around would make of it. A quote gives -1 to lines that go on with its paragraph by
        laziness. A quote in it does not end at them, whatever they look like.
        """
        indent = self.sCount[line]
        if indent < 0:
            return self.seeks_quote_end
        if indent >= self.blkIndent:
            return super().is_code_block(line)
        around = next((each for each in reversed(self.indents) if each <= indent), 0)
        return indent - around >= CODE_INDENT

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        token = super().push(ttype, tag, nesting)
        if ttype == "list_item_open":  # pushed by the list's rule, not by ``tokenize``
            token.meta["start"] = self.bMarks[self.line] + self.tShift[self.line]
        return token


class BlockParser(ParserBlock):
    """A block parser that notes where blocks start."""

    def __init__(self, *, frontmatter: bool) -> None:
        super().__init__()
        self.frontmatter = frontmatter

    def parse(
        self,
        src: str,
        md: MarkdownIt,
        env: Any,
        outTokens: list[Token],  # noqa: N803
    ) -> list[Token] | None:
        state = BlockState(src, md, env, outTokens)
        if self.frontmatter and (match := match_front_matter(src)):
            token = state.push("front_matter", "", 0)
            token.content = match[1] or ""
            token.meta["start"] = 0
            state.line = match[0].count("\n", 0, -1) + 1
            token.map = [0, state.line]
        self.tokenize(state, state.line, state.lineMax)
        return state.tokens

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:  # noqa: N803
        assert isinstance(state, BlockState)
        state.depth += 1
        outer, state.indents = state.indents, (*state.indents, state.blkIndent)
        state.seeks_quote_end = False
        if state.depth > MAX_DEPTH:
            raise MdastError(
                f"line {startLine + 1}: containers nested more than {MAX_DEPTH} deep; "
                "flatten the quotes and lists there"
            )
        has_columns = state.parentType == "blockquote" and state.env["tabs"]
        around = state.enter_quote(startLine, endLine) if has_columns else []
        rules = self.ruler.getRules("")
        tokens = state.tokens
        line = startLine
        seen_blank_line = False
        while line < endLine:
            state.line = line = state.skipEmptyLines(line)
            if line >= endLine or state.sCount[line] < state.blkIndent:
                break
            first = len(tokens)
            start = state.bMarks[line] + state.tShift[line]
            for rule in rules:
                if rule(state, line, endLine, False):
                    break
            token = tokens[first]
            token.meta.setdefault("start", start)
            if token.type in _WITH_INDENT:
                token.meta["start"] = _after_container(state, token)
            # Tightness and the blank line after a block are as the rules of markdown-it expect.
            state.tight = not seen_blank_line
            line = state.line
            if line - 1 < endLine and state.isEmpty(line - 1):
                seen_blank_line = True
            if line < endLine and state.isEmpty(line):
                seen_blank_line = True
                line += 1
                state.line = line
        if state.columns is not None and has_columns:
            state.columns[startLine:endLine] = around
        state.indents = outer
        state.depth -= 1


def _after_container(state: StateBlock, token: Token) -> int:
    """Return where code or HTML starts: what the container leaves of the indent is its own."""
    assert token.map is not None
    line = token.map[0]
    start = at = state.bMarks[line]
    src, width, marker = state.src, 0, state.tShift[line]
    if src[at] == "\t" and start > 0 and src[at - 1] == ">":
        return at + 1  # the quote's own space is part of this tab
    while width < state.blkIndent:
        if src[at] == "\t":
            width += 4 - (width + state.bsCount[line]) % 4
        elif src[at] == " " or at - start < marker:
            width += 1
        else:
            break
        at += 1
    return at
