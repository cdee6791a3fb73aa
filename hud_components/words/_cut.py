"""Long texts in short places."""

from __future__ import annotations

from collections.abc import Sequence

from ujsx import Density
from ujsx.text import is_printable, one_line

PREVIEW: dict[Density, int | None] = {
    Density.FULL: None,
    Density.COMPACT: 160,
    Density.MINIMAL: 80,
}
"""How many characters of an item's text each density shows; ``None`` for all of them.

From the token budgets of the HUD's design documents: a decision abbreviated 80 tokens for five, a
task 20 tokens.
"""

_MIN_WORDS = 0.6
"""A cut goes back to the last space only if that keeps at least this share of the width."""


def line(text: str, density: Density = Density.FULL) -> str:
    r"""Return a text on one line, without spaces at its edges, cut for the density.

    >>> line("first\nsecond")
    'first second'
    """
    text = text.strip(" ") if text.isprintable() else one_line(text)
    width = PREVIEW[density]
    return text if width is None else cut(text, width)


def are_lines(texts: Sequence[str]) -> bool:
    """Tell whether each text stands on one line as it is, and all its characters are printable."""
    return is_printable("".join(texts))


def lines(texts: Sequence[str], density: Density = Density.FULL) -> Sequence[str]:
    r"""Return texts, each as :func:`line` has it: one look mostly tells that all of them may stay.

    >>> lines(["first\nsecond", "third"])
    ['first second', 'third']
    """
    width = PREVIEW[density]
    if not are_lines(texts):
        return [line(text, density) for text in texts]
    stripped = [text.strip(" ") for text in texts]
    return stripped if width is None else [cut(text, width) for text in stripped]


def cut(text: str, width: int) -> str:
    """Return at most ``width`` characters of ``text``, ending in "…" when some are missing.

    The cut falls on a space where one is near.

    >>> cut("bcrypt for password hashing", 20)
    'bcrypt for password…'
    """
    if len(text) <= width:
        return text
    kept = text[: width - 1]
    at_space = kept.rfind(" ")
    if text[width - 1] != " " and at_space >= _MIN_WORDS * width:
        kept = kept[:at_space]
    return kept.rstrip(" ") + "…"
