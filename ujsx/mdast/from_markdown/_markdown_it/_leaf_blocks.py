"""Blocks without blocks in them, where markdown-it's rules differ from CommonMark's: HTML, ATX headings,
thematic breaks.

- HTML: where a lone tag ends a quote, an item or a table. A tag that is alone on its line and names
  no block (``<b>``) goes on with a paragraph, even one in a container that the line is no part of
  (CommonMark 4.6). GitHub's reader sees a block there, behind the container.
- Headings: markdown-it trims all of Unicode's white space, CommonMark spaces and tabs.
- Thematic breaks: markdown-it looks at a line character by character, at each depth anew. In a line
  such as ``- - - … a`` that takes long before the line is seen to nest too deep.
"""

from __future__ import annotations

import re

from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.html_block import HTML_SEQUENCES
from markdown_it.rules_block.html_block import html_block as markdown_its_rule

from ujsx.mdast.from_markdown._characters import SPACES

_STARTS = tuple(
    re.compile(start.pattern.replace(r"\s", "[ \t]"), start.flags) for start, _, _ in HTML_SEQUENCES
)
"""How HTML starts; Python's white space is more than CommonMark's."""
_LONE_TAG = _STARTS[-1]


def html_block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """Take raw HTML."""
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
