"""The extras of a terminal: bold words, lines that fit, news of long tasks."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TextIO, TypeVar

from hud_runtime.cli._fitted import NARROWEST, broken, cut, laid_out
from hud_runtime.cli._pager import screen

PLAIN_WIDTH = 80
"""Columns of what is laid out for no terminal in particular."""


@dataclass(frozen=True, slots=True)
class Style:
    """The abilities of a terminal: ANSI's bold and dim, and its number of columns.

    >>> Style(colour=False, width=80).bold("HUD")
    'HUD'
    """

    colour: bool
    width: int
    wraps: bool = False
    """Whether lines that are too long are broken here; what reads a pipe gets them whole."""

    def bold(self, text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if self.colour else text

    def dim(self, text: str) -> str:
        return f"\x1b[2m{text}\x1b[0m" if self.colour else text

    def fitting(self, line: str) -> str:
        """Return a line of a table, cut where the terminal ends; what reads a pipe gets it whole.

        >>> Style(colour=False, width=6, wraps=True).fitting("Port 8080")
        'Port …'
        """
        return cut(line, self.width) if self.wraps else line

    def broken(self, text: str, indent: int = 0) -> list[str]:
        """Return the lines of a text that begins in a column; what reads a pipe gets one.

        >>> Style(colour=False, width=24, wraps=True).broken("Port 8080 is taken", 8)
        ['Port 8080 is', 'taken']
        """
        return broken(text, max(self.width - indent, NARROWEST)) if self.wraps else [text]

    def report(self, text: str) -> str:
        """Return a text with its tables, laid out for the terminal; what reads a pipe gets it as it is."""
        return laid_out(text, self.width) if self.wraps else text

    def quoted(self, text: str) -> str:
        r"""Return ``text`` set off from what is said about it.

        >>> Style(colour=False, width=80).quoted("# HUD\n\nText\n")
        '    # HUD\n\n    Text\n'
        """
        margin = self.dim("  │ ") if self.colour else "    "
        lines = (piece for line in text.splitlines() for piece in self._broken(line))
        return "".join(f"{margin}{line}".rstrip() + "\n" for line in lines)

    def _broken(self, line: str) -> list[str]:
        if not self.wraps:
            return [line]
        indent = " " * (len(line) - len(line.lstrip(" ")) + 2)
        return textwrap.wrap(
            line, max(self.width - 4, 20), subsequent_indent=indent, break_on_hyphens=False
        ) or [""]


def style_for(stream: TextIO | None = None, environ: Mapping[str, str] | None = None) -> Style:
    """Return the style that fits ``stream``: standard output when ``None``.

    Only a terminal gets ANSI codes, and none if ``NO_COLOR`` is set or ``TERM`` is ``dumb``.
    """
    stream = sys.stdout if stream is None else stream
    environ = os.environ if environ is None else environ
    if stream is None or not stream.isatty():  # there is none behind a closed descriptor
        return Style(colour=False, width=PLAIN_WIDTH)
    colour = not environ.get("NO_COLOR") and environ.get("TERM") not in (None, "", "dumb")
    return Style(colour, shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns, wraps=True)


def _is_drawn_on() -> bool:
    """Whether a pager has the terminal."""
    shown = screen()
    return shown is not None and shown.is_drawing


ThingT = TypeVar("ThingT")

PATIENCE = 0.5
"""Seconds before the first word: what is done by then needs none."""

PAUSE = 0.1
"""Seconds between two of them."""

_BACK = "\r\x1b[K"
"""To the line's beginning, and clears it (ECMA-48, ``EL``)."""

_standing: TextIO | None = None
"""The terminal on which a word stands that is to be cleared."""


def hush() -> None:
    """Clear what is said of a long task, for something else to be written; it is said again later."""
    global _standing  # noqa: PLW0603  # a process has one terminal
    if _standing is not None:
        print(_BACK, end="", file=_standing, flush=True)
        _standing = None


def told(
    things: Iterable[ThingT], doing: str, total: int | None = None, stream: TextIO | None = None
) -> Iterator[ThingT]:
    """Yield the things, and say meanwhile how many have been.

    :param doing: what is done with them, such as ``"exporting events"``.
    :param total: how many there will be, where that is known.
    :param stream: the terminal, standard error when ``None``; what is none is told nothing.

    >>> [*told([1, 2], "counting")]
    [1, 2]
    """
    global _standing  # a process has one terminal
    stream = sys.stderr if stream is None else stream
    if stream is None or not stream.isatty():  # there is none behind a closed descriptor
        yield from things
        return
    of = "" if total is None else f" of {total:,}"
    next_word = time.monotonic() + PATIENCE
    try:
        for count, thing in enumerate(things, start=1):
            yield thing
            if time.monotonic() >= next_word and not _is_drawn_on():
                print(f"{_BACK}{doing}: {count:,}{of}", end="", file=stream, flush=True)
                next_word, _standing = time.monotonic() + PAUSE, stream
    finally:
        hush()
