r"""A Markdown text made ready for a tokenizer, and the way back to places in the original.

Tokenizers want ``\n`` as the only line end, and CommonMark asks for U+FFFD in place of U+0000.
:class:`Source` does that to a text, and turns an offset in the result into a ``Point`` of the
original.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from ujsx.mdast._nodes import Point, Position

_LINE_END = re.compile(r"\r\n?|\n")


class Source:
    r"""A text as tokenizers read it.

    A byte-order mark at the start is no part of the document: it is dropped, and offsets count
    from what follows it.

    >>> source = Source("a\r\n\0")
    >>> source.text
    'a\n\ufffd'
    >>> source.point(2)
    Point(line=2, column=1, offset=3)
    """

    def __init__(self, original: str) -> None:
        text = original.removeprefix("\ufeff")
        self._original_starts: list[int] | None = None
        if "\r" in text:
            self._original_starts = _line_starts(text)
            text = _LINE_END.sub("\n", text)
        self.text = text.replace("\0", "\ufffd")

    @cached_property
    def starts(self) -> list[int]:
        """The offset at which each line of ``text`` starts."""
        return _line_starts(self.text)

    def point(self, offset: int) -> Point:
        """Return the place of a character of ``text`` in the original."""
        line = bisect_right(self.starts, offset)
        column = offset - self.starts[line - 1]
        if self._original_starts is not None:
            offset = self._original_starts[line - 1] + column
        return Point(line, column + 1, offset)

    def position(self, start: int, end: int) -> Position:
        """Return the place of ``text[start:end]`` in the original."""
        return Position(self.point(start), self.point(end))

    def line(self, line: int) -> str:
        """Return a line of ``text`` without its end."""
        return self.text[self.starts[line] : self.line_end(line)]

    def line_start(self, offset: int) -> int:
        """Return where the line of a character starts."""
        return self.starts[bisect_right(self.starts, offset) - 1]

    def line_number(self, offset: int) -> int:
        """Return the line of a character, counted from 0."""
        return bisect_right(self.starts, offset) - 1

    def line_end(self, line: int) -> int:
        """Return the offset at which a line ends; lines count from 0, as tokens count them."""
        starts = self.starts
        return starts[line + 1] - 1 if line + 1 < len(starts) else len(self.text)


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in _LINE_END.finditer(text))]


_FRONT_MATTER = re.compile(r"---[ \t]*\n(?:(.*?)\n)??---[ \t]*(?:\n|\Z)", re.DOTALL)


def match_front_matter(text: str) -> re.Match[str] | None:
    r"""Match front matter at the start of a text; group 1 is its content, ``None`` when empty.

    >>> match_front_matter("---\na: 1\n---\ntext")[1]
    'a: 1'
    """
    return _FRONT_MATTER.match(text)


MAX_DEPTH = 150
"""Containers within containers, and spans within spans, before a document is refused.

Tokenizers and everything that walks a tree call themselves once or twice for each level; this
many levels stay clear of Python's default recursion limit (1,000 calls) with room for the caller.
"""
