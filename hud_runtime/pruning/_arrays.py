"""JSON in pieces: the elements of the array that is most of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_MARK = re.compile(r'"(?:[^"\\]++|\\[\s\S])*+(?:"|\\?\Z)|[\[\]{},]')

MOST = 0.5
"""The part of the text that the array must be."""


@dataclass(slots=True)
class _Open:
    kind: str
    start: int
    commas: list[int] = field(default_factory=list[int])


def elements_in(text: str) -> list[str] | None:
    """Return JSON as pieces: what stands before the array, each element with its comma, what stands behind.

    Joined they are the text. None for what is no JSON, or has no array that is most of it.

    >>> elements_in('{"items": [1, "a,b", [2, 3]]}')
    ['{"items": [', '1,', ' "a,b",', ' [2, 3]', ']}']
    """
    bare = text.strip()
    if not bare or bare[0] not in "[{" or bare[-1] not in "]}":
        return None
    stack: list[_Open] = []
    best: list[int] = []
    for match in _MARK.finditer(text):
        mark = match[0]
        if mark in "[{":
            stack.append(_Open(mark, match.end()))
        elif mark == ",":
            if stack and stack[-1].kind == "[":
                stack[-1].commas.append(match.end())
        elif mark in "]}":
            if not stack or stack[-1].kind + mark not in ("[]", "{}"):
                return None
            opened = stack.pop()
            is_most = match.start() - opened.start >= MOST * len(bare)
            if mark == "]" and opened.commas and is_most:
                best = max(best, [opened.start, *opened.commas, match.start()], key=len)
    if stack or not best:
        return None
    return [text[start:end] for start, end in zip([0, *best], [*best, len(text)], strict=True)]
