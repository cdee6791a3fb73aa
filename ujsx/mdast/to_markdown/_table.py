"""Handlers of tables (GFM 4.10)."""

from __future__ import annotations

import re
from itertools import zip_longest

from ujsx.mdast._nodes import AlignType, Node, Table, TableCell, TableRow

from ._characters import display_width
from ._errors import Unwritable
from ._writing import Handler, Writing

_PIPE = re.compile(r"\\?\|")

WIDEST = 200
"""The columns of a screen that a table's column may take and still be aligned. One cell of 20,000
characters would make as many of each cell below it."""

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
    columns = len(node.children[0].children)
    if len(node.align) != columns:
        raise Unwritable(node, f"it has {columns} columns and {len(node.align)} alignments")
    rows: list[list[str]] = []
    for row in node.children:
        if not row.children:
            raise Unwritable(row, "it has no cells")
        rows.append([cell(child, writing) for child in row.children])
    padding = " " if writing.options.table_cell_padding else ""
    if not writing.options.table_pipe_align:
        delimiters = [_delimiter(align, 1) for align in node.align]
    else:
        widths = _widths(rows, node.align)
        align = (*node.align, *[None] * len(widths))
        rows = [[_aligned(*x) for x in zip(row, align, widths, strict=False)] for row in rows]
        delimiters = [_delimiter(*pair) for pair in zip(node.align, widths, strict=False)]
    lines = [_row(row, padding) for row in (rows[0], delimiters, *rows[1:])]
    return "\n".join(lines)


def _widths(rows: list[list[str]], aligns: tuple[AlignType, ...]) -> list[int]:
    """How wide each column is; one that is too wide to be aligned is as narrow as can be."""
    widths: list[int] = []
    for column, align in zip_longest(zip_longest(*rows, fillvalue=""), aligns):
        widest = max(map(display_width, column))
        least = len(_delimiter(align, 1))
        widths.append(least if widest > WIDEST else max(widest, least))
    return widths


def table_row(node: TableRow, writing: Writing) -> str:
    """A row on its own."""
    return _row([cell(child, writing) for child in node.children], " ")


def cell(node: TableCell, writing: Writing) -> str:
    """A cell's phrasing in one line, its pipes escaped."""
    writing.one_line = writing.in_cell = True
    written = writing.content(node.children)
    writing.one_line = writing.in_cell = False
    if "|" in written:
        # Parsers disagree on a backslash before an escaped pipe; a reference is plain to all.
        written = _PIPE.sub(lambda pipe: "\\|" if pipe[0] == "|" else "\\&#x7C;", written)
    return written


def _row(cells: list[str], padding: str) -> str:
    # A backslash right before a pipe would escape it.
    return "|".join(
        ["", *[f"{padding}{c}{padding or (' ' if c.endswith(chr(92)) else '')}" for c in cells], ""]
    )


def _delimiter(align: AlignType, width: int) -> str:
    start, end = _DELIMITERS[align]
    return f"{start}{'-' * max(1, width - len(start) - len(end))}{end}"


def _aligned(content: str, align: AlignType, width: int) -> str:
    width += len(content) - display_width(content)  # Python counts characters
    if align == "right":
        return content.rjust(width)
    return content.center(width) if align == "center" else content.ljust(width)


HANDLERS: dict[type[Node], Handler] = {Table: table, TableRow: table_row, TableCell: cell}
