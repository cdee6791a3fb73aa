"""Counting tokens without a network.

A counter is any callable from text to a number of tokens. The default estimates; it needs no
vocabulary and no download. ``calibrated`` corrects a counter by what a provider reports. Exact
counters come with the extras ``ujsx[tiktoken]`` and ``ujsx[rs-bpe]``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import import_module
from itertools import groupby, pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeAlias
from zlib import adler32

import msgspec

from ujsx.calls import WithText
from ujsx.errors import CallError, CounterError, did_you_mean, shown
from ujsx.on_demand import on_demand

__all__ = [
    "TokenCounter",
    "calibrated",
    "calibrated_by",
    "estimate_tokens",
    "rs_bpe_counter",
    "tiktoken_counter",
]

on_demand(globals())


# Tables of the estimate, printed by ``make weights``: classes of characters, and the cost of each window of four.
#
# They are fitted to what o200k counts (November 2026) in some 9,300 texts of 200 kinds: what agents read, made of the files of
# wheels (calls, results, paths, logs, diffs, answers), HUDs in 33 languages, the messages of Django, Plone, Thonny and pycountry in
# some 110, and every other one of some recorded sessions. docs/look-up/tokens.md has the errors on other texts.

CLASSES = bytes.fromhex(
    "e5e5e5e5e5e5e5e5e54a00e5e508e5e5e5e5e5e5e5f5846e65e5e5e5e5e5e5e5"
    "ccede5e5e6e5e5f6e6e6e5e5e5e6e6e511111111111111111111edede6e6e5f7"
    "d252525252525252525252575252525252525252525252d2505250e5e5e5e0e6"
    "d63333232323232b233333272b232b232333232323333333332337e6d0e5f3e5"
    "e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5"
    "41e5e5e5e5e5e5e5e5e577d0e5e5e5e5e5e5e5e5e577e5e0e5e577d6e5e5e5e5"
    "7777777710207777777777777777777777777777777777e5777777775777d015"
    "f69019a7596919a21e30a359a2f61d77dda61fa2af1ee7e5191fa66ffff77e77"
)
"""The class of each Latin-1 character at each place of a window: first in bit 7, second in bits 0 to 2, third in bits 4
to 6, fourth in bit 3.
"""

# fmt: off
WINDOW_WEIGHTS: tuple[int, ...] = (
     10, 100, 100, 100, 100, 100,  86,  68,   0,  54, 100,  90,  49,  75,  85,  87,
    100,  29, 100, 100, 100, 100,  86,  31, 100,  15,  97, 100, 100, 100, 100,  66,
    100, 100,   0,  53,  16,  35,  57,  94,  58, 100,   0,  19,  64,   0, 100,  49,
     76,  99,   4,  22,  67,  96,  94, 100,  79, 100,   0,  22,  33,  61,  78,   0,
     17, 100,   0,  21, 100,   0,  27,  42,   0, 100,   0,   0,  89,  17,  34,   0,
      0, 100,  28,   0,  77, 100,  10,  57,   3,  59,  95,  73,  64,  68,  27,  94,
     16, 100,   3,   0, 100,   0,   0,  21,  20, 100, 100, 100,  69,  59,   7, 100,
     67, 100, 100, 100,  99, 100, 100,  57,   5,  60,  90,  94,  79,  99, 100,  22,
      0,  80,  79,  74,  57, 100, 100, 100,   0, 100,  73,  79,  70,  90,  74,  65,
     84,  11, 100,  98,  60, 100,  67,  23,  85,  28,  36,  45,  88,  75, 100,  44,
     25,  99,   0,  15,  35,   0,  79,  76,  84,  91,   1,  16,  65,  33, 100,  18,
    100, 100,   0,  32, 100,  33,  83,  52,  63,  74,   1,  48,  73,  89,  97,   0,
      7, 100,  60,  58,   0,  14,  33,   1,  18, 100,   1,  28,   0,   4,  29,   0,
     12,  93, 100,  82, 100, 100,   4,  56,   4,  97, 100,  92,  64,  82,  31, 100,
      0,  86,   0,  26,  96,   4,  48,  36,   0,  68, 100,  95, 100,  99,  23,  69,
     88,  42,   0,   0, 100,  96, 100,  41,  65,  64,   0,  60,  99,  47,  86,  11,
)
# fmt: on
"""Weights of windows, in hundredths of a token: one line for each class of the fourth and the second character."""

BLOCK_WEIGHTS: tuple[tuple[int, int, str], ...] = (
    (0x0000, 0, "Latin-1, which has a table of its own"),
    (0x0100, 8, "Latin Extended-A and -B"),
    (0x0200, 51, "Latin Extended-B, IPA"),
    (0x0300, 79, "Combining marks"),
    (0x0380, 9, "Greek"),
    (0x0400, 0, "Cyrillic"),
    (0x0500, 9, "Armenian, Hebrew"),
    (0x0600, 3, "Arabic"),
    (0x0700, 145, "Syriac, Thaana, N'Ko"),
    (0x0800, 215, "Samaritan, Mandaic, Arabic Extended"),
    (0x0900, 8, "Devanagari, Bengali"),
    (0x0A00, 37, "Gurmukhi"),
    (0x0A80, 23, "Gujarati"),
    (0x0B00, 64, "Oriya"),
    (0x0B80, 8, "Tamil"),
    (0x0C00, 17, "Telugu, Kannada"),
    (0x0D00, 9, "Malayalam"),
    (0x0D80, 30, "Sinhala"),
    (0x0E00, 17, "Thai"),
    (0x0E80, 131, "Lao"),
    (0x0F00, 215, "Tibetan"),
    (0x1000, 29, "Myanmar"),
    (0x1080, 6, "Georgian"),
    (0x1100, 215, "Hangul Jamo"),
    (0x1200, 152, "Ethiopic"),
    (0x1380, 215, "Cherokee, Canadian syllabics, runes"),
    (0x1700, 215, "Philippine scripts"),
    (0x1780, 35, "Khmer"),
    (0x1800, 215, "Mongolian and other scripts"),
    (0x1E00, 255, "Latin Extended Additional"),
    (0x1E80, 0, "Latin Extended Additional, Vietnamese"),
    (0x1F00, 215, "Greek Extended"),
    (0x2000, 13, "Punctuation, currency"),
    (0x2100, 215, "Letterlike symbols, numbers"),
    (0x2180, 47, "Arrows"),
    (0x2200, 215, "Mathematical operators"),
    (0x2300, 166, "Technical symbols, enclosed letters"),
    (0x2500, 31, "Box drawing"),
    (0x2580, 47, "Block elements, shapes"),
    (0x2600, 36, "Symbols, dingbats"),
    (0x2780, 247, "Arrows, Braille, mathematical symbols"),
    (0x2C00, 215, "Scripts and radicals"),
    (0x3000, 43, "CJK punctuation, Hiragana, Katakana"),
    (0x3100, 215, "Bopomofo, enclosed CJK"),
    (0x3400, 215, "CJK Extension A"),
    (0x4E00, 59, "CJK"),
    (0xA000, 215, "Yi and other scripts"),
    (0xAC00, 34, "Hangul"),
    (0xD800, 199, "Beyond the basic plane, with emoji: the first half"),
    (0xDC00, 0, "its second half"),
    (0xE000, 215, "Private use"),
    (0xF900, 215, "Compatibility forms"),
    (0xFE00, 147, "Variation selectors, forms"),
    (0xFF00, 0, "Full-width and half-width forms"),
)
"""Additional weights of characters beyond Latin-1: from the named one up to the next line's.

