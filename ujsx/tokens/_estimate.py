"""An estimate of tokens from what characters cost: those of Latin-1 each, the others by Unicode block.

No vocabulary, no download. All that goes over a whole text is done by a few calls of ``bytes`` and ``int``,
which take as long as a memory copy; a text of 10,000 characters takes some 50 µs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias
from zlib import adler32

from ujsx.tokens._weights import BLOCK_WEIGHTS, DISCOUNTS, LATIN_WEIGHTS

TokenCounter: TypeAlias = Callable[[str], int]
"""Counts the tokens of a text."""


def estimate_tokens(text: str) -> int:
    """Return about how many tokens ``text`` is for a current model, rounded up.

    The estimate of a text is never more than the sum of the estimates of its parts, and never less than
    the estimate of one of them.

    >>> estimate_tokens("")
    0
    >>> estimate_tokens("Use JWT over sessions.")
    7
    """
    return whole_tokens(hundredths(text))


def hundredths(text: str) -> int:
    """Return the same in hundredths of a token.

    They add up unless one part ends with a digit or a space, and the next begins with one; what stands
    between them beyond Latin-1 is not looked at.
    """
    data = text.encode("latin-1", "ignore")
    cost = _sum(data.translate(_LATIN)) - discount(data)
    return cost if len(data) == len(text) else cost + _beyond_latin(text, len(data))


def whole_tokens(hundredths: int) -> int:
    """Return hundredths of a token as tokens, rounded up."""
    return -(-hundredths // 100)


def discount(data: bytes) -> int:
    """Return what digits behind digits and spaces behind spaces cost less, in hundredths of a token."""
    marks = int.from_bytes(data.translate(_MARKS), "little")
    return _MARK * (marks & marks >> 8).bit_count()


_LATIN = bytes(LATIN_WEIGHTS)

_MARK = 50
"""What a bit that neighbours have in common is worth, in hundredths of a token."""


def _marks() -> Iterator[int]:
    """Yield for each byte as many bits as it costs less behind its like: digits some, spaces others."""
    digit, space = (DISCOUNTS[name] // _MARK for name in ("digit", "space"))
    for byte in range(256):
        if byte in b"0123456789":
            yield (1 << digit) - 1
        else:
            yield (1 << digit + space) - (1 << digit) if byte in b" \t" else 0


_MARKS = bytes(_marks())


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
    return _sum(codes.translate(_CODE_WEIGHTS))


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

_AT_ONCE = 256
"""So many bytes sum up to less than Adler-32's modulus, 65,521, whatever they are."""


def _sum(data: bytes) -> int:
    """Return the sum of the bytes: the lower half of an Adler-32 is 1 more (RFC 1950, section 8.2)."""
    parts = range(0, len(data), _AT_ONCE)
    return sum([adler32(data[at : at + _AT_ONCE]) & 0xFFFF for at in parts]) - len(parts)
