"""The price of a prompt by provider, and the part of the previous prompt that each caches.

Costs are in tokens of plain input: a token that is read from a cache counts a tenth. The models follow the
providers' documents, and do not know the actual bill.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from hud_runtime._errors import DeliveryError
from ujsx.errors import did_you_mean
from ujsx.errors import shown as shown_text

Cache: TypeAlias = Literal["breakpoints", "newest", "prefix"]
"""The caching of a provider: prefixes that end at a breakpoint of the request, searched among the last
blocks before one (Anthropic); the same, with an automatic breakpoint at the newest message (OpenAI since
GPT-5.6); or the longest prefix, in steps of tokens (OpenAI before, Gemini).
"""


class Prices(msgspec.Struct, frozen=True):
    """The prices of tokens, as multiples of plain input, and the caching of prompts."""

    cache: Cache

    read: float = 0.1
    """Input that was read from the cache."""

    write: float = 1.25
    """Input that was written to it."""

    output: float = 5.0

    input: float = 1.0


PRICES: Mapping[str, Prices] = MappingProxyType(
    {
        "anthropic": Prices("breakpoints"),
        "openai": Prices("newest"),
        "openai-before-5.6": Prices("prefix", write=1.0),
    }
)
"""Prices by name, with the ratios in the providers' documents. Your own table replaces it."""


def prices_of(prices: Prices | str) -> Prices:
    """Return the prices by name, or the given ones.

    :raises DeliveryError: for a name that is not in the table.

    >>> prices_of("openai-before-5.6").write
    1.0
    """
    if isinstance(prices, Prices):
        return prices
    if prices not in PRICES:
        raise DeliveryError(
            f"{shown_text(prices)} is not a table of prices; {did_you_mean(prices, PRICES)}"
        )
    return PRICES[prices]


LOOKED_BACK = 20
"""The number of blocks before a breakpoint among which Anthropic looks for a cached one."""

CHUNK = 128
"""The step of the longest prefix, in tokens."""


class Block(NamedTuple):
    """A message of a prompt, or a part of one."""

    text: str | int
    """Its words, or a number for unknown words: equal values are the same block."""

    tokens: int
    is_marked: bool = False
    """True if there is a cache breakpoint at its end."""


class RequestTokens(NamedTuple):
    """A request's usage, in tokens."""

    read: int = 0
    written: int = 0
    plain: int = 0

    def cost(self, prices: Prices) -> float:
        """Return the cost, in tokens of plain input."""
        return prices.read * self.read + prices.write * self.written + prices.input * self.plain


def spent(requests: Iterable[Sequence[Block]], cache: Cache) -> list[RequestTokens]:
    """Return each request's usage, in order.

    >>> history = [Block("a", 1000), Block("b", 500)]
    >>> spent([history[:1], history], "newest")
    [RequestTokens(read=0, written=1000, plain=0), RequestTokens(read=1000, written=500, plain=0)]
    """
    if cache == "prefix":
        return _by_prefix(requests)
    written: set[int] = set()
    found: list[RequestTokens] = []
    for blocks in requests:
        ends = _ends(blocks)
        marks = [place for place, each in enumerate(blocks) if each.is_marked]
        if cache == "newest":
            marks = sorted({*marks, 0, len(blocks) - 1})
        hits = [
            place
            for mark in marks
            for place in range(max(0, mark + 1 - _reach(cache, mark)), mark + 1)
            if ends[place][0] in written
        ]
        read = ends[max(hits)][1] if hits else 0
        last = ends[marks[-1]][1] if marks else 0
        found.append(RequestTokens(read, max(0, last - read), ends[-1][1] - max(last, read)))
        written |= {ends[mark][0] for mark in marks}
    return found


def _reach(cache: Cache, mark: int) -> int:
    return LOOKED_BACK if cache == "breakpoints" else mark + 1


def _ends(blocks: Sequence[Block]) -> list[tuple[int, int]]:
    """The blocks up to the end of each one, as a number, and their tokens."""
    ends: list[tuple[int, int]] = []
    running, tokens = 0, 0
    for each in blocks:
        running, tokens = hash((running, each.text)), tokens + each.tokens
        ends.append((running, tokens))
    return ends


def _by_prefix(requests: Iterable[Sequence[Block]]) -> list[RequestTokens]:
    found: list[RequestTokens] = []
    before: Sequence[Block] = ()
    for blocks in requests:
        kept = 0
        for old, new in zip(before, blocks, strict=False):
            if old.text != new.text:
                if isinstance(old.text, str) and isinstance(new.text, str):
                    pairs = enumerate(zip(old.text, new.text, strict=False))
                    shorter = min(len(old.text), len(new.text))
                    same = next((n for n, (a, b) in pairs if a != b), shorter)
                    kept += new.tokens * same // max(1, len(new.text))
                break
            kept += new.tokens
        total = sum(each.tokens for each in blocks)
        read = kept // CHUNK * CHUNK
        found.append(RequestTokens(read, 0, total - read))
        before = blocks
    return found
