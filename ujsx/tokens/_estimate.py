"""An estimate of tokens from windows of four characters, and from the Unicode block of those beyond Latin-1.

A token begins at a character, or goes on: the characters before and behind it tell how likely each is. A window's
cost is how often a token begins at the third of its four. Its characters fall into classes, its halves into classes
of pairs, and two of the latter have a weight.

No vocabulary, no download. All that goes over a whole text is done by a few calls of ``bytes`` and ``int``,
which take as long as a memory copy; a text of 10,000 characters takes some 40 µs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias
from zlib import adler32

from ujsx.tokens._weights import (
    BLOCK_WEIGHTS,
    FIRST_CLASSES,
    FIRST_PAIRS,
    SECOND_CLASSES,
    SECOND_PAIRS,
    WINDOW_WEIGHTS,
)

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
    cost = _kept(text) if len(text) <= _SHORT else _hundredths(text)
    return -(-(_TOKEN + cost) // _TOKEN)


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
