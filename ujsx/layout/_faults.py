"""The faults of a layout, and their places: from a place in a scanned text to a line and a column.

A scanner raises a :class:`Fault` at an offset of the text that it scans. Who called it knows where
that text stood, and makes a ``LayoutError`` of it.
"""

from __future__ import annotations

from bisect import bisect_right
from operator import itemgetter

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
    """The faults of a layout: the first is raised, or all are gathered.

    Who gathers goes on after a mistake as if it were the nearest thing that would be right.
    """

    def __init__(self, source: Source, *, gathers: bool = False) -> None:
        self.source = source
        self.gathers = gathers
        self.found: list[LayoutError] = []
        self._unjudged: list[tuple[int, int, LayoutError]] = []
        """Parts of the source by their ends, and the one mistake in each that is told."""

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

    def add_whole(self, message: str, start: int, end: int) -> None:
        """Tell of a mistake that makes a whole part of the source wrong: no other in it is told.

        :raises LayoutError: unless mistakes are gathered.
        """
        if not self._unjudged or start >= self._unjudged[-1][1]:
            self.add(message, start)
            self._unjudged.append((start, end, self.found[-1]))

    def in_order(self) -> list[LayoutError]:
        """Return the mistakes in the order of the document, each once."""
        told = [each for each in self.found if not self._is_unjudged(each)]
        distinct = {(each.line, each.column, each.message): each for each in told}
        return sorted(distinct.values(), key=lambda each: (each.line or 0, each.column or 0))

    def _is_unjudged(self, error: LayoutError) -> bool:
        at = self.source.starts[(error.line or 1) - 1] + (error.column or 1) - 1
        place = bisect_right(self._unjudged, at, key=itemgetter(0)) - 1
        return (
            place >= 0 and at < self._unjudged[place][1] and error is not self._unjudged[place][2]
        )


def layout_error(source: Source, message: str, offset: int) -> LayoutError:
    """Return the error for what stands at ``offset`` of a source."""
    point = source.point(min(offset, len(source.text)))
    return LayoutError(
        message,
        line=point.line,
        column=point.column,
        excerpt=_excerpt(source, point.line - 1, point.column - 1),
    )


def _excerpt(source: Source, line: int, column: int) -> str:
    """A source line with a caret under one of its characters; of a long one, what is around it."""
    start, end = source.starts[line], source.line_end(line)
    first = max(0, min(column - WIDTH // 2, end - start - WIDTH))
    part = source.text[start + first : min(start + first + WIDTH, end)].replace("\t", " ")
    before = "…" if first else ""
    after = "…" if first + WIDTH < end - start else ""
    caret = " " * (len(before) + column - first) + "^"
    return f"  {before}{visible(part)}{after}\n  {caret}"
