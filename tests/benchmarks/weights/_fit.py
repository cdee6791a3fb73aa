"""Classes and weights of the estimate, fitted to where o200k begins tokens, and to how many there are.

1. Of each window of four characters it is known how often a token begins at the third. Characters are put into
   16 classes, as the first and third of a window and as the second and fourth, so that the windows of one class
   differ as little as can be; each character is moved as long as that helps.
2. The 256 pairs of classes are put into 16 classes in the same way, as a window's first half and as its second.
3. A weight for each pair of those, and for each block of characters beyond Latin-1, is fitted to the tokens of whole
   texts: least squares of the relative errors, drawn to what the windows say (ridge).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from math import ceil
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tests.benchmarks.weights._texts import Texts
from ujsx.tokens import BLOCK_WEIGHTS, rs_bpe_counter

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

CLASSES = 16

WINDOWS = CLASSES**2
"""How many kinds of windows have a weight; and how many pairs of classes there are."""

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

SHARES = {"agent": 12.0, "common": 3.0, "other": 0.5}
"""What a kind of text weighs, whatever its texts: what agents read, what many people write, all else."""

NAMES = 5 / 6
"""How many tokens a character of prose has, to one of names: about so many where there are both."""

BEYOND = 0.35
"""What of the tokens of a character beyond Latin-1 its window tells; the rest is its block's weight."""

AT_ENDS = 1.4
"""Tokens of a text that no window of it tells, on average: those at its first two characters and its last."""

UNMET = 2.5
"""Tokens of a character whose block is in no text: its bytes are hardly ever put together."""

RIDGE_WINDOWS, RIDGE_BLOCKS = 0.3, 0.05

SWEEPS, TRIALS = 5, 60

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

    first_classes: Ints
    second_classes: Ints
    first_pairs: Ints
    second_pairs: Ints
    windows: Floats
    blocks: Floats

    def counted(self, sample: Sample) -> Floats:
        """Return how many windows of each kind a text has, and characters of each block."""
        first, second = self.first_classes[sample.data], self.second_classes[sample.data]
        pairs = first[:-1] * CLASSES + second[1:]
        windows = self.first_pairs[pairs[:-2]] * CLASSES + self.second_pairs[pairs[2:]]
        beyond = np.bincount(sample.blocks, minlength=len(STARTS))
        return np.concatenate((np.bincount(windows, minlength=WINDOWS), beyond)).astype(float)


def samples(texts: Texts) -> Iterator[Sample]:
    """Yield what is known of each text."""
    lengths: dict[int, int] = {}
    count = rs_bpe_counter()
    for kind, each in texts.items():
        group, _, language = kind.rpartition(":")
        is_common = not group or (group == "lang" and language in LANGUAGES)
        share = SHARES["agent" if group == "agent" else "common" if is_common else "other"]
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
    return _Windows(
        np.array([unique >> shift & 255 for shift in (24, 16, 8, 0)]),
        _summed(place, weight, len(unique)),
        _summed(place, weight * np.concatenate(tokens), len(unique)),
        blocks,
    )


def _unlike(weight: Floats, begun: Floats) -> float:
    """Return how much windows of one class differ: less by what their mean explains."""
    return -float((begun**2 / (weight + 2e-6)).sum())


