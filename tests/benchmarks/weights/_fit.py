"""Classes and weights of the estimate, fitted to where o200k begins tokens, and to how many there are.

1. Of each window of four characters it is known how often a token begins at the third. A character has a class for each
   place in a window, so that the windows of one kind differ as little as can be: each is moved to another class as long
   as that helps, from some beginnings that are drawn.
2. A weight for each kind of windows, and for each block of characters beyond Latin-1, is fitted to the tokens of whole
   texts: least squares of the relative errors, drawn to what the windows say (ridge).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from math import ceil
from string import ascii_lowercase, ascii_uppercase
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tests.benchmarks.weights._texts import Texts
from ujsx.tokens import BLOCK_WEIGHTS, rs_bpe_counter

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

CLASSES = (2, 8, 8, 2)
"""How many classes characters have at each place in a window."""

WINDOWS = 256
"""How many kinds of windows have a weight."""

IN_WINDOW, IN_CODE = (3, 4, 0, 7), (7, 0, 4, 3)
"""The lowest bit of each place's class in the number of a window, and in the code of a character."""

LANGUAGES = frozenset(
    [
        "ar",
        "bn",
        "cs",
        "da",
        "de",
        "el",
        "en",
        "es",
        "fa",
        "fi",
        "fr",
        "he",
        "hi",
        "hu",
        "hy",
        "id",
        "it",
        "ja",
        "ka",
        "ko",
        "nl",
        "pl",
        "pt",
        "ro",
        "ru",
        "sv",
        "ta",
        "te",
        "th",
        "tr",
        "uk",
        "vi",
        "zh",
    ]
)
"""Languages that count as common."""

SHARES = {"recorded": 36.0, "agent": 12.0, "common": 3.0, "other": 0.5}
"""What a kind of text weighs, whatever its texts: what agents read, in recorded sessions and elsewhere, what many people
write, all else."""

NAMES = 5 / 6
"""How many tokens a character of prose has, to one of names: about so many where there are both."""

BEYOND = 0.35
"""What of the tokens of a character beyond Latin-1 its window tells; the rest is its block's weight."""

AT_ENDS = 1.4
"""Tokens of a text that no window of it tells, on average: those at its first two characters and its last."""

UNMET = 2.5
"""Tokens of a character whose block is in no text: its bytes are hardly ever put together."""

RIDGE_WINDOWS, RIDGE_BLOCKS = 0.1, 0.05

SWEEPS, TRIALS = 12, 12

STARTS = np.array([first for first, _, _ in BLOCK_WEIGHTS])

HALF = int(np.flatnonzero(STARTS == 0xDC00)[0])
"""The block of the second halves of characters, which are paid for by the first."""


class Sample(NamedTuple):
    """A text, and what o200k makes of it."""

    share: float
    """What it weighs among all."""

    tokens: float
    data: NDArray[np.uint8]
    """Its characters in Latin-1, as the estimate sees them."""

    begun: Floats
    """How many tokens begin at each."""

    blocks: Ints
    """The block of each; 0 in Latin-1."""


class Tables(NamedTuple):
    """The tables of ``ujsx/tokens.py``; weights in tokens."""

    classes: Ints
    """A row for each place in a window: the class of each character."""

    windows: Floats
    blocks: Floats

    @property
    def codes(self) -> Ints:
        """The classes of each character as one number."""
        rows = zip(self.classes, IN_CODE, strict=True)
        codes: Ints = np.sum([row << shift for row, shift in rows], axis=0)
        return codes

    def counted(self, sample: Sample) -> Floats:
        """Return how many windows of each kind a text has, and characters of each block."""
        data, last = sample.data, max(0, len(sample.data) - 3)
        kinds = _kinds(self.classes, [data[place : place + last] for place in range(4)])
        beyond = np.bincount(sample.blocks, minlength=len(STARTS))
        return np.concatenate((np.bincount(kinds, minlength=WINDOWS), beyond)).astype(float)


def _kinds(classes: Ints, characters: Any) -> Ints:
    """Return the kinds of windows."""
    places = zip(classes, characters, IN_WINDOW, strict=True)
    kinds: Ints = np.sum([row[chars] << shift for row, chars, shift in places], axis=0)
    return kinds


