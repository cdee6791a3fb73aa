"""Footnotes (GFM): definitions as containers, calls where a definition exists.

Unlike the plugin of mdit-py-plugins, which numbers the notes and moves them to the document's end,
these rules leave every definition in its place; as on GitHub, continuation lines are indented by
four columns, and labels match as those of links do.
"""

from __future__ import annotations

import re

from markdown_it.rules_block import StateBlock

from .._characters import decode, identifier

_LABEL = r"\[\^((?:[^\\\[\] \t\n]|\\[\\\[\]]?)++)\]"
_DEFINITION = re.compile(_LABEL + r":[ \t]*")
CALL = re.compile(_LABEL)
"""What a footnote's call looks like; its group is the label."""

INDENT = 4
"""How many columns a continuation line of a footnote's definition is indented by."""


def footnote_definition(state: StateBlock, startLine: int, endLine: int, silent: bool) -> bool:
    """Take a container such as ``[^label]: content``."""
    start = state.bMarks[startLine] + state.tShift[startLine]
    if state.src[start] != "[" or state.is_code_block(startLine):
        return False
    match = _DEFINITION.match(state.src, start, state.eMarks[startLine])
    if match is None:
        return False
    if silent:
        return True
    key = identifier(match[1])
    state.env["footnotes"].add(key)
    token = state.push("footnote_open", "", 1)
    token.meta = {"start": start, "identifier": key, "label": decode(match[1])}

    # The first line's content starts after the label, as if it stood at the container's indent.
    line = (state.bMarks[startLine], state.tShift[startLine], state.sCount[startLine])
    outer = (state.blkIndent, state.parentType)
    state.blkIndent += INDENT
    state.parentType = "footnote"
    state.bMarks[startLine], state.tShift[startLine] = match.end(), 0
    state.sCount[startLine] = state.blkIndent
    state.md.block.tokenize(state, startLine, endLine)
    state.bMarks[startLine], state.tShift[startLine], state.sCount[startLine] = line
    state.blkIndent, state.parentType = outer

    state.push("footnote_close", "", -1)
    token.map = [startLine, max(state.line, startLine + 1)]
    state.line = token.map[1]
    return True
