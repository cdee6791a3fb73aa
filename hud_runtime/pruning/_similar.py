"""Lines that say the same with other numbers: runs of them, also of several lines that come again and again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hud_runtime.pruning._keys import LOOKED_AT

PERIODS = 6
"""Lines that a group has at most which comes again."""

SHOWN = 3
"""Groups of a run that stay at its beginning; one stays at its end."""

_SHAPE = re.compile(
    r"(?P<path>(?<![\w.@~/\\-])(?:[A-Za-z]:)?[\w.@~-]*+[/\\][\w.@~/\\+-]++)|(?P<hash>\b(?=[a-f]*+\d)[\da-f]{7,}+\b)|(?P<text>\"[^\"\n]*+\"|'[^'\n]*+')|(?P<number>\d++(?:[.,:]\d++)*+)"
    r"|(?P<bar>[=#.\-*━█▓▒░>]{3,}+)|(?P<space>[ \t]{2,}+)"
)
"""What may differ in lines that are alike: paths, hashes, quoted texts, numbers, progress bars."""


def shape(line: str) -> str:
    """Return a line without what differs in lines that are alike.

    One that has no words beside that, a row of figures or a path alone, is like none but itself.

    >>> shape("Copied src/a.py (12 KB)") == shape("Copied lib/b.py (340 KB)")
    True
    """
    bare = line[:LOOKED_AT].strip()
    made = _SHAPE.sub(_kind, bare)
    return made if _WORD.search(_SHAPE.sub("", bare)) else bare


_WORD = re.compile(r"[^\W\d_]{3}")
"""Three letters: a word."""


def _kind(match: re.Match[str]) -> str:
    return f"<{match.lastgroup}>"


def runs(lines: Sequence[str], least: int, taken: Sequence[bool]) -> Iterator[range]:
    """Yield the runs of lines that can go because those before and behind them are alike.

    :param least: how many lines alike there must be.
    :param taken: which lines are none of it, as they stay whatever stands around them.

    >>> lines = [f"copied {n}.txt" for n in range(20)] + ["done"]
    >>> [*runs(lines, 8, [False] * 21)]
    [range(3, 19)]
    """
    shapes = [
        None if is_taken else shape(line) for line, is_taken in zip(lines, taken, strict=True)
    ]
    place = 0
    alike = [_repeats(shapes, period) for period in range(1, PERIODS + 1)]
    while place < len(lines):
        for period, ends in enumerate(alike, start=1):
            end = ends[place]
            if end - place >= max(least, (SHOWN + 2) * period):
                whole = place + (end - place) // period * period
                yield range(place + SHOWN * period, whole - period)
                place = whole
                break
        else:
            place += 1


def _repeats(shapes: Sequence[str | None], period: int) -> list[int]:
    """For each line, where what begins there stops coming again after so many lines."""
    ends = [0] * len(shapes)
    end = len(shapes)
    for place in range(len(shapes) - 1, -1, -1):
        behind = place + period
        if shapes[place] is None:
            end = place
        elif behind >= len(shapes) or shapes[behind] is None or shapes[place] != shapes[behind]:
            end = min(behind, len(shapes)) if behind <= len(shapes) else place + 1
            if None in shapes[place : min(behind, len(shapes))]:
                end = place + 1
        ends[place] = max(end, place + 1)
    return ends
