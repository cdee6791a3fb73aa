"""How a snapshot differs from a rendering, line by line, as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

CONTEXT_LINES = 2
"""How many unchanged lines stand around a change."""

_TRAILING: dict[int, str] = {ord(" "): "·", ord("\t"): "→"}
"""What shows white space at the end of a changed line."""


def difference(before: str, after: str) -> str:
    r"""Return what became of ``before``: ``-`` was there, ``+`` is there, ``…`` is left out.

    >>> print(difference("# Notes\n\n- one\n- two\n", "# Notes\n\n- one\n- three \n"))
      …
    <BLANKLINE>
      - one
    - - two
    + - three·
    """
    return "\n".join(line.rstrip() for line in _changes(_lines(before), _lines(after)))


def _changes(before: list[str], after: list[str]) -> Iterator[str]:
    shown_to = 0
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for group in matcher.get_grouped_opcodes(CONTEXT_LINES):
        if group[0][1] > shown_to:
            yield "  …"
        for kind, start, end, new_start, new_end in group:
            if kind == "equal":
                yield from (f"  {line}" for line in before[start:end])
            else:
                yield from (f"- {_with_visible_end(line)}" for line in before[start:end])
                yield from (f"+ {_with_visible_end(line)}" for line in after[new_start:new_end])
        shown_to = group[-1][2]
    if 0 < shown_to < len(before):
        yield "  …"


def _lines(text: str) -> list[str]:
    """The lines of a text; the last says so if no newline ends it."""
    *lines, rest = text.split("\n")
    return [*lines, f"{rest} (no newline at the end)"] if rest else lines


def _with_visible_end(line: str) -> str:
    text = line.rstrip(" \t")
    return text + line[len(text) :].translate(_TRAILING)
