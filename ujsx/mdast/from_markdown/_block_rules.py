"""markdown-it's block rules, with changes for CommonMark and GFM."""

from __future__ import annotations

import re
from typing import Any, Literal, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block import blockquote as quote_rule
from markdown_it.rules_block.html_block import HTML_SEQUENCES
from markdown_it.rules_block.html_block import html_block as markdown_its_rule
from markdown_it.token import Token

from ujsx.errors import MdastError
from ujsx.mdast.from_markdown._source import (
    MAX_DEPTH,
    SPACES,
    decode,
    identifier,
    match_definition,
    match_front_matter,
)

# markdown-it's block parser, where it has to do more: starts of blocks, depth, front matter.
#
# Differences from ``markdown_it.parser_block``:
#
# - Every block's first token says where the block starts (``meta["start"]``, an offset): a token's
#   own map has lines only, and the column is lost once the containers around it are closed.
# - Containers nested deeper than ``MAX_DEPTH`` are refused. markdown-it skips what lies deeper
#   (``maxNesting``), which would lose text in silence.
# - Front matter is taken before the first block, so that no rule has to look for it at each line.

CODE_INDENT = 4
"""The indent of code, in columns."""

_WITH_INDENT = frozenset({"code_block", "html_block"})
"""Blocks that keep the indent before them."""


class BlockState(StateBlock):
    """The state of the block rules, which records the start of list items."""

    depth = 0
    """The number of active calls of ``BlockParser.tokenize``: one per container."""

    seeks_quote_end = False
    """True if a quote's rule is still searching for its last line, before its content."""

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
    """A block parser that records the start of blocks."""

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


# Paragraphs, setext headings and definitions: one rule in place of three.
#
# markdown-it looks ahead over the same lines for a definition, then for a setext underline, then
# for the paragraph's end. CommonMark's own account (appendix "A parsing strategy") is simpler: the
# lines of a paragraph are collected once, and definitions are taken off its start. That also keeps
# every definition, in its place and as it was written, where markdown-it only notes the first of
# each name in a table; and only spaces and tabs are trimmed, where markdown-it trims all of
# Unicode's white space.

_UNDERLINE = re.compile(r"(=+|-+)[ \t]*$", re.MULTILINE)

_TASK = re.compile(r"\[([ \t\nxX])\](?:[ \t]*\n|[ \t])")
"""A task's box, and the white space that parts it from the item's text."""


def content(state: StateBlock, start_line: int, end_line: int, _silent: bool) -> bool:
    """Collect a paragraph's lines; push its definitions, then the rest."""
    owner = state.tokens[-1] if state.tokens else None
    next_line, underline = _end_of_content(state, start_line, end_line)
    text = _lines(state, start_line, next_line)
    if text[0] == "[":
        text, start_line = _take_definitions(state, text, start_line)
        if not text:
            state.line = next_line
            return True
    start = state.bMarks[start_line] + state.tShift[start_line]
    if underline is not None:
        token = state.push("heading", "", 0)
        token.markup = underline
        state.line = next_line + 1
    else:
        token = state.push("paragraph", "", 0)
        state.line = next_line
        if state.env["gfm"] and owner is not None and owner.type == "list_item_open":
            task = _TASK.match(text)
            if task is not None:
                owner.meta["checked"] = task[1] in "xX"
                text = text[task.end() :]
                if task[0].endswith("\n", 3):
                    start = state.bMarks[start_line + 1] + state.tShift[start_line + 1]
                else:
                    start += task.end()
    token.meta["start"] = start
    token.content = text
    token.map = [start_line, state.line]
    return True


def _end_of_content(state: StateBlock, start: int, end: int) -> tuple[int, str | None]:
    """Return the line after the paragraph's last, and the underline's character if it has one."""
    terminators = state.md.block.ruler.getRules("paragraph")
    outer = state.parentType
    state.parentType = "paragraph"
    src, indents, required = state.src, state.sCount, state.blkIndent
    underline = None
    line = start + 1
    last = state.lineMax
    while line < last:
        first = state.bMarks[line] + state.tShift[line]
        if first >= state.eMarks[line]:
            break
        indent = indents[line] - required
        # Deeper than 3 it would be code, but code cannot interrupt; below 0 the line is lazy and
        # the container's rule has looked at it.
        if indent <= 3 and indents[line] >= 0:
            if indent >= 0 and line < end and src[first] in "=-":
                match = _UNDERLINE.match(src, first)
                if match is not None and not _only_definitions(state, start, line):
                    underline = match[1][0]
                    break
            if any(rule(state, line, last, True) for rule in terminators):
                break
        line += 1
    state.parentType = outer
    return line, underline


