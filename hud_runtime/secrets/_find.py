"""The search for secrets in a text, and the text with masks in their places.

Escapes of JSON and HTML and a terminal's colors are removed first. Then the patterns are tried, and tried again across
line breaks that may stand within a secret. The text is searched again with its masks, until nothing is found.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from hud_runtime.secrets._pattern import Parts, SecretPattern
from hud_runtime.secrets._patterns import PATTERNS
from hud_runtime.secrets._surroundings import LINE_NUMBER, line_before

SHORTEST = 12
"""The characters that a text needs to be searched."""

ROUNDS = 4
"""The searches of one text at most: a secret that is masked may make another one visible."""

MASK = "[secret: {}]"
"""A mask: it says what the secret was, and nothing of it."""

ESCAPE = re.compile(
    r"\\(?<!\\\\)\\*+(?:u(?P<code>[0-9a-fA-F]{4})|(?P<sign>[nrt\"'`/]))|&(?P<entity>quot|apos|amp|#34|#39);|\x1b\[[0-9;]{0,16}[A-Za-z]"
)
SIGNS = {"n": "\n", "r": "\r", "t": "\t", "quot": '"', "#34": '"', "apos": "'", "#39": "'", "amp": "&"}  # fmt: skip

_RUN = r"[\w+/.@%~$!#-]"
_TAIL = rf"[\w+/.@%~$!#:=-]{{7}}{_RUN}"
BREAK = re.compile(
    rf"\n(?:(?<={_TAIL}\n)|(?<={_TAIL}[\r\\]\n)|(?<={_TAIL}\\\r\n))[ \t]{{0,16}}(?:{LINE_NUMBER}|[>|] ?|(?P<sign>[+-])(?! ))?(?!\d{{4}}-\d\d-\d\d)(?=(?P<behind>[\w+/.@%~$!#=-]{{4}}[\s\S]{{0,196}}))(?=(?P<next>.*))",
    re.ASCII,
)
"""A line break that may stand within a token, with the marks of the next line; not one before a log's date.

``behind`` is what follows, 200 characters of it, and ``next`` the rest of the next line."""

AFTER = re.compile(r"[\"'`@]|\Z")
"""The sign behind a value that goes on in the next line: a quote, the one before a host, or the end."""

REST = re.compile(
    r"(?![A-Z_]{1,64}=\w)=?(?=[\w+/-]+[A-Z]|[\w+/-]*\d|[^\W_]*+(?:[+/_-][\w+/-]*+={0,2}|={1,2})(?:[\r\n\"']|\Z))[\w+/-]{4,}+={0,2}(?![=:(])",
    re.ASCII,
)
"""The rest of a token at a line's beginning: with a digit, a capital in it, or signs and nothing behind; no name of a value."""

WORD_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."

START = re.compile(
    r"\b_{0,2}+\w(?<![A-Za-z_]-\w)(?=[\w.:~+/-]{15})(?<![A-Za-z0-9+/]{24}[+/]\w)",
    re.ASCII,
)
"""The first character of a possible token of 16 characters or more, with the signs of emphasis before it; not behind a word's hyphen, nor within Base64."""


@dataclass(frozen=True, slots=True)
class Found:
    """A secret in a text."""

    kind: str
    start: int
    end: int
    begins: str
    """Its first characters, 4 at most; none where they would reveal some of it."""

    parts: tuple[tuple[int, int], ...] = ()
    """The spans of its parts, if there are several: each on a line of its own, with marks between."""


class _Match(NamedTuple):
    """A match of a pattern."""

    place: int
    """The pattern's place in the table."""
    parts: Parts
    own: int
    """The match's beginning, before others were united with it."""


