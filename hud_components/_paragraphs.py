"""Texts of several lines, as the paragraphs that they have."""

from __future__ import annotations

import re

_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_LINE_ENDS = re.compile("\r\n?")
_LINE_EDGES = re.compile(r"(?:(?<![ \t])[ \t]++)?\n[ \t]*")


def paragraphs(text: str) -> list[str]:
    r"""Return the paragraphs of a text, each with its line breaks, white space at edges dropped.

    >>> paragraphs("a\n  b\n\n\nc")
    ['a\nb', 'c']
    """
    parts = _BLANK_LINES.split(_LINE_ENDS.sub("\n", text).strip("\n"))
    return [kept for part in parts if (kept := _LINE_EDGES.sub("\n", part.strip(" \t\n")))]
