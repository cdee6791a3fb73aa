"""The search for secrets in recorded data, and the policy for them."""

from __future__ import annotations

import os
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, Literal, NamedTuple, Self, TypeAlias, cast, get_args

from pydantic import BaseModel

from hud_runtime._errors import EventError, LimitError
from hud_runtime.log.secrets._patterns import PATTERNS
from hud_runtime.log.secrets._surroundings import (
    LINE_NUMBER,
    STEMS,
    Parts,
    SecretPattern,
    line_before,
)
from ujsx.errors import did_you_mean, quoted
from ujsx.on_demand import late_pattern

# The search for secrets in a text, and their masking.
#
# Escapes of JSON and HTML and terminal colors are removed first. Then the patterns are matched,
# also across line breaks within a secret. The masked text is searched again until nothing is found.

SHORTEST = 12
"""The shortest text that is searched, in characters."""

ROUNDS = 4
"""Searches of a text at most: masking a secret may reveal another one."""

MASK = "[secret: {}]"
"""A mask, which names the kind of the secret, and nothing of its content."""

ESCAPE = late_pattern(
    r"\\(?<!\\\\)\\*+(?:u(?P<code>[0-9a-fA-F]{4})|(?P<sign>[nrt\"'`/]))|&(?P<entity>quot|apos|amp|#34|#39);|\x1b\[[0-9;]{0,16}[A-Za-z]"
)
SIGNS = {"n": "\n", "r": "\r", "t": "\t", "quot": '"', "#34": '"', "apos": "'", "#39": "'", "amp": "&"}  # fmt: skip

_RUN = r"[\w+/.@%~$!#-]"
_TAIL = rf"[\w+/.@%~$!#:=-]{{7}}{_RUN}"
BREAK = late_pattern(
    rf"\n(?:(?<={_TAIL}\n)|(?<={_TAIL}[\r\\]\n)|(?<={_TAIL}\\\r\n))[ \t]{{0,16}}(?:{LINE_NUMBER}|[>|] ?|(?P<sign>[+-])(?! ))?(?!\d{{4}}-\d\d-\d\d)(?=(?P<behind>[\w+/.@%~$!#=-]{{4}}[\s\S]{{0,196}}))(?=(?P<next>.*))",
    re.ASCII,
)
"""A line break that may stand within a token, with the marks of the next line; not one before a log's date.

``behind`` is what follows, 200 characters of it, and ``next`` the rest of the next line."""

AFTER = late_pattern(r"[\"'`@]|\Z")
"""The sign behind a value that goes on in the next line: a quote, the one before a host, or the end."""

REST = late_pattern(
    r"(?![A-Z_]{1,64}=\w)=?(?=[\w+/-]+[A-Z]|[\w+/-]*\d|[^\W_]*+(?:[+/_-][\w+/-]*+={0,2}|={1,2})(?:[\r\n\"']|\Z))[\w+/-]{4,}+={0,2}(?![=:(])",
    re.ASCII,
)
"""The rest of a token at a line's beginning: with a digit, a capital in it, or signs and nothing behind; no name of a value."""

WORD_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."

START = late_pattern(
    r"\b_{0,2}+\w(?<![A-Za-z_]-\w)(?=[\w.:~+/-]{15})(?<![A-Za-z0-9+/]{24}[+/]\w)",
    re.ASCII,
)
"""The first character of a possible token of 16 characters or more, with the signs of emphasis before it; not behind a word's hyphen, nor within Base64."""


@dataclass(frozen=True, slots=True)
class SecretMatch:
    """A secret in a text."""

    kind: str
    start: int
    end: int
    begins: str
    """Its first characters, 4 at most; empty where they would reveal part of it."""

    parts: tuple[tuple[int, int], ...] = ()
    """The spans of its parts, if there are several, each on its own line of a listing."""


class _Match(NamedTuple):
    """A match of a pattern."""

    place: int
    """The pattern's place in the table."""
    parts: Parts
    own: int
    """The start of the match before it was united with others."""


class PatternTable:
    """A table of patterns, indexed by the hints that a text must contain."""

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
        """Return the hints in a text."""
        lowered = text.lower()
        return [hint for hint in self._by_hint if hint in lowered]

    def matches(self, text: str, hints: Iterable[str]) -> list[_Match]:
        """Return a text's matches of the patterns with these hints, or with a start."""
        found: list[_Match] = []
        for place in {place for hint in hints for place in self._by_hint[hint]}:
            found += [
                _Match(place, parts, parts[0][0]) for parts in self.patterns[place].found(text)
            ]
        if self._by_start:
            found += self._tokens(text)
        return found

    def may_begin_in(self, line: str, hints: Iterable[str], behind: str) -> bool:
        """Tell whether a secret may begin in a line and continue in the next."""
        lowered = f"{line}{behind}".lower()
        if any(map(lowered.__contains__, hints)):
            return True
        words = (
            line[len(line.rstrip(of)) :].lstrip("-.")
            for of in (WORD_LETTERS, WORD_LETTERS + "/:+=")
        )
        return any(word[:2] in self._by_start or word[:1] in self._by_start for word in words)

    def _tokens(self, text: str) -> Iterator[_Match]:
        """Yield a text's tokens with a maker's prefix."""
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


