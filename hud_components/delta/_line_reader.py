"""Renderings read into lines, piece by piece: what was read the last time is not read again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from hud_components.delta._lines import ReadLine, is_heading, lines_in, lines_of, plain, under
from ujsx import Rendered, mdast

_JOINS = re.compile(r"^ {0,3}(?:\[[^\]\n]+\]:|<(?!!--[^>\n]*-->$))", re.MULTILINE)
"""What tells of other parts of a text, or takes them in: definitions, and HTML that may not end."""


class _Chunk(NamedTuple):
    """What was read of a part of a text that begins behind a blank line."""

    lines: tuple[ReadLine, ...]

    bare: int
    """How many of them stand under the heading that ends what is before it."""

    heading: str
    """The heading that ends it."""


class LineReader:
    """Reads the lines of renderings, and keeps those of the texts that it read last.

    What it reads is what :func:`lines_of` reads of the whole. It is not to be shared between threads.
    """

    __slots__ = ("_before", "_now")

    def __init__(self) -> None:
        self._now: dict[tuple[str, int], _Chunk] = {}
        self._before: dict[tuple[str, int], _Chunk] = {}

    def turn(self) -> None:
        """Begin to read another rendering: what is not read again until the next one is forgotten."""
        self._before, self._now = self._now, {}

    def alone(self, text: str) -> list[ReadLine]:
        """Return the lines of a text without a title of its own."""
        return [*self._read(text, 0).lines]

    def whole(self, rendered: Rendered) -> list[ReadLine]:
        """Return the lines of a rendering."""
        text = rendered.text
        return lines_of(text) if _JOINS.search(text) else [*self._by_chunk(text, _starts(rendered))]

    def _by_chunk(self, text: str, starts: list[int]) -> Iterator[ReadLine]:
        above, first = "", 1
        for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
            chunk = self._read(text[start:end], first)
            for number, each in enumerate(chunk.lines):
                line = under(each, above) if above and number < chunk.bare else each
                yield line._replace(offset=start + each.offset)
            above, first = chunk.heading, 0

    def _read(self, text: str, first: int) -> _Chunk:
        """What a part of a text says; its first blocks may be the title of the whole."""
        key = text, first
        chunk = self._now.get(key) or self._before.get(key)
        if chunk is None:
            blocks = mdast.from_markdown(text).children
            bare = len([*lines_in(blocks[:1], 0)])
            last = blocks[-1] if len(blocks) > first else None
            heading = plain(last) if is_heading(last) else ""
            chunk = _Chunk(tuple(lines_in(blocks, first)), bare, heading)
        self._now[key] = chunk
        return chunk


def _starts(rendered: Rendered) -> list[int]:
    """Where parts of a rendering begin that are blocks by themselves."""
    text = rendered.text
    starts = {node.start for node in rendered.nodes if text.startswith("\n\n", node.start)}
    return sorted({0, *starts})
