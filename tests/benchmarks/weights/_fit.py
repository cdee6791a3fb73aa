"""Classes and weights of the estimate, fitted to how many tokens o200k makes of whole texts.

From the tables that ``ujsx/tokens.py`` has, two steps alternate as long as they help: each letter is moved to the class that
fits best at each place in a window, and weights are fitted to the classes. What is made small is the square of each text's relative
error, and of each kind's mean one. Fitted are letters beyond ASCII and blocks of scripts, so that English and code keep their
tokens; or all letters, all blocks and all windows. Capitals, digits and signs keep their classes: moved, too, they fit the code
that is fitted better, and other code worse.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import ceil
from string import ascii_lowercase
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tests.benchmarks.weights._texts import LANGUAGES, Texts
from ujsx.tokens import (
    BLOCK_WEIGHTS,
    CLASSES,
    LETTERS,
    QUESTION_MARK,
    WINDOW_WEIGHTS,
    rs_bpe_counter,
)

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

IN_WINDOW, IN_CODE = (3, 4, 0, 7), (7, 0, 4, 3)
"""The lowest bit of each place's class in the number of a window, and in the code of a character."""

COUNTS = (2, 8, 8, 2)
"""How many classes characters have at each place in a window."""

WINDOWS = len(WINDOW_WEIGHTS)

SHARES = {"recorded": 72.0, "agent": 20.0, "most": 90.0, "huds": 30.0, "common": 15.0, "other": 0.5}
"""The weight of each kind of text, however many texts it has: what agents read, in recorded sessions and elsewhere;
HUDs in a language of most users, and in another; what many people write; all else."""

MOST = frozenset(["ar", "de", "en", "es", "fr", "hi", "ja", "ko", "pt", "ru", "tr", "zh"])
"""The languages of most users."""

PULL = 30.0
"""The weight of a kind's mean error, as a multiple of the weight of its texts: the error of one HUD is chance, that
of its language is not."""

NAMES = 5 / 6
"""How many tokens a character of prose has, to one of names: about so many where there are both."""

AT_ENDS = 1.4
"""Tokens of a text that no window of it tells, on average: those at its first two characters and its last."""

RIDGE_WINDOWS, RIDGE_BLOCKS = 0.1, 1.0
"""How much weights are drawn to those that there were."""

SWEEPS = 6

RARE = 150
"""How often a character is met that stays in its classes."""

BEYOND = frozenset(map(ord, LETTERS.values())) | {*range(0xC0, 0x100)} - {0xD7, 0xF7}
"""Letters beyond ASCII, as the estimate sees them."""

MOVED = BEYOND | frozenset(map(ord, f"?{ascii_lowercase}"))
"""All letters; a question mark is whatever is beyond Latin-1."""

STARTS = np.array([first for first, _, _ in BLOCK_WEIGHTS])

UNPAID = np.isin(STARTS, (0, 0xDC00))
"""Blocks without a weight: windows tell of Latin-1, and second halves of characters are paid for by the first."""

SCRIPTS = ~(
    UNPAID | (STARTS >= 0x2000) & (STARTS < 0x2C00) | np.isin(STARTS, (0xD800, 0xE000, 0xFE00))
)
"""Blocks of letters."""


class Sample(NamedTuple):
    """A text, and what o200k makes of it."""

    kind: str
    share: float
    """What it weighs among all."""

    tokens: float
    data: NDArray[np.uint8]
    """Its characters in Latin-1, as the estimate sees them."""

    blocks: Ints
    """How many characters it has of each block."""


class Tables(NamedTuple):
    """The tables of ``ujsx/tokens.py``; weights in tokens."""

    classes: Ints
    """A row for each place in a window: the class of each character."""

    weights: Floats
    """Those of windows, then those of blocks."""

    @property
    def codes(self) -> Ints:
        """The classes of each character as one number."""
        rows = zip(self.classes, IN_CODE, strict=True)
        codes: Ints = np.sum([row << shift for row, shift in rows], axis=0)
        return codes


