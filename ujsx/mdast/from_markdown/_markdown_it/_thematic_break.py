"""Thematic breaks: markdown-it's rule looks at a line character by character, at each depth anew.

In a line such as ``- - - … a`` that takes long before the line is seen to nest too deep.
"""

from __future__ import annotations

from markdown_it.rules_block import StateBlock

from ujsx.mdast.from_markdown._characters import SPACES

MARKERS = "*-_"
FEWEST = 3


def thematic_break(state: StateBlock, start_line: int, _end_line: int, silent: bool) -> bool:
    """Take a line such as ``* * *``."""
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
