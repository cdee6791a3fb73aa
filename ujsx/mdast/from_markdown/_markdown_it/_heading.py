"""ATX headings: markdown-it's rule trims all of Unicode's white space, CommonMark spaces and tabs."""

from __future__ import annotations

import re

from markdown_it.rules_block import StateBlock

_HEADING = re.compile(r"(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*\Z")


def heading(state: StateBlock, start_line: int, _end_line: int, silent: bool) -> bool:
    """Take a line such as ``## Title ##``."""
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