def tables() -> Tables:
    """Return those of ``ujsx/tokens.py``."""
    codes = np.frombuffer(CLASSES, np.uint8).astype(np.int64)
    shifts = zip(IN_CODE, COUNTS, strict=True)
    weights = [*WINDOW_WEIGHTS, *(weight for _, weight, _ in BLOCK_WEIGHTS)]
    classes = np.array([codes >> shift & count - 1 for shift, count in shifts])
    return Tables(classes, np.array(weights) / 100)


def samples(texts: Texts) -> Iterator[Sample]:
    """Yield what is known of each text."""
    count = rs_bpe_counter()
    stand_ins = str.maketrans({"?": QUESTION_MARK, **LETTERS})
    for kind, each in texts.items():
        group, _, language = kind.rpartition(":")
        is_common = not group or (group == "lang" and language in LANGUAGES)
        of_agents = "recorded" if language.startswith("recorded") else "agent"
        by_group = {"agent": of_agents, "huds": "most" if language in MOST else "huds"}
        share = SHARES[by_group.get(group, "common" if is_common else "other")]
        for text in each:
            tokens = count(text) * (NAMES if group == "names" else 1)
            seen = text.translate(stand_ins)
            codes = np.array(
                [min(ord(char), 0xD800) if char > "\uffff" else ord(char) for char in seen]
            )
            blocks = np.searchsorted(STARTS, codes, side="right") - 1
            yield Sample(
                kind,
                share / len(each),
                tokens,
                np.frombuffer(seen.encode("latin-1", "replace"), np.uint8),
                np.bincount(blocks, minlength=len(STARTS)),
            )


