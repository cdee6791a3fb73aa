"""Block quotes: markdown-it takes any ``>`` for a quote's, even one that is indented as code is.

In ``> a`` over ``    > b`` the second line goes on with the paragraph, and its ``>`` is text
(CommonMark 5.1: at most three spaces of indent). Such lines are hidden from markdown-it's rule: it
looks at the character at a line's start, and finds the white space before.
"""

from __future__ import annotations

import re

from markdown_it.rules_block import StateBlock
from markdown_it.rules_block import blockquote as markdown_its_rule

from ujsx.mdast.from_markdown._characters import SPACES

from ._block_parser import CODE_INDENT, BlockState

DEEP_MARKER = re.compile(r"(?:    |\t {0,3})>")
"""What a text holds that has such a line; most have none."""


def quote(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """Take a container of lines such as ``> content``."""
    assert isinstance(state, BlockState)
    start = state.bMarks[start_line] + state.tShift[start_line]
    if state.src[start] != ">" or state.is_code_block(start_line):
        return False
    if silent:
        return True
    state.seeks_quote_end = True
    if not state.env["deep_markers"]:
        return markdown_its_rule(state, start_line, end_line, silent)
    hidden = _deep_lines(state, start_line, end_line)
    for line in hidden:
        state.tShift[line] -= 1
    taken = markdown_its_rule(state, start_line, end_line, silent)
    for line in hidden:
        state.tShift[line] += 1
    return taken


def _deep_lines(state: StateBlock, start_line: int, end_line: int) -> list[int]:
    """Return the lines whose marker is indented too deep, up to where the quote ends."""
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
