"""Tables: rows of cells, whose text is phrasing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from markdown_it.token import Token

from ujsx.mdast._nodes import Table, TableCell, TableRow

from ._characters import SPACES
from ._content_places import in_one_line
from ._markdown_it._table import Cell
from ._phrasing import phrasing

if TYPE_CHECKING:
    from ._builder import Builder


def table(builder: Builder, token: Token) -> Table:
    """Return a table; a row has the cells that were written, be they fewer or more than the head's."""
    rows = tuple(_row(builder, cells) for cells in token.meta["rows"])
    return Table(tuple(token.meta["align"]), rows, position=builder.position(token))


def _row(builder: Builder, cells: list[Cell]) -> TableRow:
    return TableRow(
        tuple(_cell(builder, cell) for cell in cells),
        position=builder.source.position(cells[0].start, cells[-1].end),
    )


def _cell(builder: Builder, cell: Cell) -> TableCell:
    tokens = builder.inline_tokens(cell.text)
    for token in tokens:
        if token.type == "code_inline" or token.type in builder.build:
            token.content = _ESCAPED_PIPE.sub(r"\1", token.content)
    position = builder.source.position(cell.start, cell.end)
    locate = None
    if builder.places:
        text = builder.source.text
        start = cell.start + (text[cell.start] == "|")
        while start < cell.end and text[start] in SPACES:
            start += 1
        locate = in_one_line(builder.source, start).position
    children = phrasing(tokens, line=position.start.line, locate=locate, build=builder.build)
    return TableCell(tuple(children), position=position)


_ESCAPED_PIPE = re.compile(r"(\\\\)|\\(?=\|)")
"""A backslash before a pipe is the table's, even in code; a pair of them escapes nothing there."""
