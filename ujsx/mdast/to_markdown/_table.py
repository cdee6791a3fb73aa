"""Handlers of tables (GFM 4.10)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import zip_longest

from ujsx.mdast._nodes import AlignType, Node, Table, TableCell, TableRow
from ujsx.text import width

from ._errors import Unwritable
from ._state import Handler, Writing

MAX_WIDTH = 120
"""The widest cell that others are padded to. One that is wider sticks out of its column; else one
long cell would make every row as long as itself."""

_PIPE = re.compile(r"\\?\|")

_DELIMITERS: dict[AlignType, tuple[str, str]] = {
    None: ("", ""),
    "left": (":", ""),
    "right": ("", ":"),
    "center": (":", ":"),
}
"""The ends of a column's delimiter."""


def table(node: Table, writing: Writing) -> str:
    """Rows between pipes; the second line says how columns are aligned."""
    if not node.children or not node.children[0].children:
        raise Unwritable(node, "it has no head")
    count = len(node.children[0].children)
    align = node.align
    if len(align) != count:
        if writing.mend is None:
            raise Unwritable(node, f"it has {count} columns and {len(align)} alignments")
        align = (*align, *[None] * count)[:count]
    rows: Sequence[Sequence[str]] = writing.known_each(node.children, _cells)
    options = writing.options
    delimiters = [_delimiter(each, 1) for each in align]
    if options.table_pipe_align:
        cells: list[tuple[str | None, ...]] = [*zip_longest(*rows)]
        least = [*map(len, delimiters), *[0] * len(cells)]
        aligns = (*align, *[None] * len(cells))
        padded = [_padded(*x) for x in zip(cells, aligns, least, strict=False)]
        columns = [column for column, _ in padded]
        rows = [[c for c in row if c is not None] for row in zip(*columns, strict=True)]
        delimiters = [_delimiter(*x) for x in zip(align, [w for _, w in padded], strict=False)]
    padding = " " if options.table_cell_padding else ""
    lines = [_row(row, padding) for row in (rows[0], delimiters, *rows[1:])]
    return "\n".join(lines)


def _cells(row: TableRow, writing: Writing) -> list[str]:
    if not row.children and writing.mend is None:
        raise Unwritable(row, "it has no cells")
    return [cell(child, writing) for child in row.children] or [""]


def table_row(node: TableRow, writing: Writing) -> str:
    """A row on its own."""
    return _row([cell(child, writing) for child in node.children], " ")


def cell(node: TableCell, writing: Writing) -> str:
    """A cell's phrasing in one line, its pipes escaped; of its canonical form alone, where it has to be."""
    depth = writing.depth
    try:
        return _cell(node, writing)
    except Unwritable:
        if writing.mend is None:
            raise
    table = writing.mended(writing.mend((Table((None,), (TableRow((node,)),)),)), depth)
    return _cell(table.children[0].children[0], writing)


def _cell(node: TableCell, writing: Writing) -> str:
    writing.one_line = writing.in_cell = True
    written = writing.content(node.children)
    writing.one_line = writing.in_cell = False
    if "|" in written:
        # Parsers disagree on a backslash before an escaped pipe; a reference is plain to all.
        written = _PIPE.sub(lambda pipe: "\\|" if pipe[0] == "|" else "\\&#x7C;", written)
    return written


def _row(cells: Sequence[str], padding: str) -> str:
    if padding:
        return f"| {' | '.join(cells)} |"
    # A backslash right before a pipe would escape it.
    return "|".join(["", *[f"{c} " if c.endswith("\\") else c for c in cells], ""])


def _delimiter(align: AlignType, columns: int) -> str:
    start, end = _DELIMITERS[align]
    return f"{start}{'-' * max(1, columns - len(start) - len(end))}{end}"


def _padded(
    column: Sequence[str | None], align: AlignType, least: int
) -> tuple[list[str | None], int]:
    """Return the cells of a column as wide as the widest that does not stick out, and that width.

    ``None`` stays for a row that ends before it.
    """
    own = [width(each) if each else 0 for each in column]
    columns = max([least, *[each for each in own if each <= MAX_WIDTH]])
    pad = _PADS[align]
    return [
        each if each is None or columns <= wide else pad(each, len(each) + columns - wide)
        for each, wide in zip(column, own, strict=True)
    ], columns


_PADS: dict[AlignType, Callable[[str, int], str]] = {
    None: str.ljust,
    "left": str.ljust,
    "right": str.rjust,
    "center": str.center,
}
"""The padding of a cell, by its column's alignment."""


HANDLERS: dict[type[Node], Handler] = {Table: table, TableRow: table_row, TableCell: cell}
