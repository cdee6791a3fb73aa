"""Footnotes (GFM): definitions as containers, calls where a definition exists.

Unlike the plugin of mdit-py-plugins, which numbers the notes and moves them to the document's end,
these rules leave every definition in its place; as on GitHub, continuation lines are indented by
four columns, and labels match as those of links do.
"""

from __future__ import annotations

import re

from markdown_it.rules_block import StateBlock

from ujsx.mdast.from_markdown._characters import decode, identifier

_LABEL = r"\[\^((?:[^\\\[\] \t\n]|\\[\\\[\]]?)++)\]"
_DEFINITION = re.compile(_LABEL + r":[ \t]*")
CALL = re.compile(_LABEL)
"""What a footnote's call looks like; its group is the label."""

INDENT = 4
"""How many columns a continuation line of a footnote's definition is indented by."""


def footnote_definition(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """Take a container such as ``[^label]: content``."""
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