USUAL = PatternTable(PATTERNS)


def find(text: str, patterns: Sequence[SecretPattern] | PatternTable = USUAL) -> list[SecretMatch]:
    """Return the secrets in a text, in order and without overlap.

    >>> [each.kind for each in find("use " + "ghp_" + "A1b2C3d4E5f6G7h8I9j0" * 2)]
    ['github-token']
    >>> find("commit 8ac0fba5c1b2d3e4f5a6b7c8d9e0f1a2b3c4d5e6")
    []
    """
    if len(text) < SHORTEST:
        return []
    table = patterns if isinstance(patterns, PatternTable) else PatternTable(patterns)
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
    return [_secret_of(text, table.patterns[each.place], each) for each in _apart(found)]


def masked(text: str, patterns: Sequence[SecretPattern] | PatternTable = USUAL) -> str:
    """Return a text with a mask in place of each secret; the identical text if there are none.

    A secret on several lines of a listing gets a mask on each, and the lines keep their marks.

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


def _matches(text: str, table: PatternTable) -> list[_Match]:
    """Return the matches in a text without escapes, also across line breaks."""
    hints = table.hints_in(text)
    found = table.matches(text, hints)
    return [*found, *_across_lines(text, table, hints, found)] if "\n" in text else found


def _in_whole(match: _Match, views: Sequence[_View]) -> _Match:
    """Map a match from the last of some views to the whole text."""
    parts, own = match.parts, match.own
    for view in reversed(views):
        parts, own = [view.span(*part) for part in parts], view.place(own)[0]
    return _Match(match.place, parts, own)


@dataclass(frozen=True, slots=True)
class _View:
    """A text with parts cut or replaced, which maps its offsets to those of the whole."""

    text: str
    at: list[int]
    """The offsets of the cuts in the view."""
    cuts: list[tuple[int, int, str]]
    """The omitted span of the whole, and its replacement, for each cut."""

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
        """Return the start and the end in the whole of a character of the view."""
        cut = bisect_right(self.at, index) - 1
        if cut < 0:
            return index, index + 1
        start, end, instead = self.cuts[cut]
        past = index - self.at[cut] - len(instead)
        return (start, end) if past < 0 else (end + past, end + past + 1)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Map a span of the view to the whole."""
        return self.place(start)[0], self.place(end - 1)[1]

    def parts(self, start: int, end: int) -> Parts:
        """Map a span of the view to spans of the whole, without the cut parts."""
        inside = self.at[bisect_right(self.at, start) : bisect_left(self.at, end)]
        edges = [start, *inside, end]
        return [self.span(*each) for each in pairwise(edges)]


def _without_escapes(text: str) -> _View | None:
    """Return a text without escapes and colors; None if it has none."""
    if "\\" not in text and "&" not in text and "\x1b" not in text:
        return None
    cuts = [(*match.span(), _instead(match)) for match in ESCAPE.finditer(text)]
    return _View.of(text, cuts) if cuts else None


def _instead(escape: re.Match[str]) -> str:
    """Return the character of an escape; empty for a color."""
    if escape["code"]:
        return chr(int(escape["code"], 16))
    sign = escape["sign"] or escape["entity"] or ""
    return SIGNS.get(sign, sign)


def _across_lines(
    text: str, table: PatternTable, hints: Sequence[str], found: list[_Match]
) -> list[_Match]:
    """Return the secrets that appear only in joined lines; one that is complete before a break is unchanged."""
    cuts: list[tuple[int, int, str]] = []
    last = 0
    for match in BREAK.finditer(text):
        line = line_before(text, match.start())
        held = line.rstrip("\r\\")
        if match.start() == last or table.may_begin_in(held, hints, match["behind"]):
            first = match.start() - len(line)
            if first > last:  # lines that are not joined
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
    """Yield the parts of a secret with a complete first one, up to a line that begins otherwise."""
    (first, stop), *others = parts
    yield first, min(stop, whole[first])
    for start, end in others:
        if start in whole or not REST.match(text, start):
            return
        yield start, end


def _apart(found: Iterable[_Match]) -> list[_Match]:
    """Return the matches with overlapping ones united: the whole span, with the kind that is first in the table."""
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
    """Merge spans that overlap or touch."""
    apart: Parts = []
    for start, end in sorted(parts):
        if apart and start <= apart[-1][1]:
            apart[-1] = apart[-1][0], max(end, apart[-1][1])
        else:
            apart.append((start, end))
    return apart