class Table:
    """A table of patterns, indexed by what a text must contain for them to be tried."""

    __slots__ = ("_by_hint", "_by_start", "patterns")

    def __init__(self, patterns: Sequence[SecretPattern]) -> None:
        self.patterns = tuple(patterns)
        self._by_hint: dict[str, list[int]] = {}
        self._by_start: dict[str, list[int]] = {}
        for place, pattern in enumerate(self.patterns):
            for hint in pattern.hints:
                self._by_hint.setdefault(hint, []).append(place)
            for start in pattern.starts:
                self._by_start.setdefault(start, []).append(place)
        for start, places in self._by_start.items():
            if len(start) == 2:
                self._by_start[start] = sorted({*places, *self._by_start.get(start[0], ())})

    def hints_in(self, text: str) -> list[str]:
        """Return the hints that a text has."""
        lowered = text.lower()
        return [hint for hint in self._by_hint if hint in lowered]

    def matches(self, text: str, hints: Iterable[str]) -> list[_Match]:
        """Return the matches in a text of the patterns with these hints, and of those with a start."""
        found: list[_Match] = []
        for place in {place for hint in hints for place in self._by_hint[hint]}:
            found += [
                _Match(place, parts, parts[0][0]) for parts in self.patterns[place].found(text)
            ]
        if self._by_start:
            found += self._tokens(text)
        return found

    def may_begin_in(self, line: str, hints: Iterable[str], behind: str) -> bool:
        """Tell whether a secret may begin in a line and go on behind it."""
        lowered = f"{line}{behind}".lower()
        if any(map(lowered.__contains__, hints)):
            return True
        words = (
            line[len(line.rstrip(of)) :].lstrip("-.")
            for of in (WORD_LETTERS, WORD_LETTERS + "/:+=")
        )
        return any(word[:2] in self._by_start or word[:1] in self._by_start for word in words)

    def _tokens(self, text: str) -> Iterator[_Match]:
        """Yield the tokens of a text that begin with a mark."""
        done = 0
        for match in START.finditer(text):
            at = match.end() - 1
            if at < done:
                continue
            starts = self._by_start.get(text[at : at + 2]) or self._by_start.get(text[at], [])
            for place in starts:
                token = self.patterns[place].token_at(text, at)
                end = at + len(token)
                done = max(done, end)
                if token and self.patterns[place].is_meant(token):
                    yield _Match(place, [(at, end)], at)
                    break


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
    plain = _without_escapes(text)
    inner = text if plain is None else plain.text
    views = [] if plain is None else [plain]
    found: list[_Match] = []
    for _ in range(ROUNDS):
        more = _apart(_matches(inner, table))
        if not more:
            break
        found += [_in_whole(each, views) for each in more]
        kinds = ((each, MASK.format(table.patterns[each.place].kind)) for each in more)
        cuts = sorted((*part, mask) for each, mask in kinds for part in each.parts)
        views.append(_View.of(inner, cuts))
        inner = views[-1].text
    return [_found(text, table.patterns[each.place], each) for each in _apart(found)]


def masked(text: str, patterns: Sequence[SecretPattern] | Table = USUAL) -> str:
    """Return a text with a mask in the place of each secret; the text itself where there is none.

    A secret on several lines of a listing has a mask on each, and the lines keep their marks.

    >>> masked("export GITHUB_TOKEN=" + "ghp_" + "A1b2C3d4E5f6G7h8I9j0" * 2)
    'export GITHUB_TOKEN=[secret: github-token]'
    """
    pieces: list[str] = []
    last = 0
    for each in find(text, patterns):
        for start, end in each.parts or ((each.start, each.end),):
            pieces += text[last:start], MASK.format(each.kind)
            last = end
    return "".join([*pieces, text[last:]]) if pieces else text


def _matches(text: str, table: Table) -> list[_Match]:
    """Return the matches in a text without escapes, also across line breaks."""
    hints = table.hints_in(text)
    found = table.matches(text, hints)
    return [*found, *_across_lines(text, table, hints, found)] if "\n" in text else found


def _in_whole(match: _Match, views: Sequence[_View]) -> _Match:
    """Return a match in the last of some views as one in the whole."""
    parts, own = match.parts, match.own
    for view in reversed(views):
        parts, own = [view.span(*part) for part in parts], view.place(own)[0]
    return _Match(match.place, parts, own)