def _only_definitions(state: StateBlock, start: int, end: int) -> bool:
    if state.src[state.bMarks[start] + state.tShift[start]] != "[":
        return False
    text = _lines(state, start, end)
    at = 0
    while at < len(text) and (definition := match_definition(text, at)):
        at = definition[0]
    return at >= len(text)


def _lines(state: StateBlock, start: int, end: int) -> str:
    """Return the lines without their containers' prefixes, trimmed of spaces and tabs."""
    if end == start + 1:
        first = state.bMarks[start] + state.tShift[start]
        return state.src[first : state.eMarks[start]].strip(SPACES)
    return state.getLines(start, end, state.blkIndent, False).strip(SPACES)


def _take_definitions(state: StateBlock, text: str, line: int) -> tuple[str, int]:
    """Push a token for each definition at the start of ``text``; return the rest and its line."""
    at = 0
    while at < len(text) and (definition := match_definition(text, at)):
        after, label, url, title = definition
        key = identifier(label)
        token = state.push("definition", "", 0)
        start = state.bMarks[line] + state.tShift[line]
        token.meta = {"start": start, "identifier": key, "label": decode(label)}
        token.meta |= {"url": url, "title": title}
        state.env["definitions"].add(key)
        next_line = line + text.count("\n", at, after)
        token.map = [line, next_line if after < len(text) else next_line + 1]
        at, line = after, next_line
    return text[at:].lstrip(SPACES), line


# Footnotes (GFM): definitions as containers, calls where a definition exists.
#
# Unlike the plugin of mdit-py-plugins, which numbers the notes and moves them to the document's end,
# these rules leave every definition in its place; as on GitHub, continuation lines are indented by
# four columns, and labels match as those of links do.

_LABEL = r"\[\^((?:[^\\\[\] \t\n]|\\[\\\[\]]?)++)\]"
_DEFINITION = re.compile(_LABEL + r":[ \t]*")
CALL = re.compile(_LABEL)
"""The form of a footnote's call; its group is the label."""

INDENT = 4
"""The indent of a continuation line of a footnote's definition, in columns."""