def _secret_of(text: str, pattern: SecretPattern, match: _Match) -> SecretMatch:
    parts = match.parts
    start, end = parts[0][0], parts[-1][1]
    begins = text[start : min(start + pattern.shown, parts[0][1])] if match.own == start else ""
    return SecretMatch(pattern.kind, start, end, begins, tuple(parts) if len(parts) > 1 else ())


# The texts in a value: in payloads, nested values and JSON data.

Place: TypeAlias = tuple[str | int, ...]
"""A text's place: field names, and item indexes from 0."""

MAX_DEPTH = 150
"""The deepest nesting of a recorded value, as for trees and documents."""


def texts_in(
    value: object, place: Place = (), *, keys: bool = False
) -> Iterator[tuple[Place, str]]:
    """Yield each text of a value with its place.

    :param keys: whether to include mappings' keys, each at the place of its value.
    :raises EventError: for a value that contains itself, or is nested too deeply.

    >>> list(texts_in({"items": [{"name": "a"}]}))
    [(('items', 0, 'name'), 'a')]
    >>> [text for _, text in texts_in({"items": [{"name": "a"}]}, keys=True)]
    ['items', 'name', 'a']
    """
    waiting: list[tuple[Place, object]] = [(place, value)]
    while waiting:
        here, one = waiting.pop()
        if isinstance(one, str):
            yield here, one
            continue
        if len(here) > MAX_DEPTH:
            what = f"contains itself, or is nested more than {MAX_DEPTH} deep; record it flatter"
            raise EventError(f"{quoted(place_name(here[:1]))} {what}")
        parts = _parts(one)
        named = keys and isinstance(one, Mapping)
        for name, part in reversed(parts):
            waiting.append(((*here, name), part))
            if named:
                waiting.append(((*here, name), name))


def check_depth(value: object) -> None:
    """Check that a value is not recursive or nested too deeply.

    :raises EventError: with the field.

    >>> check_depth({"items": [{"name": "a"}]})
    """
    for _ in texts_in(value):
        pass


def _parts(value: object) -> list[tuple[str | int, object]]:
    if isinstance(value, BaseModel):
        return list(vars(value).items())
    if isinstance(value, Mapping):
        named = cast("Mapping[object, object]", value)
        return [(str(name), part) for name, part in named.items()]
    if isinstance(value, (list, tuple, set, frozenset)):
        return list(enumerate(cast("list[object]", value)))
    return []


def replaced(
    value: Any,
    change: Callable[[Place, str], str],
    place: Place = (),
    *,
    key: Callable[[str], str] = str,
) -> Any:
    """Return data with each text passed through ``change``, and each mapping key through ``key``.

    It is data for JSON: a model becomes a mapping, from which it can be built anew.

    Of keys that become equal, each but the first gets a number, so that nothing is lost.

    >>> replaced({"a": ["b", 1]}, lambda place, text: text.upper())
    {'a': ['B', 1]}
    >>> replaced({"a1": 1, "a2": 2}, lambda place, text: text, key=lambda name: name[0])
    {'a': 1, 'a 2': 2}
    """
    if isinstance(value, str):
        return change(place, value)
    if isinstance(value, BaseModel):
        value = value.model_dump()
    if isinstance(value, Mapping):
        named: dict[str, Any] = {}
        alike: dict[str, int] = {}
        for name, part in cast("Mapping[str, Any]", value).items():
            made = free = key(name)
            while free in named:
                alike[made] = alike.get(made, 1) + 1
                free = f"{made} {alike[made]}"
            named[free] = replaced(part, change, (*place, name), key=key)
        return named
    if isinstance(value, (list, tuple, set, frozenset)):
        parts = cast("list[Any]", value)
        return [replaced(part, change, (*place, at), key=key) for at, part in enumerate(parts)]
    return value


def place_name(place: Place) -> str:
    """Return a place in the form of messages and arguments.

    >>> place_name(("inherited", "notes", 2, "content"))
    'inherited.notes.2.content'
    """
    return ".".join(map(str, place))


Mode: TypeAlias = Literal["mask", "refuse", "off"]

VARIABLE = "UJSX_SECRETS"
"""The environment variable for the mode, for the command and as the default."""

MASKED = late_pattern(r"\[secret: ([a-z0-9-]+)\]")
"""The pattern of masks made from :data:`hud_runtime.log.secrets._policy.MASK`."""

NAMES: Mapping[str, frozenset[str]] = {
    "session.start": frozenset({"project", "parent", "domain"}),
    "session.look": frozenset({"digest"}),
}
"""Fields with names, by type of event: a masked name would not be found again."""