@dataclass(frozen=True, slots=True)
class _View:
    """A text with parts cut out or replaced, which maps its places to those of the whole."""

    text: str
    at: list[int]
    """The places of the cuts in the view."""
    cuts: list[tuple[int, int, str]]
    """The span of the whole that each leaves out, and the text in its place."""

    @classmethod
    def of(cls, whole: str, cuts: list[tuple[int, int, str]]) -> _View:
        pieces: list[str] = []
        at: list[int] = []
        last = length = 0
        for start, end, instead in cuts:
            pieces += whole[last:start], instead
            length += start - last
            at.append(length)
            length += len(instead)
            last = end
        return cls("".join([*pieces, whole[last:]]), at, cuts)

    def place(self, index: int) -> tuple[int, int]:
        """Return where a character of the view begins and ends in the whole."""
        cut = bisect_right(self.at, index) - 1
        if cut < 0:
            return index, index + 1
        start, end, instead = self.cuts[cut]
        past = index - self.at[cut] - len(instead)
        return (start, end) if past < 0 else (end + past, end + past + 1)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return a span of the view as one of the whole."""
        return self.place(start)[0], self.place(end - 1)[1]

    def parts(self, start: int, end: int) -> Parts:
        """Return a span of the view as spans of the whole, without what the cuts leave out."""
        inside = self.at[bisect_right(self.at, start) : bisect_left(self.at, end)]
        edges = [start, *inside, end]
        return [self.span(*each) for each in pairwise(edges)]


def _without_escapes(text: str) -> _View | None:
    """Return a text without escapes and colors; None where it has none."""
    if "\\" not in text and "&" not in text and "\x1b" not in text:
        return None
    cuts = [(*match.span(), _instead(match)) for match in ESCAPE.finditer(text)]
    return _View.of(text, cuts) if cuts else None


def _instead(escape: re.Match[str]) -> str:
    """Return the character that an escape stands for; nothing for a color."""
    if escape["code"]:
        return chr(int(escape["code"], 16))
    sign = escape["sign"] or escape["entity"] or ""
    return SIGNS.get(sign, sign)


def _across_lines(
    text: str, table: Table, hints: Sequence[str], found: list[_Match]
) -> list[_Match]:
    """Return the secrets that appear only when lines are joined; one that is whole before a break stays as it is."""
    cuts: list[tuple[int, int, str]] = []
    last = 0
    for match in BREAK.finditer(text):
        line = line_before(text, match.start())
        held = line.rstrip("\r\\")
        if match.start() == last or table.may_begin_in(held, hints, match["behind"]):
            first = match.start() - len(line)
            if first > last:  # lines that no break joins
                cuts.append((last, first, "\n"))
            is_text = match["sign"] and not line.startswith(
                match["sign"]
            )  # of a token, not of a diff
            cuts.append((first + len(held), match.start("sign") if is_text else match.end(), ""))
            last = match.end("next")
    if not cuts:
        return []
    view = _View.of(text, [*cuts, (last, len(text), "\n")])
    whole = {each.parts[0][0]: each.parts[-1][1] for each in found}
    across: list[_Match] = []
    for place, spans, _ in table.matches(view.text, table.hints_in(view.text)):
        parts = [part for span in spans for part in view.parts(*span)]
        start, end = parts[0][0], parts[-1][1]
        if whole.get(start, start) >= end:
            continue
        if start in whole:
            parts = [*_going_on(text, parts, whole)]
        elif callable(table.patterns[place].expression) and not AFTER.match(text, end):
            continue
        across.append(_Match(place, parts, start))
    return across


def _going_on(text: str, parts: Parts, whole: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    """Yield the parts of a secret whose first one is whole, up to a line that begins with something else."""
    (first, stop), *others = parts
    yield first, min(stop, whole[first])
    for start, end in others:
        if start in whole or not REST.match(text, start):
            return
        yield start, end


def _apart(found: Iterable[_Match]) -> list[_Match]:
    """Return the matches, overlapping ones united: from the first start to the last end, of the kind that stands first in the table."""
    kept: list[_Match] = []
    for each in sorted(found, key=lambda one: (one.parts[0][0], one.place)):
        if kept and each.parts[0][0] < kept[-1].parts[-1][1]:
            before = kept.pop()
            surest = min(before, each, key=lambda one: one.place)
            kept.append(_Match(surest.place, _union([*before.parts, *each.parts]), surest.own))
        else:
            kept.append(each)
    return kept


def _union(parts: Iterable[tuple[int, int]]) -> Parts:
    """Return spans that neither overlap nor touch."""
    apart: Parts = []
    for start, end in sorted(parts):
        if apart and start <= apart[-1][1]:
            apart[-1] = apart[-1][0], max(end, apart[-1][1])
        else:
            apart.append((start, end))
    return apart


def _found(text: str, pattern: SecretPattern, match: _Match) -> Found:
    parts = match.parts
    start, end = parts[0][0], parts[-1][1]
    begins = text[start : min(start + pattern.shown, parts[0][1])] if match.own == start else ""
    return Found(pattern.kind, start, end, begins, tuple(parts) if len(parts) > 1 else ())
