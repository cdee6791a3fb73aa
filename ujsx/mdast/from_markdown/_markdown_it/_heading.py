"""ATX headings: markdown-it's rule trims all of Unicode's white space, CommonMark spaces and tabs."""

from __future__ import annotations

import re

from markdown_it.rules_block import StateBlock

_HEADING = re.compile(r"(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*\Z")


def heading(state: StateBlock, startLine: int, endLine: int, silent: bool) -> bool:
    """Take a line such as ``## Title ##``."""
    start = state.bMarks[startLine] + state.tShift[startLine]
    if state.src[start] != "#" or state.is_code_block(startLine):
        return False
    match = _HEADING.match(state.src[start : state.eMarks[startLine]])
    if match is None:
        return False
    if silent:
        return True
    token = state.push("heading", "", 0)
    token.markup = match[1]
    token.content = match[2] or ""
    token.map = [startLine, startLine + 1]
    state.line = startLine + 1
    return True
