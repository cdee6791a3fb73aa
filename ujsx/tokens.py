"""Counting tokens without a network.

A counter is any callable from text to a number of tokens. The default estimates; it needs no
vocabulary and no download. ``calibrated`` corrects a counter by what a provider reports. Exact
counters come with the extras ``ujsx[tiktoken]`` and ``ujsx[rs-bpe]``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from itertools import groupby, pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeAlias
from zlib import adler32

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


# Classes of characters, and what windows of four cost: the tables behind the estimate, as ``make weights`` prints them.
#
# They are fitted to where o200k begins tokens (November 2026) in some 5,900 texts of 170 kinds: what agents read, made of the
# files of wheels (calls, results, paths, logs, diffs, answers, HUDs), the messages of Django, Plone and pycountry in some
# 110 languages, and every other one of some recorded sessions. docs/look-up/tokens.md has the errors on other texts.

FIRST_CLASSES = (
    "fffffffff8cffcffffffffffffffffffefcffffcffffffff2222222222fffff1"
    "888888888888888888888888888ffffff9777a766490676567666377707fffff"
    "ffffffffffffffffffffffffffffffffefffffffff17fffffffff1ffff1effff"
    "11116711111111111111111f1111717231131111314111f81481511f181e11c1"
)
"""Of each character of Latin-1 the class as the first or the third of a window, as a hexadecimal digit."""

SECOND_CLASSES = (
    "fffffffff40ff0ffffffffffffffffff9ffffbfffff8fbef2222222222fffbf1"
    "288888888888888888888888782f0ffef47744767476274474246474777fffff"
    "ffffffffffffffffffffffffffffffff4fffffffff1bfffffffff1f4ff1fffff"
    "11110211111111111111111f111101b724f712114146416f62f4421f14201111"
)
"""The same as the second or the fourth."""

FIRST_PAIRS = (
    "d720509316040008d490b094100e00fedcc0103a70040008d75030ab40060006"
    "f750303340030008d75030bb40040008d72030b360000008d72030a340060008"
    "d72030a396000008d720303b40060008d75050b3600600080000000000000000"
    "dc201033460e00ee0000000000000000d7201011160f00ffde2030ba400f00ff"
)
"""Of each pair of classes, the first times 16 and the second, the class as the first half of a window."""

SECOND_PAIRS = (
    "1050401251010011d880608666090066ccc0c0cccc0d00cc1050000431060071"
    "1100104651010011110010015101001111501011510400110030505531030000"
    "2090909982020028123070265101001111202041110100110000000000000000"
    "bbb0b0bbbb0b00bb0000000000000000fff0f0fff80f00ffeee0e0eeae0e00ea"
)
"""The same as its second half."""

# fmt: off
WINDOW_WEIGHTS: tuple[int, ...] = (
      7,   0,  14,   0,  27,   0,   0,   4,   0,   2,  15,   4, 100,  88,   0, 100,
      7,   0,  23,  28,  22,  12,   0,  12,   6,  58,  93,  41, 100,  75, 100, 100,
     19,  10,   0, 100,  17,  90,  10,  21, 100, 100, 100, 100,  18,   1,  94, 100,
     11,   0,   5,  28,  45,   0,  50,  42, 100,  98,  85,  97, 100,  73,  79,  84,
     13,   0,   7,  32,  11,  13,  36,  15,  22,  64,   4,  46, 100,  36,  91,  74,
     14,  11,  17,  10,  27,  26,  39,  97,  93,  94,  97,  94,  20,  42,  82,  93,
      0,   0,   0,   5,   2,   0,   0,   0,   0,  21,   9,  14,  90,   0,   4, 100,
     21,  34,  58,  51,  66,  65,   1,  56,  21,  62,  94,  37, 100,  38,  94,  88,
     17,  15,  86,  76,  76,  20,  15,  44,  93,  55,   0,   0,  94,  29,   0,  95,
     45,  72,   5,  76,  66,  91,  54,  42,   5,  88,  97, 100, 100,  34,  98,  87,
      3,  11,  18,  18,  65,  49,  22,  15, 100, 100,  98,  93, 100,  85, 100,  83,
     86,  28,  15,  31,  45,   9,  47,  30,  96,  81,  98,  88,  98,  63,  82,  55,
     83,  93,  90, 100,  47, 100,  40,  86,  74,  98,  97, 100,  29,  62,  84,  87,
     97,  61, 100,  98,  69,  78, 100,  95,  72, 100,  89,   5,  95,  30,  76,  92,
     29,  47,  50,  72,  63,  59,  62,  74,  80,  95,   0,   1,  98,  29,  15,  85,
    100, 100, 100, 100,  99, 100, 100, 100, 100,  83,  40,   4, 100,  57,   6,  90,
)
# fmt: on
"""The weights of windows, in hundredths of a token: a line for each class of its first half."""

BLOCK_WEIGHTS: tuple[tuple[int, int, str], ...] = (
    (0x0000, 0, "Latin-1, which has a table of its own"),
    (0x0100, 53, "Latin Extended-A and -B"),
    (0x0200, 50, "Latin Extended-B, IPA"),
    (0x0300, 85, "Combining marks"),
    (0x0380, 5, "Greek"),
    (0x0400, 0, "Cyrillic"),
    (0x0500, 5, "Armenian, Hebrew"),
    (0x0600, 1, "Arabic"),
    (0x0700, 137, "Syriac, Thaana, N'Ko"),
    (0x0800, 215, "Samaritan, Mandaic, Arabic Extended"),
    (0x0900, 4, "Devanagari, Bengali"),
    (0x0A00, 32, "Gurmukhi"),
    (0x0A80, 16, "Gujarati"),
    (0x0B00, 57, "Oriya"),
    (0x0B80, 5, "Tamil"),
    (0x0C00, 14, "Telugu, Kannada"),
    (0x0D00, 6, "Malayalam"),
    (0x0D80, 25, "Sinhala"),
    (0x0E00, 14, "Thai"),
    (0x0E80, 124, "Lao"),
    (0x0F00, 215, "Tibetan"),
    (0x1000, 25, "Myanmar"),
    (0x1080, 4, "Georgian"),
    (0x1100, 215, "Hangul Jamo"),
    (0x1200, 142, "Ethiopic"),
    (0x1380, 215, "Cherokee, Canadian syllabics, runes"),
    (0x1700, 215, "Philippine scripts"),
    (0x1780, 31, "Khmer"),
    (0x1800, 215, "Mongolian and other scripts"),
    (0x1E00, 231, "Latin Extended Additional"),
    (0x1E80, 0, "Latin Extended Additional, Vietnamese"),
    (0x1F00, 215, "Greek Extended"),
    (0x2000, 33, "Punctuation, currency"),
    (0x2100, 215, "Letterlike symbols, numbers"),
    (0x2180, 28, "Arrows"),
    (0x2200, 215, "Mathematical operators"),
    (0x2300, 164, "Technical symbols, enclosed letters"),
    (0x2500, 28, "Box drawing"),
    (0x2580, 32, "Block elements, shapes"),
    (0x2600, 41, "Symbols, dingbats"),
    (0x2780, 215, "Arrows, Braille, mathematical symbols"),
    (0x2C00, 215, "Scripts and radicals"),
    (0x3000, 41, "CJK punctuation, Hiragana, Katakana"),
    (0x3100, 215, "Bopomofo, enclosed CJK"),
    (0x3400, 215, "CJK Extension A"),
    (0x4E00, 40, "CJK"),
    (0xA000, 215, "Yi and other scripts"),
    (0xAC00, 25, "Hangul"),
    (0xD800, 136, "Beyond the basic plane, with emoji: the first half"),
    (0xDC00, 0, "its second half"),
    (0xE000, 215, "Private use"),
    (0xF900, 215, "Compatibility forms"),
    (0xFE00, 147, "Variation selectors, forms"),
    (0xFF00, 181, "Full-width and half-width forms"),
)
"""The weights of characters beyond Latin-1 beside their window, from the one that is named up to the next line's.