A block begins where a page of 256 characters does, or its second half.
"""


# An estimate of tokens from windows of four characters, and from the Unicode block of those beyond Latin-1.
#
# A token begins at a character, or goes on: the characters before and behind it tell how likely each is. A window's
# cost is how often a token begins at the third of its four. Each character has a class for its place, and the four
# classes of a window have a weight.
#
# No vocabulary, no download. All that goes over a whole text is done by a few calls of ``bytes`` and ``int``,
# which take as long as a memory copy; a text of 10,000 characters takes some 25 µs.

TokenCounter: TypeAlias = Callable[[str], int]
"""Counts the tokens of a text."""


def estimate_tokens(text: str) -> int:
    """Return the approximate number of tokens of ``text`` for a current model, rounded up.

    A part of a text is never estimated higher than the whole. The estimates of two parts differ from that of the whole
    by at most two tokens.

    >>> estimate_tokens("")
    0
    >>> estimate_tokens("Use JWT over sessions.")
    4
    """
    if not text:
        return 0
    try:
        is_short = len(text) <= _SHORT
        cost = _costs.get(hash(text)) if is_short else None
        if cost is None:
            cost = _hundredths(text)
            if is_short:
                if len(_costs) >= _MOST_KEPT:
                    _costs.clear()
                _costs[hash(text)] = cost
    except (TypeError, AttributeError):
        several: object = text
        if isinstance(several, list) and all(isinstance(each, str) for each in several):
            return sum(map(estimate_tokens, several))
        return estimate_tokens(_text_of(text))
    return -(-(_TOKEN + cost) // _TOKEN)


def _text_of(given: Any) -> str:
    """Return the text of a node, or of a rendering.

    :raises CallError: for any other value, with the line to write.
    """
    if isinstance(given, WithText):
        return str(given)
    if hasattr(given, "render") or hasattr(given, "component"):
        text: str = import_module("ujsx").render(given)
        return text
    lines: dict[Any, str] = {
        dict: "schema_tokens(schema)",
        list: "estimate_tokens(json.dumps(messages)), or sum(map(estimate_tokens, texts))",
    }
    line = lines.get(type(given), "render_document(tree).tokens")
    raise CallError(f"estimate_tokens takes a text, not {shown(given)}; write {line}")


_TOKEN = 100
"""The first token of a text, in hundredths: it begins before the first window."""

_SHORT = 4096
"""The longest text whose cost is cached, in characters: one rendering measures the same pieces as the last."""

_MOST_KEPT = 4096
"""The most costs in the cache."""

_costs: dict[int, int] = {}
"""Costs of short texts by their hashes, so that no text stays in memory."""


def _hundredths(text: str) -> int:
    """Return the cost of a text's windows and its characters beyond Latin-1, in hundredths of a token."""
    text = text.replace("?", QUESTION_MARK)
    if is_beyond := not text.isascii():
        for letter, stand_in in LETTERS.items():
            text = text.replace(letter, stand_in)
    data = text.encode("latin-1", "replace")
    cost = 0
    for at in range(0, len(data), _AT_ONCE - _WINDOW + 1):
        cost += _sum(_windows(data[at : at + _AT_ONCE]), _TOKEN)
    beyond = data.count(b"?") if is_beyond else 0
    return cost + _beyond_latin(text, len(text) - beyond) if beyond else cost