def _characters(windows: _Windows) -> tuple[Ints, Ints]:
    """Return the classes of the characters, as the first and third of a window, and as the second and fourth."""
    total = windows.weight.sum()
    weight, begun = windows.weight / total, windows.begun / total
    often = np.sum([_summed(each, weight, 256) for each in windows.characters], axis=0)
    classes = [_at_first(), _at_first()]
    places: list[list[Ints]] = [
        [
            np.flatnonzero((windows.characters[at] == char) | (windows.characters[at + 2] == char))
            for char in range(256)
        ]
        for at in (0, 1)
    ]
    moved = [int(char) for char in np.argsort(-often) if often[char] > 1e-5 and char != ord("?")]

    def keys(at: Any = slice(None)) -> Ints:
        key = np.zeros(1, dtype=np.int64)
        for place, chars in enumerate(windows.characters):
            key = key * CLASSES + classes[place % 2][chars[at]]
        return key

    def sums(key: Ints, at: Any = slice(None)) -> tuple[Floats, Floats]:
        return _summed(key, weight[at], WINDOWS**2), _summed(key, begun[at], WINDOWS**2)

    for _ in range(SWEEPS):
        for char in moved:
            for side in (0, 1):
                at: Ints = places[side][char]
                all_weight, all_begun = sums(keys())
                own_weight, own_begun = sums(keys(at), at)
                found: list[float] = []
                for tried in range(CLASSES):
                    classes[side][char] = tried
                    more_weight, more_begun = sums(keys(at), at)
                    found.append(
                        _unlike(
                            all_weight - own_weight + more_weight,
                            all_begun - own_begun + more_begun,
                        )
                    )
                classes[side][char] = int(np.argmin(found))
    for char in range(256):
        if often[char] <= 1e-5 and char != ord("?"):
            like = "\xe4" if chr(char).isalpha() else "*"
            for each in classes:
                each[char] = each[ord(like)]
    return classes[0], classes[1]


def _at_first() -> Ints:
    """Return classes to begin with, from which characters are moved."""
    groups = (
        "\n",
        "?",
        "0123456789",
        " \t",
        "eaiou",
        "tnrs",
        "lhdc",
        "mpgfbvkwyzjxq",
        "",
        "",
        "'\"`",
        "([{<",
        ".,:;",
        "_-/\\",
        ")]}>",
        "",
    )
    classes = np.full(256, CLASSES - 1)
    for number, group in enumerate(groups):
        classes[[ord(char) for char in group]] = number
    classes[[char for char in range(128) if chr(char).isupper()]] = 8
    classes[0xC0:] = 9
    return classes


def _pairs(weight: Floats, begun: Floats) -> tuple[Ints, Ints, Floats]:
    """Return the classes of a window's halves, and how often a token begins within two of them."""
    lot = np.random.default_rng(1)

    def means(first: Ints, second: Ints) -> tuple[Floats, float]:
        rows, columns = np.eye(CLASSES)[first], np.eye(CLASSES)[second]
        weights, tokens = rows.T @ weight @ columns, rows.T @ begun @ columns
        return (tokens + 3e-6) / (weights + 1e-5), _unlike(weights, tokens)

    best: tuple[float, Ints, Ints, Floats] | None = None
    order = [(begun.sum(axis) + 1e-9) / (weight.sum(axis) + 2e-9) for axis in (1, 0)]
    for _ in range(TRIALS):
        first, second = (
            np.argsort(np.argsort(each + lot.normal(0, 0.15, WINDOWS))) * CLASSES // WINDOWS
            for each in order
        )
        unlike = 0.0
        for _ in range(100):
            mean, now = means(first, second)
            if now > unlike - 1e-9:
                break
            unlike = now
            columns = np.eye(CLASSES)[second]
            first = (weight @ columns @ mean.T**2 - 2 * begun @ columns @ mean.T).argmin(1)
            mean, _ = means(first, second)
            rows = np.eye(CLASSES)[first]
            second = (weight.T @ rows @ mean**2 - 2 * begun.T @ rows @ mean).argmin(1)
        if best is None or unlike < best[0]:
            best = unlike, first, second, means(first, second)[0]
    assert best is not None
    return best[1:]


def fit(known: list[Sample]) -> Tables:
    """Return the tables that fit best."""
    windows = _windows(known)
    first, second = _characters(windows)
    chars, total = windows.characters, windows.weight.sum()
    halves = [first[chars[at]] * CLASSES + second[chars[at + 1]] for at in (0, 2)]
    key = halves[0] * WINDOWS + halves[1]
    shape = (WINDOWS, WINDOWS)
    summed = (
        _summed(key, each / total, WINDOWS**2).reshape(shape)
        for each in (windows.weight, windows.begun)
    )
    first_pairs, second_pairs, means = _pairs(*summed)
    guessed = np.concatenate((means.ravel(), np.maximum(windows.blocks - BEYOND, 0.02)))
    tables = Tables(first, second, first_pairs, second_pairs, guessed[:WINDOWS], guessed[WINDOWS:])
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