A block begins where a page of 256 characters does, or its second half.
"""


# An estimate of tokens from windows of four characters, and from the Unicode block of those beyond Latin-1.
#
# A token begins at a character, or goes on: the characters before and behind it tell how likely each is. A window's
# cost is how often a token begins at the third of its four. Its characters fall into classes, its halves into classes
# of pairs, and two of the latter have a weight.
#
# No vocabulary, no download. All that goes over a whole text is done by a few calls of ``bytes`` and ``int``,
# which take as long as a memory copy; a text of 10,000 characters takes some 40 µs.

TokenCounter: TypeAlias = Callable[[str], int]
"""Counts the tokens of a text."""


def estimate_tokens(text: str) -> int:
    """Return about how many tokens ``text`` is for a current model, rounded up.

    The estimate of a part of a text is never more than that of the whole. The estimates of two parts
    add up to that of the whole, or to at most two tokens less or more.

    >>> estimate_tokens("")
    0
    >>> estimate_tokens("Use JWT over sessions.")
    5
    """
    if not text:
        return 0
    try:
        cost = _kept(text) if len(text) <= _SHORT else _hundredths(text)
    except TypeError:
        raise _no_text(text) from None
    return -(-(_TOKEN + cost) // _TOKEN)


def _no_text(given: object) -> CallError:
    """The refusal of what is not a text, with the line to write."""
    lines: dict[object, str] = {
        dict: "schema_tokens(schema)",
        list: "estimate_tokens(json.dumps(messages))",
    }
    line = lines.get(type(given), "render_document(tree).tokens")
    return CallError(f"estimate_tokens takes a text, not {shown(given)}; write {line}")


_TOKEN = 100
"""One token, in hundredths: the first one of a text, which begins before any window tells."""

_SHORT = 4096
"""Characters of a text whose cost is kept: one rendering asks for the same pieces as the one before."""

_MOST_KEPT = 4096
"""Costs that are kept at most."""

_costs: dict[int, int] = {}
"""The costs of short texts by their hashes, so that no word of them stays in memory."""


def _kept(text: str) -> int:
    """Return the cost of a short text in hundredths of a token, which is counted once."""
    key = hash(text)
    cost = _costs.get(key)
    if cost is None:
        if len(_costs) >= _MOST_KEPT:
            _costs.clear()
        cost = _costs[key] = _hundredths(text)
    return cost


def _hundredths(text: str) -> int:
    """Return what the windows of a text and its characters beyond Latin-1 cost, in hundredths of a token."""
    data = text.replace("?", _QUESTION_MARK).encode("latin-1", "replace")
    step = _AT_ONCE - _WINDOW + 1
    cost = sum([_windows(data[at : at + _AT_ONCE]) for at in range(0, len(data), step)])
    beyond = 0 if text.isascii() else data.count(b"?")
    return cost + _beyond_latin(text, len(text) - beyond) if beyond else cost


_QUESTION_MARK = "\x1a"
"""The stand-in for a question mark, which itself stands for whatever is beyond Latin-1."""

_WINDOW = 4
"""Characters of a window."""

_AT_ONCE = 8192
"""Characters whose windows are looked at together, whatever the length of the text: as many as memory near the processor holds."""


def _windows(data: bytes) -> int:
    """Return what the windows cost that so many characters have, in hundredths of a token.

    A byte holds two classes. Of one and of a later one, the upper half of the first and the lower half of the second make
    a byte for the next table: first of two neighbors, then of two such pairs.
    """
    size = len(data)
    classes = int.from_bytes(data.translate(_CLASSES), "little")
    pairs = (classes & _UPPER | classes >> 8 & _LOWER).to_bytes(size, "little")
    classes = int.from_bytes(pairs.translate(_PAIR_CLASSES), "little")
    windows = (classes & _UPPER | classes >> 16 & _LOWER).to_bytes(size, "little")
    return _sum(windows[: 1 - _WINDOW].translate(_WINDOW_WEIGHTS), _TOKEN)


_UPPER, _LOWER = (int.from_bytes(half * _AT_ONCE, "little") for half in (b"\xf0", b"\x0f"))

_CLASSES, _PAIR_CLASSES = (
    bytes(int(first + second, 16) for first, second in zip(firsts, seconds, strict=True))
    for firsts, seconds in ((FIRST_CLASSES, SECOND_CLASSES), (FIRST_PAIRS, SECOND_PAIRS))
)

_WINDOW_WEIGHTS = bytes(WINDOW_WEIGHTS)


def _beyond_latin(text: str, latin: int) -> int:
    """Return what the characters beyond Latin-1 cost, which have no weight among the others.

    In UTF-16 the upper byte of a unit is its page. Where a page holds two scripts, the highest bit of the lower
    byte says which half of it a character is on; a page's code and that bit are one byte, which has a weight.
    """
    if 2 * latin > len(text):  # the few others are quicker to go over alone
        data = text.encode("utf-8", "surrogatepass").translate(None, _ASCII)
        text = data.decode("utf-8", "surrogatepass")
    units = text.encode("utf-16-le", "surrogatepass")
    pages = units[1::2]
    codes = pages.translate(_PAGE_CODES)
    if pages.translate(None, _WHOLE_PAGES):
        halves = int.from_bytes(units[::2].translate(_UPPER_HALF), "little")
        both = halves | int.from_bytes(codes, "little")
        codes = both.to_bytes(len(codes), "little")
    return _sum(codes.translate(_CODE_WEIGHTS), 255)


_ASCII = bytes(range(128))

_UPPER_HALF = bytes(byte & 0x80 for byte in range(256))


def _half_pages() -> Iterator[int]:
    """Yield the weight of each half of a page, 128 characters each."""
    ends = (*(first for first, _, _ in BLOCK_WEIGHTS[1:]), 0x10000)
    for (first, weight, _), end in zip(BLOCK_WEIGHTS, ends, strict=True):
        yield from (weight for _ in range(first, end, 128))


_HALVES = list(_half_pages())

_PAGES = list(zip(_HALVES[::2], _HALVES[1::2], strict=True))

_WHOLE_PAGES = bytes(page for page, (lower, upper) in enumerate(_PAGES) if lower == upper)
"""Pages whose halves weigh the same."""

_KINDS = list(dict.fromkeys(_PAGES))
"""Each pair of weights once: fewer than 128, so that a code leaves room for the bit of the half."""

_PAGE_CODES = bytes(map(_KINDS.index, _PAGES))

_CODE_WEIGHTS = b"".join(bytes(half).ljust(128, b"\0") for half in zip(*_KINDS, strict=True))

_MODULUS = 65_521
"""That of Adler-32."""


def _sum(data: bytes, most: int) -> int:
    """Return the sum of bytes: the lower half of an Adler-32 is 1 more (RFC 1950, section 8.2).

    :param most: the highest byte there may be, which tells how many sum up to less than the modulus.
    """
    size = (_MODULUS - 2) // most
    parts = range(0, len(data), size)
    return sum([adler32(data[at : at + size]) & 0xFFFF for at in parts]) - len(parts)


# A counter corrected by what a provider reports.


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A counter whose counts are multiplied by a share: tokens reported over tokens counted.

    It is a value: two with the same numbers are equal, and a reading gives a new one. Counts are
    rounded up, so that the whole is never more than the sum of its parts if ``counter`` has it so.
    """

    counter: TokenCounter
    """What is corrected."""

    counted: int
    """How many tokens ``counter`` found in all that was reported on."""

    reported: int
    """How many the provider says there were."""

    def __call__(self, text: str) -> int:
        return -(-self.counter(text) * self.reported // self.counted)

    def read(self, counted: int, reported: int) -> Calibrated:
        """Return the counter with one more reading, each weighing as much as it has tokens.

        :raises CounterError: for numbers that no request can have.

        >>> calibrated(len, counted=100, reported=30).read(counted=300, reported=70).share
        0.25
        """
        _check(counted, reported)
        return Calibrated(self.counter, self.counted + counted, self.reported + reported)

    @property
    def share(self) -> float:
        """The share by which counts are multiplied."""
        return self.reported / self.counted


def calibrated(
    counter: TokenCounter = estimate_tokens, *, counted: int, reported: int
) -> Calibrated:
    """Return ``counter`` corrected by one reading of a provider.

    :param counter: what counts; the estimate by default.
    :param counted: the tokens it found in the texts of a request: system prompt, tools, messages.
    :param reported: the input tokens that the provider says the request had, cached ones included.
    :raises CounterError: for numbers that no request can have.

    A provider adds some tokens to each message and each tool, so take a long request.

    >>> ours = calibrated(counted=1_000, reported=1_250)
    >>> estimate_tokens("Use JWT over sessions."), ours("Use JWT over sessions.")
    (5, 7)
    """
    _check(counted, reported)
    return Calibrated(counter, counted, reported)


def calibrated_by(
    readings: Iterable[tuple[int, int]], counter: TokenCounter = estimate_tokens
) -> Calibrated | None:
    """Return ``counter`` corrected by how a history grew, or None where that says too little.

    System prompt, tools and all else that stands in each request cancels out, so that nobody has to know it.

    :param readings: one after the other, the tokens that ``counter`` found in the history so far, and the input tokens
        that the provider reported for it. Where either falls, such as after a compaction, counting begins anew.

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
"""From how many counted tokens on a history's growth says something."""


def _check(counted: int, reported: int) -> None:
    numbers: tuple[object, ...] = (counted, reported)
    for name, number in zip(("counted", "reported"), numbers, strict=True):
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            raise CounterError(
                f"{name} is a number of tokens, 1 or more, not {shown(number)}; "
                "a request without tokens corrects nothing"
            )


# Exact counters, from packages that come with extras. Each is imported when it is asked for.
#
# Text is counted as text: what looks like a special token is the characters that it has.


@dataclass(frozen=True, slots=True)
class Encoding:
    """The way in which OpenAI's models split text before bytes are merged, and the file that says which."""

    pattern: str
    """What is merged on its own: a regular expression with Unicode classes."""

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
"""The encodings by name; what defines them is ``tiktoken_ext/openai_public.py`` of tiktoken."""


@dataclass(frozen=True, slots=True)
class ExactCounter:
    """A counter that counts what a model's tokenizer makes of a text; equal by name."""

    name: str
    """The package and its encoding, such as ``rs-bpe o200k_base``."""

    count: Callable[[str], int] = field(repr=False, compare=False)

    made_by: tuple[Callable[..., ExactCounter], tuple[Any, ...]] | None = field(
        default=None, repr=False, compare=False
    )
    """What makes it, and of what: a pickle holds that instead of the vocabulary."""

    def __call__(self, text: str) -> int:
        return self.count(_writable(text))

    def __reduce__(self) -> tuple[Callable[..., ExactCounter], tuple[Any, ...]]:
        return self.made_by or (ExactCounter, (self.name, self.count))


def tiktoken_counter(
    vocabulary: str | os.PathLike[str], encoding: str = "o200k_base"
) -> ExactCounter:
    """Return a counter on tiktoken with a vocabulary that lies on this machine; nothing is fetched.

    :param vocabulary: the file ``o200k_base.tiktoken`` or ``cl100k_base.tiktoken``, as OpenAI
        publishes it.
    :param encoding: which of them it is.
    :raises CounterError: if tiktoken is missing, the encoding is unknown, or the file is not its
        vocabulary.

    >>> tiktoken_counter("o200k_base.tiktoken", "o200k")
    Traceback (most recent call last):
    ujsx.errors.CounterError: 'o200k' is not an encoding; did you mean "o200k_base"?
    """
    return _with_tiktoken(Path(vocabulary), _known(encoding))


def rs_bpe_counter(encoding: str = "o200k_base") -> ExactCounter:
    """Return a counter on rs_bpe, which has both vocabularies in its wheel (26 MB).

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
    """The tokens of a vocabulary by their bytes: each line has them in base 64, and their number."""
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
    """The text with U+FFFD for each surrogate, which no tokenizer takes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
