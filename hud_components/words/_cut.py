"""Long texts in short places."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ujsx.text import is_printable, one_line
from ujsx.tokens import estimate_tokens

CHARACTERS = 3
"""How many characters a token of a cut text stands for at least: where a writing has more tokens, fewer
of its characters are shown. A text that is cut to 80 characters has 26 tokens at most."""

_MIN_WORDS = 0.6
"""A cut goes back to the last space only if that keeps at least this share of the width."""


def line(text: str, width: int | None = None) -> str:
    r"""Return a text on one line, without spaces at its edges, cut to a width.

    :param width: characters at most, and a third as many tokens; all of the text when ``None``.

    >>> line("first\nsecond")
    'first second'
    """
    text = text.strip(" ") if text.isprintable() else one_line(text).strip(" \t")
    return text if width is None else _cut_to(text, width)


_LINE_ENDS = re.compile(r"[\r\n\u2028\u2029\v\f\x1c-\x1e\x85]+")


def in_lines(text: str, width: int | None = None) -> str:
    r"""Return a text line by line, without blank ones and without spaces at their edges.

    :param width: characters at most; all of the text when ``None``.

    >>> in_lines("- [x] schema\n\n  - [ ] login  ")
    '- [x] schema\n- [ ] login'
    """
    kept = filter(None, (line(each).strip(" \t") for each in _LINE_ENDS.split(text)))
    told = "\n".join(kept)
    return told if width is None else _cut_to(told, width)


def are_lines(texts: Sequence[str]) -> bool:
    """Tell whether each text stands on one line as it is, and all its characters are printable."""
    return is_printable("".join(texts))


def lines(texts: Sequence[str], width: int | None = None) -> Sequence[str]:
    r"""Return texts, each as :func:`line` has it: one look mostly tells that all of them may stay.

    >>> lines(["first\nsecond", "third"])
    ['first second', 'third']
    """
    if not are_lines(texts):
        return [line(text, width) for text in texts]
    stripped = [text.strip(" ") for text in texts]
    return stripped if width is None else [_cut_to(text, width) for text in stripped]


def _cut_to(text: str, width: int) -> str:
    tokens = max(width // CHARACTERS, 1)
    short = cut(text, width)
    if len(short) <= tokens or estimate_tokens(short) <= tokens:
        return short
    low, high = 1, width
    while low < high:
        middle = (low + high + 1) // 2
        if estimate_tokens(cut(text, middle)) <= tokens:
            low = middle
        else:
            high = middle - 1
    return cut(text, low)


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
