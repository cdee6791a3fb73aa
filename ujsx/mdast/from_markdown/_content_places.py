"""From an offset in a block's text to a place in the document.

A block's text is its lines without what containers put before them, so that each line's place is known
from where it ends.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from ujsx.mdast._nodes import Point, Position

from ._characters import SPACES
from ._source import Source


class ContentPlaces(NamedTuple):
    """Where the lines of a block's text stand: ``starts`` in the text, ``places`` in the source."""

    source: Source
    starts: list[int]
    places: list[int]

    def position(self, start: int, end: int) -> Position:
        """Return where a part of the text stands; after a line end it ends before any prefix."""
        return Position(self._point(start), self._end(end))

    def _point(self, offset: int) -> Point:
        line = bisect_right(self.starts, offset) - 1
        return self.source.point(self.places[line] + offset - self.starts[line])

    def _end(self, offset: int) -> Point:
        line = bisect_right(self.starts, offset) - 1
        if line and offset == self.starts[line]:
            place = self.places[line]
            return self.source.point(self.source.line_start(place))
        return self._point(offset)


def in_one_line(source: Source, start: int) -> ContentPlaces:
    """Return the places of a text that is one line, from where it starts."""
    return ContentPlaces(source, [0], [start])


def in_lines(source: Source, text: str, last_line: int) -> ContentPlaces:
    """Return the places of a text of whole lines, of which the last is that one, counted from 0."""
    lines = text.split("\n")
    first = last_line - len(lines) + 1
    starts: list[int] = []
    places: list[int] = []
    at = 0
    for number, line in enumerate(lines, first):
        end = source.line_end(number)
        if number == last_line:
            end -= len(source.line(number)) - len(source.line(number).rstrip(SPACES))
        starts.append(at)
        places.append(end - len(line))
        at += len(line) + 1
    return ContentPlaces(source, starts, places)