class _Texts:
    """All texts, and how far tables are off on them."""

    def __init__(self, known: list[Sample]) -> None:
        self.tokens = np.array([sample.tokens for sample in known])
        self.blocks = np.array([sample.blocks for sample in known])
        self.share = np.array([sample.share for sample in known])
        _, self.kind = np.unique([sample.kind for sample in known], return_inverse=True)
        sizes = np.bincount(self.kind)
        self.pull = PULL * np.bincount(self.kind, self.share) / sizes**2
        lengths = [max(0, len(sample.data) - 3) for sample in known]
        self.text = np.repeat(np.arange(len(known)), lengths)
        """The text of each window."""
        self.characters = [
            np.concatenate([s.data[at : at + size] for s, size in zip(known, lengths, strict=True)])
            for at in range(4)
        ]
        self.places = [_places(each) for each in self.characters]
        """The windows that have a character at a place."""

    def counts(self, kinds: Ints) -> Floats:
        """Return how many windows of each kind texts have, and characters of each block."""
        size = len(self.tokens) * WINDOWS
        found = np.bincount(self.text * WINDOWS + kinds, minlength=size).reshape(-1, WINDOWS)
        return np.concatenate((found, self.blocks), axis=1).astype(float)

    def kinds(self, classes: Ints) -> Ints:
        """Return the kinds of all windows."""
        places = zip(classes, self.characters, IN_WINDOW, strict=True)
        kinds: Ints = np.sum([row[chars] << shift for row, chars, shift in places], axis=0)
        return kinds

    def weighed(self, errors: Floats) -> Floats:
        """Return relative errors, of a text each, by what they weigh; those of its kind are in each."""
        by_kind = np.zeros((len(self.pull), *errors.shape[1:]))
        np.add.at(by_kind, self.kind, errors)
        shape = (-1, *(1,) * (errors.ndim - 1))
        pulled = (self.pull.reshape(shape) * by_kind)[self.kind]
        weighed: Floats = self.share.reshape(shape) * errors + pulled
        return weighed

    def errors(self, found: Tables) -> Floats:
        """Return the relative error of each text."""
        counts = self.counts(self.kinds(found.classes))
        errors: Floats = (counts @ found.weights + AT_ENDS) / self.tokens - 1
        return errors

    def weights(self, found: Tables, guessed: Floats, fitted: Ints) -> Floats:
        """Return some of the weights by coordinate descent on the normal equations, each kept within its bounds."""
        rows = self.counts(self.kinds(found.classes)) / self.tokens[:, None]
        is_window = np.arange(len(guessed)) < WINDOWS
        ridge = np.where(is_window, RIDGE_WINDOWS, RIDGE_BLOCKS) ** 2
        most = np.where(is_window, 1.0, 2.55)
        gram = rows.T @ self.weighed(rows) + np.diag(ridge)
        aim = rows.T @ self.weighed(1 - AT_ENDS / self.tokens) + ridge * guessed
        weights = found.weights.copy()
        for _ in range(200):
            for place in fitted:
                rest = (aim[place] - gram[place] @ weights) / gram[place, place]
                weights[place] = min(most[place], max(0.0, weights[place] + rest))
        return weights.round(2)

    def moved(self, found: Tables, letters: Iterable[int]) -> Tables:
        """Return tables in which each letter is in its best class for each place, one after the other."""
        classes, kinds, errors = found.classes.copy(), self.kinds(found.classes), self.errors(found)
        weighed = self.weighed(errors)
        often = np.bincount(self.characters[2], minlength=256)
        for char in sorted(letters, key=lambda char: -often[char]):
            if often[char] <= RARE:
                break
            for place, shift in enumerate(IN_WINDOW):
                at, now = self.places[place][char], int(classes[place, char])
                texts, text = np.unique(self.text[at], return_inverse=True)
                others, tried = kinds[at] - (now << shift), dict[float, tuple[int, Floats]]()
                for other in range(COUNTS[place]):
                    change = found.weights[others + (other << shift)] - found.weights[kinds[at]]
                    by_text = np.bincount(text, change, len(texts)) / self.tokens[texts]
                    by_kind = np.bincount(self.kind[texts], by_text, len(self.pull))
                    squares = self.share[texts] @ by_text**2 + self.pull @ by_kind**2
                    tried[2 * float(weighed[texts] @ by_text) + float(squares)] = other, by_text
                best, by_text = tried[min(tried)]
                if best != now and min(tried) < -1e-7:
                    classes[place, char], kinds[at] = best, others + (best << shift)
                    by_kind = np.bincount(self.kind[texts], by_text, len(self.pull))
                    weighed += (self.pull * by_kind)[self.kind]
                    weighed[texts] += self.share[texts] * by_text
        return found._replace(classes=classes)


def _places(characters: Any) -> list[Ints]:
    order = np.argsort(characters, kind="stable")
    return np.split(order, np.searchsorted(characters[order], np.arange(1, 256)))


def fit(known: list[Sample], *, is_all: bool = False) -> Tables:
    """Return the best tables near those that there are: all of them, or those of letters beyond ASCII."""
    texts, before = _Texts(known), tables()
    letters = MOVED if is_all else BEYOND
    windows = np.full(WINDOWS, is_all)
    fitted = np.flatnonzero(np.concatenate((windows, ~UNPAID if is_all else SCRIPTS)))
    found = before._replace(weights=texts.weights(before, before.weights, fitted))
    for _ in range(SWEEPS):
        after = texts.moved(found, letters)
        if (after.classes == found.classes).all():
            break
        found = after._replace(weights=texts.weights(after, before.weights, fitted))
    return found


def estimates(found: Tables, texts: Mapping[str, list[str]]) -> Iterator[tuple[str, float]]:
    """Yield by how much the estimate of each text is off, with its kind."""
    known = list(samples(dict(texts)))
    errors = _Texts(known).errors(found)
    for sample, error in zip(known, errors, strict=True):
        cost = sample.tokens * (1 + float(error)) - AT_ENDS
        yield sample.kind, ceil(1 + cost - 1e-9) / sample.tokens - 1