QUESTION_MARK = "\x1a"
"""The stand-in for a question mark: the encoder writes question marks for characters beyond Latin-1."""

LETTERS = {"ı": "\x15", "н": "\x16", "і": "\x17", "ј": "\x18"}
"""Stand-ins of letters that tell languages apart: of Turkish, and in Cyrillic of all, of Ukrainian and of Serbian."""

_WINDOW = 4
"""Characters of a window."""

_AT_ONCE = 8192
"""Characters whose windows are measured together, whatever the text's length: as many as fit the processor's cache."""


def _windows(data: bytes) -> bytes:
    """Return the cost of each window, in hundredths of a token.

    A window is a byte of eight bits, from the codes of its four characters. Shifted by half a byte, a code has bits of two
    neighbors: of the first and the second in a window, and two bytes later of the third and the fourth.
    """
    codes = int.from_bytes(data.translate(CLASSES), "little") >> 4
    windows = codes & _FIRST_TWO | codes >> 16 & _LAST_TWO
    return windows.to_bytes(len(data), "little")[: 1 - _WINDOW].translate(_WINDOW_WEIGHTS)


_FIRST_TWO, _LAST_TWO = (int.from_bytes(bits * _AT_ONCE, "little") for bits in (b"\x78", b"\x87"))

_WINDOW_WEIGHTS = bytes(WINDOW_WEIGHTS)


def _beyond_latin(text: str, latin: int) -> int:
    """Return the cost of the characters beyond Latin-1, which windows do not weigh.

    In UTF-16 the upper byte of a unit is its page. Where a page holds two scripts, or weighs much, its code is above 127, and
    the highest bit of the lower byte says which half of it a character is on; both are one byte, which has a weight.
    """
    if 2 * latin > len(text):  # the few others are quicker to go over alone
        data = text.encode("utf-8", "surrogatepass").translate(None, _ASCII)
        text = data.decode("utf-8", "surrogatepass")
    page_codes, weights = _pages()
    units = text.encode("utf-16-le", "surrogatepass")
    codes = units[1::2].translate(page_codes)
    if codes.isascii():
        return _sum(codes.translate(weights), _LIGHT)
    halves = int.from_bytes(units[::2].translate(_UPPER_HALF), "little")
    both = halves | int.from_bytes(codes, "little")
    codes = both.to_bytes(len(codes), "little")
    return _sum(codes.translate(weights), 255)


