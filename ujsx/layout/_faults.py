"""What is wrong with a layout, and where: from a place in a scanned text to a line and a column.

A scanner raises a :class:`Fault` at an offset of the text that it scans. Who called it knows where
that text stood, and makes a ``LayoutError`` of it.
"""

from __future__ import annotations

from ujsx.errors import LayoutError, UjsxError
from ujsx.mdast.from_markdown._source import Source
from ujsx.text._lines import visible

WIDTH = 80
"""Columns of a source line that an error shows at most."""


class Fault(Exception):  # noqa: N818 - it becomes a LayoutError before anyone sees it
    """Something that a scanner cannot take, at an offset of what it scans.

    ``incomplete`` says that the text ended too soon: with more lines it may become right.
    """

    def __init__(self, message: str, at: int, *, incomplete: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.at = at
        self.incomplete = incomplete


class Faults:
    """What is wrong with a layout: the first mistake is raised, or all are gathered.

    Who gathers goes on after a mistake as if it were the nearest thing that would be right.
    """

    def __init__(self, source: Source, *, gathers: bool = False) -> None:
        self.source = source
        self.gathers = gathers
        self.found: list[LayoutError] = []

    def add(self, message: str, offset: int, cause: UjsxError | None = None) -> None:
        """Tell of a mistake at an offset of the source.

        :param cause: the error that says what is wrong, where there is one.
        :raises LayoutError: unless mistakes are gathered.
        """
        error = layout_error(self.source, message, offset)
        if not self.gathers:
            raise error from cause
        error.__cause__ = cause
        self.found.append(error)

    def in_order(self) -> list[LayoutError]:
        """Return the mistakes in the order of the document, each once."""
        distinct = {(each.line, each.column, each.message): each for each in self.found}
        return sorted(distinct.values(), key=lambda each: (each.line or 0, each.column or 0))


def layout_error(source: Source, message: str, offset: int) -> LayoutError:
    """Return the error for what stands at ``offset`` of a source."""
    point = source.point(min(offset, len(source.text)))
    return LayoutError(
        message,
        line=point.line,
        column=point.column,
        excerpt=_excerpt(source.line(point.line - 1), point.column - 1),
    )


def _excerpt(line: str, column: int) -> str:
    """A source line with a caret under one of its characters; of a long one, what is around it."""
    first = max(0, min(column - WIDTH // 2, len(line) - WIDTH))
    part = line[first : first + WIDTH].replace("\t", " ")
    before = "…" if first else ""
    after = "…" if first + WIDTH < len(line) else ""
    caret = " " * (len(before) + column - first) + "^"
    return f"  {before}{visible(part)}{after}\n  {caret}"
