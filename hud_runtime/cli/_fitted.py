"""Lines that are longer than a terminal is wide: cut, broken or narrowed, and never inside a number."""

from __future__ import annotations

import re
import textwrap
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import groupby

from ujsx.text import width

NARROWEST = 16
"""Columns that text gets at least beside what stands before it."""

CELL = 8
"""Columns that a table's cell keeps at least."""

_NUMERIC = frozenset("0123456789.,:%")
"""What numbers, shares and times of the day are made of."""

_GAP = re.compile(r"\S {2,}(?=\S)")
"""What stands between two columns of a line."""

_EDGE = re.compile(r" (?<!\\)\| ")
"""What stands between two cells of a row; a pipe in a cell is escaped."""

_OF_A_NUMBER = re.compile(r"(?<![\s,;:]) (?=\d[\d.,]*[\])]*(?:[,:]|$))")
"""What stands between a thing and its number in a list, as in "compact/3 41, full 144"."""

_KEPT = "\x1f"
"""What stands there while lines are broken; no text of a terminal has it, as it would be made visible."""

_DELIMITER = re.compile(r"\|(?: :?-+:? \|)+")
"""The second row of a Markdown table, as :func:`ujsx.render` writes it."""


def cut(line: str, columns: int) -> str:
    """Return a line that ends in "…" where it is too long; a number is there as a whole, or not at all.

    >>> cut("context at 86.8%", 14), cut("context at 86.8%", 16)
    ('context at …', 'context at 86.8%')
    """
    if width(line) <= columns:
        return line
    lengths = range(len(line) + 1)
    kept = bisect_right(lengths, max(columns, 1) - 1, key=lambda length: width(line[:length])) - 1
    if line[kept] in _NUMERIC:
        kept = len(line[:kept].rstrip("".join(_NUMERIC)))
    return f"{line[:kept]}…"


def broken(text: str, columns: int, hanging: str = "") -> list[str]:
    """Return a text as lines, broken between words; a word that is too long stays whole.

    :param hanging: what stands before all lines but the first.

    >>> broken("Port 8080 is taken", 12), broken("minimal 6, full 41", 16)
    (['Port 8080 is', 'taken'], ['minimal 6,', 'full 41'])
    """
    if width(text) <= columns:
        return [text]
    lines = textwrap.wrap(
        _OF_A_NUMBER.sub(_KEPT, text),
        columns,
        subsequent_indent=hanging,
        break_on_hyphens=False,
        break_long_words=False,
    )
    return [line.replace(_KEPT, " ") for line in lines] or [""]


def laid_out(text: str, columns: int) -> str:
    r"""Return a report as a terminal of that width has room for it.

    Markdown tables are narrowed, widest column first; of other lines the rest stands below where the line's last
    column begins.

    >>> print(laid_out("section  rung  all of its rungs that there are\n", 32), end="")
    section  rung  all of its rungs
                   that there are
    """
    lines: list[str] = []
    for has_pipe, group in groupby(text.split("\n"), key=lambda line: line.startswith("|")):
        block = [*group]
        if has_pipe and len(block) > 1 and _DELIMITER.fullmatch(block[1]):
            lines += _narrowed(block, columns)
        else:
            for line in block:
                lines += broken(line, columns, " " * _hanging(line, columns))
    return "\n".join(lines)


def in_columns(rows: Sequence[Sequence[str]], columns: int | None) -> Iterator[str]:
    r"""Yield the lines of a table of numbers; the columns for which there is no room follow below, as another.

    :param rows: the header first. The first cell of each names its row.
    :param columns: how much room there is; ``None`` for as much as is needed.

    >>> print(*in_columns([("of", "a", "b"), ("x", "1,000", "2,000")], 9), sep="\n")
    of      a
    x   1,000
    <BLANKLINE>
    of      b
    x   2,000
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    is_first = True
    for chosen in _blocks(widths, columns):
        if not is_first:
            yield ""
        is_first = False
        for row in rows:
            cells = "".join(f"  {row[each]:>{widths[each]}}" for each in chosen)
            yield f"{row[0]:<{widths[0]}}{cells}"


def _blocks(widths: Sequence[int], columns: int | None) -> Iterator[list[int]]:
    """The columns, as many at a time as there is room for beside the first."""
    block: list[int] = []
    room = used = widths[0]
    for place, own in enumerate(widths[1:], start=1):
        if block and columns is not None and used + 2 + own > columns:
            yield block
            block, used = [], room
        block.append(place)
        used += 2 + own
    yield block


def _hanging(line: str, columns: int) -> int:
    """Where the rest of a line stands: below its last column, if there is room, or a little further in."""
    ends = [gap.end() for gap in _GAP.finditer(line)]
    own = len(line) - len(line.lstrip(" ")) + 2
    last = ends[-1] if ends else own
    return last if last + NARROWEST <= columns else min(own, max(columns - NARROWEST, 0))


def _narrowed(table: list[str], columns: int) -> list[str]:
    if len(table[1]) <= columns:
        return table
    rows = [_EDGE.split(row[2:-2]) for row in table]
    room = [len(dashes) for dashes in rows[1]]
    spare = columns - (len(table[1]) - sum(room))
    fitting = (n for n in range(max(room), CELL, -1) if sum(min(n, own) for own in room) <= spare)
    widest = next(fitting, CELL)
    room = [min(widest, own) for own in room]
    rows[1] = [f"{own[:1]}{'-' * (n - 2)}{own[-1:]}" for own, n in zip(rows[1], room, strict=True)]
    lines = ([_cell(*pair) for pair in zip(row, room, strict=True)] for row in rows)
    return [f"| {' | '.join(line)} |" for line in lines]


def _cell(cell: str, columns: int) -> str:
    """A cell as wide as it is to be, where it stood; code that is cut ends as code."""
    text = cell.strip(" ")
    if width(text) > columns:
        is_code = text.startswith("`") and text.endswith("`")
        text = f"{cut(text[:-1], columns - 1)}`" if is_code else cut(text, columns)
    missing = " " * (columns - width(text))
    return f"{missing}{text}" if cell.startswith(" ") else f"{text}{missing}"