_ASCII = bytes(range(128))

_UPPER_HALF = bytes(byte >> 1 & 0x40 for byte in range(256))


@cache
def _pages() -> tuple[bytes, bytes]:
    """Return the code of each page, and the weight of each code, for the lower half and for the upper one.

    Light pages and others have at most 64 codes each.
    """
    ends = (*(first for first, _, _ in BLOCK_WEIGHTS[1:]), 0x10000)
    blocks = zip(BLOCK_WEIGHTS, ends, strict=True)
    halves = (weight for (first, weight, _), end in blocks for _ in range(first, end, 128))
    pages = list(zip(halves, halves, strict=True))
    kinds = [
        list(dict.fromkeys(page for page in pages if _is_heavy(page) is heavy))
        for heavy in (False, True)
    ]
    codes = bytes(_is_heavy(page) << 7 | kinds[_is_heavy(page)].index(page) for page in pages)
    weights = [bytes(half).ljust(64, b"\0") for kind in kinds for half in zip(*kind, strict=True)]
    return codes, b"".join(weights)


_LIGHT = 63
"""The highest weight of a page of one weight whose characters are summed without a look at their halves."""


def _is_heavy(page: tuple[int, int]) -> bool:
    lower, upper = page
    return lower != upper or lower > _LIGHT


_MODULUS = 65_521
"""The modulus of Adler-32."""


def _sum(data: bytes, most: int) -> int:
    """Return the sum of bytes: the lower half of an Adler-32 is 1 more (RFC 1950, section 8.2).

    :param most: the highest possible byte; it bounds how many sum up to less than the modulus.
    """
    size = (_MODULUS - 2) // most
    total = 0
    for at in range(0, len(data), size):
        total += (adler32(data[at : at + size]) & 0xFFFF) - 1
    return total


# The possible error of an estimate: it is fitted to text by people and programs; other text has more tokens.

_IN_WORDS = (
    "a[bcdfgiklmnprstuvwxy]|b[acdeijlorsuy]|c[acehiklmorstuy]|d[abcdegilorstuy]"
    "|e[abcdefghiklmnopqrstvwxy]|f[adefilorstu]|g[aehilnorstu]|h[aeiortu]"
    "|i[abcdefgklmnoprstvxz]|j[eosu]|k[adeilnsw]|l[abdefilopstuy]|m[abdeilmopsu]"
    "|n[acdefgiklnopstuvy]|o[abcdefgijklmnoprstuvwxz]|p[acdehiloprstuy]|qu"
    "|r[abcdefgiklmnoprstuvy]|s[aceghiklmnopstuwxy]|t[acdefhilmoprstuwy]"
    "|u[abcdefgijlmnoprst]|v[aeio]|w[aehinors]|x[aceipt]|y[eilnopst]|ze"
)
"""Pairs of letters within words: 99 of 100 pairs in English and in code."""

_NO_SPACES = "\u0e00-\u109f\u1780-\u17ff\u3000-\u30ff\u3400-\u9fff"
"""Scripts that do not separate words."""

_OTHERS = rf"[^\u0000-\u024f\u2000-\u2bff{_NO_SPACES}\U00010000-\U0010ffff]"
"""A character of another script."""

DOUBTS: tuple[tuple[int, str], ...] = (
    (50, rf"(?i)(?=[a-z]{{2}})(?!{_IN_WORDS})"),  # letters in no word
    (50, r"(?!:\*)(?=([!-/:-@[-`{-~])(?!\1)[!-/:-@[-`{-~])"),  # two signs, escapes among them
    (20, r"[$%&+<=>?@^{|}~]"),
    (60, r"(?i)(?=[a-z]\d|\d[a-z])"),
    (60, r"(?<=[a-z])[A-Z]"),
    (100, r"[\u0080-\u00b6\u00b8-\u024f]"),
    (10, _OTHERS),
    (40, r"[\u0700-\u08ff\u0e80-\u0fff\u1200-\u139f]"),  # of scripts that few texts have
    (20, rf"[{_NO_SPACES}]"),
    (40, r"(?<=[A-Za-z]{16})[A-Za-z]"),  # of one long word
    (200, rf"(?<={_OTHERS}{{12}}){_OTHERS}"),
    (200, r"[\U00010000-\U0001efff\U00020000-\U0010ffff]"),
)
"""The possible excess of each match over the estimate, in hundredths of a token."""


