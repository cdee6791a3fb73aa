"""An estimate of tokens from what characters cost: the ASCII ones each, the others by Unicode block.

No vocabulary, no download. All that goes over a whole text is done by a few calls of ``bytes`` and ``int``,
which take as long as a memory copy; a text of 10,000 characters takes some 50 µs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias
from zlib import adler32

from ujsx.tokens._weights import ASCII_WEIGHTS, BLOCK_WEIGHTS, DISCOUNTS

TokenCounter: TypeAlias = Callable[[str], int]
"""Counts the tokens of a text."""


def estimate_tokens(text: str) -> int:
    """Return about how many tokens ``text`` is for a current model, rounded up.

    The estimate of a text is never more than the sum of the estimates of its parts, and never less than
    the estimate of one of them.

    >>> estimate_tokens("")
    0
    >>> estimate_tokens("Use JWT over sessions.")
    5
    """
    return whole_tokens(hundredths(text))


def hundredths(text: str) -> int:
    """Return the same in hundredths of a token.

    They add up unless one part ends with a digit or a space, and the next begins with one; what stands
    between them beyond ASCII is not looked at.
    """
    if text.isascii():
        return _ascii(text.encode())
    data = text.encode("ascii", "ignore")
    if 2 * len(data) < len(text):
        return _ascii(data) + _beyond_ascii(text)
    parts = text.encode("utf-8", "surrogatepass")  # the few others alone are quicker to go over
    others = parts.translate(None, _ALL_ASCII).decode("utf-8", "surrogatepass")
    return _ascii(data) + _beyond_ascii(others)


def whole_tokens(hundredths: int) -> int:
    """Return hundredths of a token as tokens, rounded up."""
    return -(-hundredths // 100)


def discount(data: bytes) -> int:
    """Return what digits behind digits and spaces behind spaces cost less, in hundredths of a token."""
    marks = int.from_bytes(data.translate(_MARKS), "little")
    return _MARK * (marks & marks >> 8).bit_count()


def _ascii(data: bytes) -> int:
    """Return what ASCII characters cost."""
    return _sum(data.translate(_ASCII)) - discount(data)


_ALL_ASCII = bytes(range(128))

_ASCII = bytes(ASCII_WEIGHTS).ljust(256, b"\0")

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


def _beyond_ascii(text: str) -> int:
    """Return what the other characters cost; ASCII ones cost nothing here.

    In UTF-16 the upper byte of a unit is its page, and the highest bit of the lower byte says which half
    of the page it is on; no block begins elsewhere. A page's code and that bit are one byte, which has a weight.
    """
    units = text.encode("utf-16-le", "surrogatepass")
    pages, places = units[1::2], units[::2]
    halves = int.from_bytes(places.translate(_UPPER_HALF), "little")
    codes = int.from_bytes(pages.translate(_PAGE_CODES), "little")
    return _sum((halves | codes).to_bytes(len(pages), "little").translate(_CODE_WEIGHTS))


_UPPER_HALF = bytes(byte & 0x80 for byte in range(256))


def _half_pages() -> Iterator[int]:
    """Yield the weight of each half of a page, 128 characters each."""
    ends = (*(first for first, _, _ in BLOCK_WEIGHTS[1:]), 0x10000)
    for (first, weight, _), end in zip(BLOCK_WEIGHTS, ends, strict=True):
        yield from (weight for _ in range(first, end, 128))


def _page_tables() -> tuple[bytes, bytes]:
    """Return the code of each page, one for those that weigh the same, and the weight of each code."""
    halves = list(_half_pages())
    pages = list(zip(halves[::2], halves[1::2], strict=True))
    kinds = list(dict.fromkeys(pages))  # fewer than 128: the eighth bit tells the half
    lower, upper = zip(*kinds, strict=True)
    weights = bytes(lower).ljust(128, b"\0") + bytes(upper).ljust(128, b"\0")
    return bytes(map(kinds.index, pages)), weights


_PAGE_CODES, _CODE_WEIGHTS = _page_tables()

_AT_ONCE = 256
"""So many bytes sum up to less than Adler-32's modulus, 65,521, whatever they are."""


def _sum(data: bytes) -> int:
    """Return the sum of the bytes: the lower half of an Adler-32 is 1 more (RFC 1950, section 8.2)."""
    parts = range(0, len(data), _AT_ONCE)
    return sum([adler32(data[at : at + _AT_ONCE]) & 0xFFFF for at in parts]) - len(parts)