def footnote_definition(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """Parse a container such as ``[^label]: content``."""
    start = state.bMarks[start_line] + state.tShift[start_line]
    if state.src[start] != "[" or state.is_code_block(start_line):
        return False
    match = _DEFINITION.match(state.src, start, state.eMarks[start_line])
    if match is None:
        return False
    if silent:
        return True
    key = identifier(match[1])
    state.env["footnote_labels"].add(key)
    token = state.push("footnote_open", "", 1)
    token.meta = {"start": start, "identifier": key, "label": decode(match[1])}

    # The first line's content starts after the label, as if it stood at the container's indent:
    # as many characters of the label as that has columns stand in for it.
    line = (state.bMarks[start_line], state.tShift[start_line], state.sCount[start_line])
    outer = (state.blkIndent, state.parentType)
    state.blkIndent += INDENT
    state.parentType = "footnote"
    state.bMarks[start_line] = max(line[0], match.end() - state.blkIndent)
    state.tShift[start_line] = match.end() - state.bMarks[start_line]
    state.sCount[start_line] = state.blkIndent
    state.md.block.tokenize(state, start_line, end_line)
    state.bMarks[start_line], state.tShift[start_line], state.sCount[start_line] = line
    state.blkIndent, state.parentType = outer

    state.push("footnote_close", "", -1)
    token.map = [start_line, max(state.line, start_line + 1)]
    state.line = token.map[1]
    return True


# Blocks without blocks in them, where markdown-it's rules differ from CommonMark's: HTML, ATX headings,
# thematic breaks.
#
# - HTML: where a lone tag ends a quote, an item or a table. A tag that is alone on its line and names
#   no block (``<b>``) goes on with a paragraph, even one in a container that the line is no part of
#   (CommonMark 4.6). GitHub's reader sees a block there, behind the container.
# - Headings: markdown-it trims all of Unicode's white space, CommonMark spaces and tabs.
# - Thematic breaks: markdown-it looks at a line character by character, at each depth anew. In a line
#   such as ``- - - … a`` that takes long before the line is seen to nest too deep.

_STARTS = tuple(
    re.compile(start.pattern.replace(r"\s", "[ \t]"), start.flags) for start, _, _ in HTML_SEQUENCES
)
"""The starts of HTML; Python's white space is more than CommonMark's."""
_LONE_TAG = _STARTS[-1]


def html_block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """Parse raw HTML."""
    start = state.bMarks[start_line] + state.tShift[start_line]
    if state.src[start] != "<":
        return False
    line = state.src[start : state.eMarks[start_line]]
    if not any(each.match(line) for each in _STARTS):
        return False
    if markdown_its_rule(state, start_line, end_line, silent):
        return True
    if not silent or not state.env["gfm"] or state.is_code_block(start_line):
        return False
    # A quote's rule and a table's ask about the lines behind, a paragraph's about less indent, too.
    is_outside = (
        state.parentType in {"blockquote", "table"} or state.sCount[start_line] < state.blkIndent
    )
    return is_outside and _LONE_TAG.match(line) is not None


_HEADING = re.compile(r"(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*\Z")


def heading(state: StateBlock, start_line: int, _end_line: int, silent: bool) -> bool:
    """Parse a line such as ``## Title ##``."""
    start = state.bMarks[start_line] + state.tShift[start_line]
    if state.src[start] != "#" or state.is_code_block(start_line):
        return False
    match = _HEADING.match(state.src[start : state.eMarks[start_line]])
    if match is None:
        return False
    if silent:
        return True
    token = state.push("heading", "", 0)
    token.markup = match[1]
    token.content = match[2] or ""
    token.map = [start_line, start_line + 1]
    state.line = start_line + 1
    return True


MARKERS = "*-_"
FEWEST = 3


def thematic_break(state: StateBlock, start_line: int, _end_line: int, silent: bool) -> bool:
    """Parse a line such as ``* * *``."""
    start = state.bMarks[start_line] + state.tShift[start_line]
    marker = state.src[start]
    if marker not in MARKERS or state.is_code_block(start_line):
        return False
    line = state.src[start : state.eMarks[start_line]]
    if line.rstrip(marker + SPACES) or line.count(marker) < FEWEST:
        return False
    if silent:
        return True
    state.push("hr", "hr", 0).map = [start_line, start_line + 1]
    state.line = start_line + 1
    return True


# Block quotes: markdown-it takes any ``>`` for a quote's, even one that is indented as code is.
#
# In ``> a`` over ``    > b`` the second line goes on with the paragraph, and its ``>`` is text
# (CommonMark 5.1: at most three spaces of indent). Such lines are hidden from markdown-it's rule: it
# looks at the character at a line's start, and finds the white space before.

DEEP_MARKER = re.compile(r"(?:    |\t {0,3})>")
"""The pattern of such a line, which most texts lack."""


def quote(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """Parse a container of lines such as ``> content``."""
    assert isinstance(state, BlockState)
    start = state.bMarks[start_line] + state.tShift[start_line]
    if state.src[start] != ">" or state.is_code_block(start_line):
        return False
    if silent:
        return True
    state.seeks_quote_end = True
    if not state.env["deep_markers"]:
        return quote_rule(state, start_line, end_line, silent)
    hidden = _deep_lines(state, start_line, end_line)
    for line in hidden:
        state.tShift[line] -= 1
    taken = quote_rule(state, start_line, end_line, silent)
    for line in hidden:
        state.tShift[line] += 1
    return taken


def _deep_lines(state: StateBlock, start_line: int, end_line: int) -> list[int]:
    """Return the lines whose marker is indented too deeply, up to the end of the quote."""
    terminators = state.md.block.ruler.getRules("blockquote")
    outer = state.parentType
    state.parentType = "blockquote"
    found: list[int] = []
    ends_blank = _is_blank_quote(state, start_line)
    for line in range(start_line + 1, end_line):
        if state.isEmpty(line):
            break
        indent = state.sCount[line] - state.blkIndent
        if indent >= 0 and state.src[state.bMarks[line] + state.tShift[line]] == ">":
            if indent < CODE_INDENT:
                ends_blank = _is_blank_quote(state, line)
                continue
            found.append(line)
        elif any(rule(state, line, end_line, True) for rule in terminators):
            break
        if ends_blank:
            break
    state.parentType = outer
    return found


def _is_blank_quote(state: StateBlock, line: int) -> bool:
    start = state.bMarks[line] + state.tShift[line] + 1
    return not state.src[start : state.eMarks[line]].strip(SPACES)


# Tables (GFM).
#
# markdown-it's rule pads short rows, drops cells beyond the head's, resolves ``\|`` before the
# inline rules see it, and wants a ``|`` in the head. Here a row has the cells that were written,
# with their source as it stands and where it stood.

_DELIMITER_ROW = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*\Z")
_CELL = re.compile(r"(?:[^|\\]|\\[|\\]?)+")
_ALIGN = {(True, True): "center", (True, False): "left", (False, True): "right"}


class Cell(NamedTuple):
    """A cell's source without white space at its edges, and its offsets."""

    text: str
    start: int
    end: int


def table(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """Parse a head, a row of delimiters such as ``|:-|-:|``, and the rows under them."""
    delimiters_line = start_line + 1
    if delimiters_line >= end_line or state.sCount[delimiters_line] < state.blkIndent:
        return False
    start = state.bMarks[delimiters_line] + state.tShift[delimiters_line]
    if state.src[start : start + 1] not in ("|", "-", ":"):
        return False
    if state.is_code_block(start_line) or state.is_code_block(delimiters_line):
        return False
    delimiters = state.src[start : state.eMarks[delimiters_line]]
    if ("|" not in delimiters and ":" not in delimiters) or not _DELIMITER_ROW.match(delimiters):
        return False
    if delimiters[0] == "-" and delimiters[1] in SPACES:  # an item, which can end a paragraph
        return False
    align = [
        _ALIGN.get((cell[0] == ":", cell[-1] == ":"))
        for cell in (part.strip(SPACES) for part in delimiters.split("|"))
        if cell
    ]
    head = _row(state, start_line)
    is_lone_pipe = len(head) == 1 and head[0].end - head[0].start == 1 and not head[0].text
    if len(head) != len(align) or is_lone_pipe:
        return False
    if silent:
        return True

    rows = [head]
    token = state.push("table", "", 0)
    terminators = state.md.block.ruler.getRules("blockquote")
    outer = state.parentType
    state.parentType = "table"
    line = start_line + 2
    while (
        line < end_line
        and not state.isEmpty(line)
        and state.sCount[line] >= state.blkIndent
        and not state.is_code_block(line)
        and not any(rule(state, line, end_line, True) for rule in terminators)
    ):
        rows.append(_row(state, line))
        line += 1
    state.parentType = outer
    token.meta = {"align": align, "rows": rows}
    token.map = [start_line, line]
    state.line = line
    return True


def _row(state: StateBlock, line: int) -> list[Cell]:
    """Split a line at its pipes; a backslash keeps a pipe inside a cell."""
    src = state.src
    at = state.bMarks[line] + state.tShift[line]
    end = state.eMarks[line]
    while src[end - 1] in SPACES:
        end -= 1
    cells: list[Cell] = []
    while at < end:
        start = at
        if src[at] == "|":
            at += 1
            if at == end and cells:  # the row's closing pipe belongs to its last cell
                cells[-1] = cells[-1]._replace(end=state.eMarks[line])
                break
        match = _CELL.match(src, at, end)
        if match is not None:
            at = match.end()
        cells.append(Cell(src[start:at].removeprefix("|").strip(SPACES), start, at))
    # As in remark's trees, white space behind the last cell is its own.
    if cells and cells[-1].text:
        cells[-1] = cells[-1]._replace(end=state.eMarks[line])
    return cells