@cache
def _doubts() -> list[tuple[int, re.Pattern[str]]]:
    return [(weight, re.compile(pattern)) for weight, pattern in DOUBTS]


def doubt(text: str) -> int:
    """Return how far a text may exceed its estimate, in tokens: hardly at all for English and code.

    Only a vocabulary gives certainty. None of 1,600 minimal HUDs (random escapes, signs and letters, long words, other
    languages) exceeds its estimate plus its doubt by more than five tokens.

    >>> doubt("Read the ledger, then park it."), doubt("{}[]<>#|~^" * 3), doubt("xqzjvkwq" * 3)
    (0, 18, 13)
    """
    return sum(weight * len(pattern.findall(text)) for weight, pattern in _doubts()) // _TOKEN


# A counter corrected by a provider's reported usage.


@dataclass(frozen=True, slots=True)
class CalibratedCounter:
    """A counter whose counts are multiplied by a share: tokens reported over tokens counted.

    It is a value: two with the same numbers are equal, and a reading gives a new one. Counts are rounded up: the whole
    never exceeds the sum of its parts if that holds for ``counter``.
    """

    counter: TokenCounter
    """The counter to correct."""

    counted: int
    """The total that ``counter`` found in the reported texts."""

    reported: int
    """The total that the provider reported."""

    def __call__(self, text: str) -> int:
        return -(-self.counter(text) * self.reported // self.counted)

    def read(self, counted: int, reported: int) -> CalibratedCounter:
        """Return the counter with one more reading, weighted by its tokens.

        :raises CounterError: for numbers that no request can have.

        >>> calibrated(len, counted=100, reported=30).read(counted=300, reported=70).share
        0.25
        """
        _check(counted, reported)
        return CalibratedCounter(self.counter, self.counted + counted, self.reported + reported)

    @property
    def share(self) -> float:
        """The factor by which counts are multiplied."""
        return self.reported / self.counted


def calibrated(
    counter: TokenCounter = estimate_tokens, *, counted: int, reported: int
) -> CalibratedCounter:
    """Return ``counter`` corrected by one reported request.

    :param counter: the counter to correct; the estimate by default.
    :param counted: the tokens it found in the texts of a request: system prompt, tools, messages.
    :param reported: the input tokens that the provider reported, cached ones included.
    :raises CounterError: for numbers that no request can have.

    Use a long request: providers add some tokens to each message and each tool.

    >>> ours = calibrated(counted=1_000, reported=1_250)
    >>> estimate_tokens("Use JWT over sessions."), ours("Use JWT over sessions.")
    (4, 5)
    """
    _check(counted, reported)
    return CalibratedCounter(counter, counted, reported)


def calibrated_by(
    readings: Iterable[tuple[int, int]], counter: TokenCounter = estimate_tokens
) -> CalibratedCounter | None:
    """Return ``counter`` corrected by the growth of a history, or None where the growth is too small.

    The constant parts of each request, such as system prompt and tools, cancel out and need not be known.

    :param readings: one after the other, the tokens that ``counter`` found in the history so far, and the input tokens
        that the provider reported for it. Where either falls, such as after a compaction, counting restarts.

    >>> ours = calibrated_by([(0, 12_000), (2_000, 14_600), (5_000, 18_400), (800, 13_000)])
    >>> ours and ours.share
    1.28
    """
    each_once = [next(same) for _, same in groupby(readings, key=itemgetter(1))]
    grown = [(now[0] - was[0], now[1] - was[1]) for was, now in pairwise(each_once)]
    steps = [step for step in grown if min(step) > 0]
    counted, reported = (sum(step[side] for step in steps) for side in (0, 1))
    return calibrated(counter, counted=counted, reported=reported) if counted >= LEAST else None


LEAST = 1_000
"""The least growth of a history that gives a correction, in counted tokens."""


def _check(counted: int, reported: int) -> None:
    numbers: tuple[object, ...] = (counted, reported)
    for name, number in zip(("counted", "reported"), numbers, strict=True):
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            raise CounterError(
                f"{name} is a number of tokens, 1 or more, not {shown(number)}; "
                "a request without tokens corrects nothing"
            )


# Exact counters, from packages of extras, each imported on first use.
#
# A special token within a text is counted as ordinary characters.


class Encoding(msgspec.Struct, frozen=True):
    """An encoding of OpenAI's models: the pattern that splits text, and the file of its byte merges."""

    pattern: str
    """The pieces that are merged separately: a regular expression with Unicode classes."""

    sha256: str
    """The digest of the vocabulary's file, ``<name>.tiktoken``."""


ENCODINGS: dict[str, Encoding] = {
    "cl100k_base": Encoding(
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
        r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
    "o200k_base": Encoding(
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
}
"""The encodings by name, from tiktoken's ``tiktoken_ext/openai_public.py``."""


@dataclass(frozen=True, slots=True)
class ExactCounter:
    """A counter of the exact tokens of a model's tokenizer; equal by name."""

    name: str
    """The package and its encoding, such as ``rs-bpe o200k_base``."""

    count: Callable[[str], int] = field(repr=False, compare=False)

    made_by: tuple[Callable[..., ExactCounter], tuple[Any, ...]] | None = field(
        default=None, repr=False, compare=False
    )
    """Its factory and arguments, which a pickle holds instead of the vocabulary."""

    def __call__(self, text: str) -> int:
        return self.count(_writable(text))

    def __reduce__(self) -> tuple[Callable[..., ExactCounter], tuple[Any, ...]]:
        return self.made_by or (ExactCounter, (self.name, self.count))


def tiktoken_counter(
    vocabulary: str | os.PathLike[str], encoding: str = "o200k_base"
) -> ExactCounter:
    """Return a tiktoken counter with a local vocabulary file; nothing is downloaded.

    :param vocabulary: the file ``o200k_base.tiktoken`` or ``cl100k_base.tiktoken``, as published by OpenAI.
    :param encoding: the name of its encoding.
    :raises CounterError: if tiktoken is missing, the encoding is unknown, or the file is not its
        vocabulary.

    >>> tiktoken_counter("o200k_base.tiktoken", "o200k")
    Traceback (most recent call last):
    ujsx.errors.CounterError: 'o200k' is not an encoding; did you mean "o200k_base"?
    """
    return _with_tiktoken(Path(vocabulary), _known(encoding))


def rs_bpe_counter(encoding: str = "o200k_base") -> ExactCounter:
    """Return an rs_bpe counter; its wheel (26 MB) contains both vocabularies.

    :param encoding: ``o200k_base`` or ``cl100k_base``.
    :raises CounterError: if rs_bpe is missing, or the encoding is unknown.
    """
    return _with_rs_bpe(_known(encoding))


@lru_cache
def _with_tiktoken(path: Path, name: str) -> ExactCounter:
    tiktoken = _extra("tiktoken", "tiktoken")
    encoding = ENCODINGS[name]
    ranks = _ranks(path, name, encoding.sha256)
    tokenizer = tiktoken.Encoding(
        name, pat_str=encoding.pattern, mergeable_ranks=ranks, special_tokens={}
    )
    return ExactCounter(
        f"tiktoken {name}",
        lambda text: len(tokenizer.encode_ordinary(text)),
        (_with_tiktoken, (path, name)),
    )


@lru_cache
def _with_rs_bpe(name: str) -> ExactCounter:
    tokenizer = getattr(_extra("rs_bpe.bpe", "rs-bpe").openai, name)()
    return ExactCounter(f"rs-bpe {name}", tokenizer.count, (_with_rs_bpe, (name,)))


def _ranks(path: Path, name: str, sha256: str) -> dict[bytes, int]:
    """Return the token numbers of a vocabulary by their bytes: each line has the bytes in base 64, and the number."""
    from base64 import b64decode
    from hashlib import sha256 as digest

    try:
        data = path.read_bytes()
    except OSError as error:
        raise CounterError(
            f"{path} cannot be read: {error.strerror or error}; save the vocabulary {name}.tiktoken "
            "there, or use rs_bpe_counter, which brings its own"
        ) from None
    if digest(data).hexdigest() != sha256:
        raise CounterError(
            f"{path} is not the vocabulary of {name}: its SHA-256 is not {sha256[:12]}…; "
            f"save {name}.tiktoken again, or name the encoding that it is"
        )
    pairs = (line.split() for line in data.splitlines() if line)
    return {b64decode(token): int(number) for token, number in pairs}


def _known(name: str) -> str:
    if name not in ENCODINGS:
        raise CounterError(f"{name!r} is not an encoding; {did_you_mean(name, ENCODINGS)}")
    return name


def _extra(module: str, extra: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise CounterError(f'{extra} is not installed; pip install "ujsx[{extra}]"') from None


def _writable(text: str) -> str:
    """Return the text with U+FFFD for each surrogate, which tokenizers reject."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
