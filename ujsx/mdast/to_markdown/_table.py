"""Handlers of tables (GFM 4.10)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import zip_longest

from ujsx.mdast._nodes import AlignType, Node, Table, TableCell, TableRow
from ujsx.text import width

from ._errors import Unwritable
from ._kept import kept
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
    if (as_it_was := kept(node, writing)) is not None:
        return as_it_was
    columns = len(node.children[0].children)
    if len(node.align) != columns:
        raise Unwritable(node, f"it has {columns} columns and {len(node.align)} alignments")
    rows: list[list[str]] = []
    for row in node.children:
        if not row.children:
            raise Unwritable(row, "it has no cells")
        rows.append([cell(child, writing) for child in row.children])
    options = writing.options
    widths = [1] * columns
    if options.table_pipe_align:
        widths = [_width_of(column) for column in zip_longest(*rows, fillvalue="")]
    delimiters = [_delimiter(*pair) for pair in zip(node.align, widths, strict=False)]
    if options.table_pipe_align:
        needed = map(len, delimiters)
        widths = [max(pair) for pair in zip_longest(widths, needed, fillvalue=0)]
        align = (*node.align, *[None] * len(widths))
        rows = [[_aligned(*x) for x in zip(row, align, widths, strict=False)] for row in rows]
        delimiters = [_delimiter(*pair) for pair in zip(node.align, widths, strict=False)]
    padding = " " if options.table_cell_padding else ""
    lines = [_row(row, padding) for row in (rows[0], delimiters, *rows[1:])]
    return "\n".join(lines)


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


def _delimiter(align: AlignType, columns: int) -> str:
    start, end = _DELIMITERS[align]
    return f"{start}{'-' * max(1, columns - len(start) - len(end))}{end}"


def _width_of(column: Iterable[str]) -> int:
    """Return the width of the widest cell of a column that does not stick out."""
    return max([own for own in map(width, column) if own <= MAX_WIDTH], default=1)


def _aligned(content: str, align: AlignType, columns: int) -> str:
    missing = columns - width(content)
    if missing <= 0:
        return content
    if align == "right":
        return " " * missing + content
    if align == "center":
        return content.center(len(content) + missing)
    return content + " " * missing


HANDLERS: dict[type[Node], Handler] = {Table: table, TableRow: table_row, TableCell: cell}
