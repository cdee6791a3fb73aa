r"""Tables (GFM).

markdown-it's rule pads short rows, drops cells beyond the head's, resolves ``\|`` before the
inline rules see it, and wants a ``|`` in the head. Here a row has the cells that were written,
with their source as it stands and where it stood.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from markdown_it.rules_block import StateBlock

from ujsx.mdast.from_markdown._characters import SPACES

_DELIMITER_ROW = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*\Z")
_CELL = re.compile(r"(?:[^|\\]|\\[|\\]?)+")
_ALIGN = {(True, True): "center", (True, False): "left", (False, True): "right"}


class Cell(NamedTuple):
    """A cell's source without its edge white space, and the offsets between which it stood."""

    text: str
    start: int
    end: int


def table(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """Take a head, a row of delimiters such as ``|:-|-:|``, and the rows under them."""
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
    if len(head) != len(align) or _is_lone_pipe(head):
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


def _is_lone_pipe(head: list[Cell]) -> bool:
    return len(head) == 1 and head[0].end - head[0].start == 1 and not head[0].text


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
