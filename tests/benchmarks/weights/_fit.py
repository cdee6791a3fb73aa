"""Weights by least squares: nothing but Python, so that anybody can fit them anew.

What is made small is the sum of squares of the relative errors. Each kind of text weighs the same, and
kinds that many people write :data:`COMMON` times as much. A little is added for each weight that differs
from what is guessed (ridge), which decides where texts say nothing.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Sequence
from math import sqrt
from typing import NamedTuple

from tests.benchmarks.weights._texts import Texts
from ujsx.tokens import BLOCK_WEIGHTS, DISCOUNTS, TokenCounter
from ujsx.tokens._estimate import discount

COMMON = 6

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
"""Languages that count as common; so does all that is no language."""

NAMES = 5 / 6
"""How many tokens a character of prose has, to one of names: about so many where there are both."""

RIDGE = 0.05

SWEEPS = 400

STARTS = [first for first, _, _ in BLOCK_WEIGHTS]

FEATURES = 256 + len(BLOCK_WEIGHTS)
"""What has a weight: the characters of Latin-1, then blocks."""


class Weights(NamedTuple):
    """What is fitted, in hundredths of a token."""

    latin: tuple[int, ...]
    blocks: tuple[int, ...]

    def estimate(self, text: str) -> int:
        """Return the estimate with these weights, in tokens."""
        known = (*self.latin, *self.blocks)
        cost = sum(known[feature] * times for feature, times in features(text).items())
        return -(-(cost - _discount(text)) // 100)


class Bounds(NamedTuple):
    """Between which weights a character's lies, in tokens, and what is guessed."""

    least: float
    guess: float
    most: float = 2.55


class Sample(NamedTuple):
    """What the fit knows of a text."""

    features: dict[int, int]
    """How often each is there."""

    discount: float
    """What its pairs of digits and of spaces cost less, in tokens."""

    tokens: int
    """How many there are by the exact counter."""

    weight: float


def features(text: str) -> dict[int, int]:
    """Return how often there is what has a weight."""
    units = memoryview(text.encode("utf-16-le")).cast("H")
    counted: Counter[int] = Counter()
    for unit, times in Counter(units).items():
        counted[unit if unit < 256 else 255 + bisect(STARTS, unit)] += times
    return counted


def bounds(feature: int) -> Bounds:
    """Return the bounds of a weight: no character is for nothing, however seldom it is a token of its own.

    What is discounted behind its like costs no less than that.
    """
    if feature >= 256:
        is_second = STARTS[feature - 256] in {0, 0xDC00}
        return Bounds(0, 0, 0) if is_second else Bounds(0.15, 1)
    char = chr(feature)
    if feature >= 128:
        return Bounds(0.3, 0.6, 1.6)
    if char.isdigit():
        return Bounds(DISCOUNTS["digit"] / 100 + 0.1, 1.8)
    if char in " \t":
        return Bounds(DISCOUNTS["space"] / 100, 0.6)
    if char.islower():
        return Bounds(0.08, 0.2)
    return Bounds(0.15, 0.35) if char.isupper() else Bounds(0.25, 0.55)


def samples(texts: Texts, exact: TokenCounter) -> Iterator[Sample]:
    """Yield what is known of each text."""
    for kind, each in texts.items():
        group, _, language = kind.rpartition(":")
        is_common = not group or (group == "lang" and language in LANGUAGES)
        share = (COMMON if is_common else 1) / max(1, len(each))
        for text in each:
            tokens = round(exact(text) * (NAMES if group == "names" else 1))
            found = features(text)
            yield Sample(found, _discount(text) / 100, tokens, sqrt(share) / tokens)


def _discount(text: str) -> int:
    return discount(text.encode("latin-1", "ignore"))


def fit(known: Sequence[Sample]) -> Weights:
    """Return the weights that fit best.

    Coordinate descent on the normal equations, each weight kept within its bounds: the sum of squares is
    convex, so it ends where it is least.
    """
    limits = [bounds(feature) for feature in range(FEATURES)]
    gram = [[RIDGE**2 * (row == column) for column in range(FEATURES)] for row in range(FEATURES)]
    aim = [RIDGE**2 * limit.guess for limit in limits]
    for counts, off, tokens, weight in known:
        for row, times in counts.items():
            scaled = times * weight**2
            aim[row] += scaled * (tokens + off)
            line = gram[row]
            for column, others in counts.items():
                line[column] += scaled * others
    weights: list[float] = [limit.guess for limit in limits]
    for _ in range(SWEEPS):
        for row, (line, limit) in enumerate(zip(gram, limits, strict=True)):
            rest = sum(map(float.__mul__, line, map(float, weights))) - line[row] * weights[row]
            weights[row] = min(limit.most, max(limit.least, (aim[row] - rest) / line[row]))
    rounded = tuple(round(100 * weight) for weight in weights)
    return Weights(rounded[:256], rounded[256:])