def samples(texts: Texts) -> Iterator[Sample]:
    """Yield what is known of each text."""
    lengths: dict[int, int] = {}
    count = rs_bpe_counter()
    for kind, each in texts.items():
        group, _, language = kind.rpartition(":")
        is_common = not group or (group == "lang" and language in LANGUAGES)
        of_agents = "recorded" if language.startswith("recorded") else "agent"
        share = SHARES[of_agents if group == "agent" else "common" if is_common else "other"]
        for text in each:
            tokens = count(text) * (NAMES if group == "names" else 1)
            data = text.replace("?", "\x1a").encode("latin-1", "replace")
            codes = np.array(
                [
                    min(ord(char), 0xD800 + 0x2800 * (char < "\U00010000"))
                    if char >= "\ud800"
                    else ord(char)
                    for char in text
                ]
            )
            blocks = np.searchsorted(STARTS, codes, side="right") - 1
            yield Sample(
                share / len(each),
                tokens,
                np.frombuffer(data, np.uint8),
                _begun(text, lengths),
                blocks,
            )


def _begun(text: str, lengths: dict[int, int]) -> Floats:
    """Return how many tokens begin within each character."""
    encoding: Any = import_module("rs_bpe.bpe").openai.o200k_base()  # it has no types
    at, begun = 0, np.zeros(len(text.encode()), dtype=float)
    for token in encoding.encode(text):
        begun[at] = 1
        if token not in lengths:
            lengths[token] = len(encoding.bpe().decode_tokens([token]))
        at += lengths[token]
    ends = np.cumsum([len(char.encode()) for char in text])
    return np.diff(np.concatenate(([0], np.cumsum(begun)[ends - 1])))


def _summed(places: Ints, weights: Floats, size: int) -> Floats:
    """Return the weights of each place, added up."""
    sums: Floats = np.bincount(places, weights, size).astype(np.float64)
    return sums


class _Windows(NamedTuple):
    """All windows of all texts, each once."""

    characters: Ints
    """Its four."""

    weight: Floats
    begun: Floats
    """How many tokens begin at the third, times the weight."""

    blocks: Floats
    """How many tokens a character of each block has."""


def _windows(known: list[Sample]) -> _Windows:
    of_blocks = np.concatenate([sample.blocks for sample in known])
    begun = np.concatenate([sample.begun for sample in known])
    met = np.bincount(of_blocks, minlength=len(STARTS))
    blocks = np.where(
        met > 0, np.bincount(of_blocks, begun, len(STARTS)) / np.maximum(met, 1), UNMET
    )
    blocks[0] = BEYOND
    keys: list[Ints] = []
    weights: list[Floats] = []
    tokens: list[Floats] = []
    for sample in known:
        data = sample.data.astype(np.int64)
        if len(data) < 4:
            continue
        keys.append(data[:-3] << 24 | data[1:-2] << 16 | data[2:-1] << 8 | data[3:])
        weights.append(np.full(len(data) - 3, sample.share**0.5 / sample.tokens))
        tokens.append((sample.begun + BEYOND - blocks[sample.blocks])[2:-1])
    unique, place = np.unique(np.concatenate(keys), return_inverse=True)
    weight = np.concatenate(weights)
    weight /= weight.sum()
    return _Windows(
        np.array([unique >> shift & 255 for shift in (24, 16, 8, 0)]),
        _summed(place, weight, len(unique)),
        _summed(place, weight * np.concatenate(tokens), len(unique)),
        blocks,
    )


def _unlike(weight: Floats, begun: Floats) -> Floats:
    """Return how much the windows of each kind differ: less by what their mean explains."""
    return -(begun**2) / (weight + 2e-6)


class _Classes:
    """Classes of characters, and what the windows of each kind have together."""

    def __init__(self, classes: Ints, windows: _Windows) -> None:
        self.classes = classes
        self._windows = windows
        self._kinds = _kinds(classes, windows.characters)
        self.weight, self.begun = (
            _summed(self._kinds, each, WINDOWS) for each in (windows.weight, windows.begun)
        )

    @property
    def unlike(self) -> float:
        return float(_unlike(self.weight, self.begun).sum())

    def move(self, char: int, place: int, at: Ints) -> bool:
        """Put a character into its best class for a place, whose windows are ``at``; say whether that is another one."""
        row, shift = self.classes[place], IN_WINDOW[place]
        others = self._kinds[at] - (row[char] << shift)
        weight, begun = (
            _summed(others, each[at], WINDOWS)
            for each in (self._windows.weight, self._windows.begun)
        )
        met = np.flatnonzero(weight)
        weight, begun = weight[met], begun[met]
        self._add(met + (row[char] << shift), -weight, -begun)
        found: list[float] = []
        for tried in range(CLASSES[place]):
            kinds = met + (tried << shift)
            before = self.weight[kinds], self.begun[kinds]
            after = before[0] + weight, before[1] + begun
            found.append(float((_unlike(*after) - _unlike(*before)).sum()))
        best = int(np.argmin(found))
        self._add(met + (best << shift), weight, begun)
        is_other = best != int(row[char])
        row[char] = best
        self._kinds[at] = others + (best << shift)
        return is_other

    def _add(self, kinds: Ints, weight: Floats, begun: Floats) -> None:
        self.weight[kinds] += weight
        self.begun[kinds] += begun