@dataclass(frozen=True)
class Secrets:
    """The policy for secrets in recorded data.

    >>> Secrets("refuse").mode
    'refuse'
    """

    mode: Mode = "mask"
    """``"mask"`` replaces a secret with a text like ``[secret: github-token]``, ``"refuse"`` rejects the
    event, ``"off"`` disables the search.
    """

    patterns: Sequence[SecretPattern] = PATTERNS
    """The kinds of secrets: ``(*PATTERNS, own)``, or others."""

    def __post_init__(self) -> None:
        if self.mode not in get_args(Mode):
            raise LimitError(
                f"{quoted(str(self.mode))} is nothing to do with secrets;"
                f" {did_you_mean(str(self.mode), get_args(Mode))}"
            )

    @classmethod
    def of_environment(cls, environ: Mapping[str, str] | None = None) -> Self:
        """Return the environment's policy; by default, to mask.

        :raises LimitError: for an invalid mode in the variable.

        >>> Secrets.of_environment({"UJSX_SECRETS": "off"}).mode
        'off'
        """
        environ = os.environ if environ is None else environ
        mode: Any = environ.get(VARIABLE) or "mask"
        try:
            return cls(mode)
        except LimitError as error:
            raise LimitError(f"{VARIABLE}: {error}") from None

    @cached_property
    def _table(self) -> PatternTable:
        return USUAL if self.patterns is PATTERNS else PatternTable(self.patterns)

    def find(self, text: str) -> list[SecretMatch]:
        """Return the secrets in a text, in order."""
        return find(text, self._table)

    def masked(self, text: str) -> str:
        """Return a text with a mask in place of each secret."""
        return masked(text, self._table)

    def taken(self, event_type: str, payload: Mapping[str, object]) -> Mapping[str, object]:
        """Return the payload to record: the identical object if it has no secret.

        :raises EventError: for a secret where those are refused, with its kind and place; in any mode, for
            a payload that contains itself, or is nested too deeply.
        """
        if self.mode == "off":
            check_depth(payload)
            return payload
        names = NAMES.get(event_type, frozenset())
        found = self._first({k: v for k, v in payload.items() if k not in names})
        if found is None:
            return payload
        if self.mode == "refuse":
            place, kind = found
            raise EventError(
                f'{event_type}: "{self.masked(place)}" seems to contain a secret ({kind}); leave it out and'
                f" say where it is stored, or set {VARIABLE}=mask"
            )
        check_depth(payload)  # also the parts after the secret
        return {
            name: part if name in names else self.masked_data(part, (name,))
            for name, part in payload.items()
        }

    def masked_data(self, data: Any, place: Place = ()) -> Any:
        """Return JSON data with secrets masked: in texts, in keys, and in values of keys such as "secret".

        :param place: the place of the data.

        >>> Secrets().masked_data({"env": {"DB_PASSWORD": "-".join(["correct", "horse"])}})
        {'env': {'DB_PASSWORD': '[secret: password]'}}
        """
        return replaced(data, self._masked_at, place, key=self.masked)

    def _masked_at(self, place: Place, text: str) -> str:
        kind = self._kind_behind(place, text)
        return self.masked(text) if kind is None else MASK.format(kind)

    def _kind_behind(self, place: Place, text: str) -> str | None:
        """Return the kind of a text that its key marks as a secret."""
        key = str(place[-1]) if place else ""
        if not _has_stem(key):
            return None
        quote = next((each for each in "\"'`" if each not in text), '"')
        before = f"{key}: {quote}"
        within = [each for each in self.find(f"{before}{text}{quote}") if each.start <= len(before)]
        is_all = bool(within) and within[-1].end >= len(before) + len(text)
        return within[-1].kind if is_all else None

    def _first(self, payload: Mapping[str, object]) -> tuple[str, str] | None:
        """Return the place and the kind of the first secret."""
        for name, value in payload.items():
            for place, text in texts_in(value, (name,), keys=True):
                if kind := self._kind_behind(place, text):
                    return place_name(place), kind
                if found := self.find(text):
                    return place_name(place), found[0].kind
        return None


@lru_cache(1024)
def _has_stem(key: str) -> bool:
    """Tell whether a key may name a secret."""
    return any(map(key.lower().__contains__, STEMS))


def newly_masked(given: object, recorded: object) -> list[str]:
    """Return the kinds of secrets that were masked between the given and the recorded data.

    >>> newly_masked({"content": "the key"}, {"content": "the [secret: jwt]"})
    ['jwt']
    """
    there = Counter(_masks(recorded))
    return sorted(there - Counter(_masks(given))) if there else []


def _masks(value: object) -> list[str]:
    texts = [text for _, text in texts_in(value) if "[secret: " in text]
    return [kind for text in texts for kind in MASKED.findall(text)]
