"""Where secrets stand in a text, lines that were wrapped in the middle of one included."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from hud_runtime.secrets._pattern import SecretPattern
from hud_runtime.secrets._patterns import PATTERNS

SHORTEST = 12
"""Characters below which no text is looked at: none of the table's patterns is shorter."""

MASK = "[secret: {}]"
"""What stands for a secret: it says what it was, and nothing of it."""

GROUP = "secret"
"""The group of a pattern that is the secret, if there is one."""

WRAPPED = re.compile(r"(?<=[\w+/=.-])\\?\r?\n[ \t>|]{0,16}(?=[\w+/=-]{4})")
"""Where a line may have been broken in the middle of a token: a terminal's, a mail's, a quotation's."""

RUN = re.compile(r"[\w+/=-]*+")


@dataclass(frozen=True, slots=True)
class Found:
    """A secret in a text."""

    kind: str
    start: int
    end: int
    begins: str
    """Its first characters, 4 at most, and none where they tell something of it."""


class Table:
    """Patterns by their hints: which of them are worth a look at a text."""

    __slots__ = ("_by_hint", "_hints", "patterns")

    def __init__(self, patterns: Sequence[SecretPattern]) -> None:
        self.patterns = tuple(patterns)
        self._by_hint: dict[str, list[int]] = {}
        for place, pattern in enumerate(self.patterns):
            for hint in pattern.hints:
                self._by_hint.setdefault(hint, []).append(place)
        self._hints = tuple(self._by_hint)

    def asked(self, text: str) -> list[int]:
        """Return the places of the patterns that have a hint in a text: for most texts, none."""
        lowered = text.lower()
        hinted = [hint for hint in self._hints if hint in lowered]
        return sorted({place for hint in hinted for place in self._by_hint[hint]})


USUAL = Table(PATTERNS)


def find(text: str, patterns: Sequence[SecretPattern] | Table = USUAL) -> list[Found]:
    """Return the secrets in a text, in their order; no two of them overlap.

    >>> [each.kind for each in find("use " + "ghp_" + "A1b2C3d4E5f6G7h8I9j0" * 2)]
    ['github-token']
    >>> find("commit 8ac0fba5c1b2d3e4f5a6b7c8d9e0f1a2b3c4d5e6")
    []
    """
    if len(text) < SHORTEST:
        return []
    table = patterns if isinstance(patterns, Table) else Table(patterns)
    asked = [(place, table.patterns[place]) for place in table.asked(text)]
    if not asked:
        return []
    found = _matches(text, asked)
    if "\n" in text:
        found = _with_wrapped(text, asked, found)
    return _apart(found) if found else []


def masked(text: str, patterns: Sequence[SecretPattern] | Table = USUAL) -> str:
    """Return a text with a mask in the place of each secret; the text itself where there is none.

    >>> masked("export GITHUB_TOKEN=" + "ghp_" + "A1b2C3d4E5f6G7h8I9j0" * 2)
    'export GITHUB_TOKEN=[secret: github-token]'
    """
    parts: list[str] = []
    end = 0
    for each in find(text, patterns):
        parts += text[end : each.start], MASK.format(each.kind)
        end = each.end
    return "".join([*parts, text[end:]]) if parts else text


Asked: TypeAlias = list[tuple[int, SecretPattern]]
"""Patterns with their places in the table."""

Matches: TypeAlias = list[tuple[int, Found]]
"""What was found, with the place of what has found it."""


def _matches(text: str, asked: Asked) -> Matches:
    found: Matches = []
    for place, pattern in asked:
        group = GROUP if GROUP in pattern.expression.groupindex else 0
        for match in pattern.expression.finditer(text):
            said = match[group] or ""
            if pattern.is_meant(said):
                begins = said[: pattern.shown]
                found.append((place, Found(pattern.kind, *match.span(group), begins)))
    return found


def _with_wrapped(text: str, asked: Asked, found: Matches) -> Matches:
    """Add what is a secret once the lines are joined, where the break stands in the middle of it."""
    breaks = [match.span() for match in WRAPPED.finditer(text)]
    if not breaks:
        return found
    joined, gone, starts, ends = _joined(text, breaks)
    known = {each.start: each.end for _, each in found}
    added: Matches = []
    for place, each in _matches(joined, asked):
        first, last = bisect_right(starts, each.start), bisect_right(starts, each.end - 1)
        if first == last:
            continue  # on one line, and found there
        start, end = each.start + gone[first], each.end + gone[last]
        if start in known and (known[start] >= end or not _goes_on(text, ends[last - 1])):
            continue  # whole before the break: what follows is another word
        added.append((place, Found(each.kind, start, end, each.begins)))
    return [*added, *found]


def _joined(
    text: str, breaks: Sequence[tuple[int, int]]
) -> tuple[str, list[int], list[int], list[int]]:
    """Return the text without the breaks, and how its places are those of the text."""
    parts: list[str] = []
    gone, starts, ends = [0], list[int](), list[int]()
    last = total = 0
    for start, end in breaks:
        parts.append(text[last:start])
        starts.append(start - total)
        ends.append(end)
        total += end - start
        gone.append(total)
        last = end
    return "".join([*parts, text[last:]]), gone, starts, ends


def _goes_on(text: str, place: int) -> bool:
    """Tell whether what begins at a line's start looks like the rest of a token, and not like a word."""
    run = RUN.match(text, place)
    said = "" if run is None else run[0]
    is_case_mixed = said != said.lower() and said[1:] != said[1:].lower()
    return len(said) >= 4 and (any(map(str.isdigit, said)) or is_case_mixed)


def _apart(found: list[tuple[int, Found]]) -> list[Found]:
    """Return what does not overlap. Of what does, nothing stays; it is of the kind that the table has first."""
    kept: list[tuple[int, Found]] = []
    for place, each in sorted(found, key=lambda one: (one[1].start, one[0])):
        if kept and each.start < kept[-1][1].end:
            surest, last = min(kept[-1], (place, each), key=lambda one: one[0])
            before = kept[-1][1]
            end = max(before.end, each.end)
            begins = last.begins if last.start == before.start else ""
            kept[-1] = surest, Found(last.kind, before.start, end, begins)
        else:
            kept.append((place, each))
    return [each for _, each in kept]
