"""The origins of scanned texts: they come without the prefixes of the containers around them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ujsx.mdast.from_markdown._characters import SPACES
from ujsx.mdast.from_markdown._source import Source

if TYPE_CHECKING:
    from markdown_it.token import Token


@dataclass(frozen=True, slots=True)
class Origin:
    """The places of a scanned text's lines in the source."""

    text: Sequence[int]
    """The offset of each line in the scanned text."""
    source: Sequence[int]
    """The offset of each line in the source."""

    def offset(self, at: int) -> int:
        """Return where a character of the scanned text stood in the source.

        >>> Origin((0, 2), (4, 10)).offset(3)
        11
        """
        line = bisect_right(self.text, at) - 1
        return max(self.source[line] + at - self.text[line], 0)


def origins(tokens: Iterable[Token], source: Source) -> Iterator[Origin]:
    """Yield where each text stood that the inline parser will be given, in that order."""
    for token in tokens:
        if token.type == "table":
            for row in token.meta["rows"]:
                for cell in row:
                    yield Origin((0,), (source.text.find(cell.text, cell.start, cell.end),))
        elif token.type in ("paragraph", "heading"):
            assert token.map is not None
            lines = token.content.split("\n")
            numbers = range(token.map[0], token.map[0] + len(lines))
            starts = [
                source.starts[number] + _column(line, source.line(number))
                for line, number in zip(lines, numbers, strict=True)
            ]
            yield Origin(line_offsets(lines), starts)


def line_offsets(lines: Iterable[str]) -> list[int]:
    """Return where each line begins in the text of them all.

    >>> line_offsets(["ab", "", "c"])
    [0, 3, 4]
    """
    offsets: list[int] = []
    at = 0
    for line in lines:
        offsets.append(at)
        at += len(line) + 1
    return offsets


def _column(text: str, line: str) -> int:
    """Where a block's text begins in its source line: it is the line's end, but for a heading."""
    core, line = text.strip(SPACES), line.rstrip(SPACES)
    column = len(line) - len(core) if line.endswith(core) else line.find(core)
    return column - (len(text) - len(text.lstrip(SPACES)))
