"""The inverse of ``format_text``: what a text of the table was filled in with."""

from __future__ import annotations

import re
from functools import lru_cache
from string import Formatter

from hud_components.words._texts import counted, format_text
from ujsx import RenderContext

NUMBER = r"\d+"
"""Reads a count."""

WORD = ".+?"
"""Reads any text, as little of it as possible."""


def parse_text(ctx: RenderContext, name: str, text: str, **patterns: str) -> dict[str, str] | None:
    """Return what ``format_text`` was given to make ``text``, or ``None`` if it did not make it.

    :param patterns: by value, what it looks like (a regular expression); any text when not given.

    >>> parse_text(RenderContext(), "more", "… 7 more notes", count=NUMBER)
    {'count': '7', 'noun': 'notes'}
    """
    match = _pattern(format_text(ctx, name), tuple(patterns.items())).fullmatch(text)
    return None if match is None else match.groupdict()


def parse_count(
    ctx: RenderContext, kind: str, text: str, name: str = "count", **patterns: str
) -> dict[str, int] | None:
    """Return the numbers that ``counted`` was given to make ``text``, or ``None``.

    >>> parse_count(RenderContext(), "days", "… 7 more days", "more")
    {'count': 7}
    >>> parse_count(RenderContext(), "hours", "… 7 more days", "more")
    """
    read = parse_text(ctx, name, text, count=NUMBER, **patterns)
    if read is None:
        return None
    numbers = {key: int(value) for key, value in read.items() if key != "noun"}
    others = {key: value for key, value in numbers.items() if key != "count"}
    is_same = counted(ctx, kind, numbers.get("count", 0), name, **others) == text
    return numbers if is_same else None


@lru_cache(maxsize=256)
def _pattern(source: str, patterns: tuple[tuple[str, str], ...]) -> re.Pattern[str]:
    known = dict(patterns)
    parts: list[str] = []
    seen: set[str] = set()
    for literal, name, _, _ in Formatter().parse(source):
        parts.append(re.escape(literal))
        if name is not None:
            again = name in seen
            parts.append(f"(?P={name})" if again else f"(?P<{name}>{known.get(name, WORD)})")
            seen.add(name)
    return re.compile("".join(parts), re.DOTALL)
