"""How far a long task has come: one line on standard error, for who sits at a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TextIO, TypeVar

ThingT = TypeVar("ThingT")

PATIENCE = 0.5
"""Seconds before the first word: what is done by then needs none."""

PAUSE = 0.1
"""Seconds between two of them."""

_BACK = "\r\x1b[K"
"""To the line's beginning, and clears it (ECMA-48, ``EL``)."""


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
    stream = sys.stderr if stream is None else stream
    if stream is None or not stream.isatty():  # there is none behind a closed descriptor
        yield from things
        return
    of = "" if total is None else f" of {total:,}"
    next_word, has_spoken = time.monotonic() + PATIENCE, False
    try:
        for count, thing in enumerate(things, start=1):
            yield thing
            if time.monotonic() >= next_word:
                print(f"{_BACK}{doing}: {count:,}{of}", end="", file=stream, flush=True)
                next_word, has_spoken = time.monotonic() + PAUSE, True
    finally:
        if has_spoken:
            print(_BACK, end="", file=stream, flush=True)