def _characters(windows: _Windows) -> _Classes:
    """Return the classes of the characters at each place."""
    often = np.sum([_summed(each, windows.weight, 256) for each in windows.characters], axis=0)
    often /= windows.weight.sum()
    places: list[list[Ints]] = [
        [np.flatnonzero(each == char) for char in range(256)] for each in windows.characters
    ]
    is_often = (often > 1e-5) & (np.arange(256) != ord("?"))
    moved = [int(char) for char in np.argsort(-often) if is_often[char]]
    lot = np.random.default_rng(1)

    def descended(start: Ints) -> _Classes:
        found = _Classes(start, windows)
        for _ in range(SWEEPS):
            if not sum(found.move(char, at, places[at][char]) for char in moved for at in range(4)):
                break
        return found

    best = descended(_at_first())
    for number in range(TRIALS):
        start = [
            np.where(lot.random(256) < 0.25, lot.integers(0, count, 256), row)
            if number % 3
            else lot.integers(0, count, 256)
            for count, row in zip(CLASSES, best.classes, strict=True)
        ]
        best = min(best, descended(np.array(start)), key=lambda each: each.unlike)
    for char in np.flatnonzero(~is_often & (np.arange(256) != ord("?"))):
        best.classes[:, char] = best.classes[:, ord("\xe4" if chr(char).isalpha() else "*")]
    return best


def _at_first() -> Ints:
    """Return classes to begin with, from which characters are moved."""
    groups = (
        "\n",
        "0123456789",
        " \t",
        ascii_lowercase,
        ascii_uppercase,
        "'\"`([{<)]}>",
        ".,:;_-/\\",
    )
    fine, rough = np.full(256, len(groups)), np.zeros(256, dtype=np.int64)
    for number, group in enumerate(groups):
        fine[[ord(char) for char in group]] = number
    fine[0xC0:] = fine[ord("A")]
    rough[[*map(ord, ascii_lowercase), *range(0xC0, 256)]] = 1
    return np.array([rough if count == 2 else fine for count in CLASSES])


def fit(known: list[Sample]) -> Tables:
    """Return the tables that fit best."""
    windows = _windows(known)
    found = _characters(windows)
    means = (found.begun + 3e-6) / (found.weight + 1e-5)
    guessed = np.concatenate((means, np.maximum(windows.blocks - BEYOND, 0.02)))
    tables = Tables(found.classes, guessed[:WINDOWS], guessed[WINDOWS:])
    weights = _weights(known, tables, guessed)
    return tables._replace(windows=weights[:WINDOWS], blocks=weights[WINDOWS:])


def _weights(known: list[Sample], tables: Tables, guessed: Floats) -> Floats:
    """Return weights by coordinate descent on the normal equations, each kept within its bounds."""
    shares = np.array([sample.share**0.5 for sample in known])
    tokens = np.array([sample.tokens for sample in known])
    rows = np.array([tables.counted(sample) for sample in known]) * (shares / tokens)[:, None]
    aims = shares * (1 - AT_ENDS / tokens)
    is_window = np.arange(len(guessed)) < WINDOWS
    ridge = np.where(is_window, RIDGE_WINDOWS, RIDGE_BLOCKS) ** 2
    most = np.where(is_window, 1.0, 2.55)
    most[[WINDOWS, WINDOWS + HALF]] = 0
    gram, aim = rows.T @ rows + np.diag(ridge), rows.T @ aims + ridge * guessed
    weights = np.minimum(guessed, most)
    for _ in range(400):
        for place in range(len(weights)):
            rest = aim[place] - gram[place] @ weights
            weights[place] = min(most[place], max(0.0, weights[place] + rest / gram[place, place]))
    return weights.round(2)


def estimates(tables: Tables, texts: Mapping[str, list[str]]) -> Iterator[tuple[str, float]]:
    """Yield by how much the estimate of each text is off, with its kind."""
    for kind, each in texts.items():
        for sample in samples({kind: each}):
            cost = tables.counted(sample) @ np.concatenate((tables.windows, tables.blocks))
            yield kind, ceil(1 + float(cost) - 1e-9) / sample.tokens - 1
