"""Figures of usage in the words of many hosts: plain input, cached input read and written, and output, apart."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from hud_runtime.messages import get
from hud_runtime.observation._json import whole
from hud_runtime.observation._observations import Usage


class Dialect(NamedTuple):
    """The names of figures; a dot goes into an object, a plus adds."""

    input: str
    output: str
    cache_read: str
    cache_write: str = ""
    is_apart: bool = False
    """Whether the input is told without what was cached."""


DIALECTS: tuple[Dialect, ...] = (
    Dialect("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", is_apart=True),
    Dialect("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheWriteInputTokens", is_apart=True),
    Dialect("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", is_apart=True),
    Dialect("tokensIn", "tokensOut", "cacheReads", "cacheWrites", is_apart=True),
    Dialect("input", "output", "cacheRead", "cacheWrite", is_apart=True),
    Dialect("input", "output", "cache.read", "cache.write", is_apart=True),
    Dialect("input", "output", "cached"),
    Dialect("input_tokens", "output_tokens", "cached_input_tokens"),
    Dialect("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"),
    Dialect("input_tokens", "output_tokens", "input_tokens_details.cached_tokens", "input_tokens_details.cache_write_tokens"),
    Dialect("input_tokens", "output_tokens", "input_token_details.cache_read", "input_token_details.cache_creation+input_token_details.cache_write"),
    Dialect("prompt_tokens", "completion_tokens", "prompt_tokens_details.cached_tokens", "prompt_tokens_details.cache_write_tokens"),
    Dialect("prompt_tokens", "completion_tokens", "cached_tokens"),
    Dialect("promptTokenCount", "candidatesTokenCount+thoughtsTokenCount", "cachedContentTokenCount"),
)  # fmt: skip
"""Tried in this order; the first counts of which a cached figure is there, else the first with an input."""


def usage_in(figures: Any, dialects: Iterable[Dialect] = DIALECTS) -> Usage | None:
    """Return the figures of one call, each token counted once; None where there are none.

    :param figures: data, or an object of an SDK with the same fields.

    >>> usage_in({"input_tokens": 900, "output_tokens": 50, "cached_input_tokens": 800})
    Usage(input=100, cache_read=800, cache_write=0, output=50)
    """
    fitting = [one for one in dialects if figures and get(figures, one.input) is not None]
    cached = (
        one
        for one in fitting
        for name in (one.cache_read, one.cache_write)
        if _figure(figures, name) is not None
    )
    dialect = next(cached, next(iter(fitting), None))
    if dialect is None:
        return None
    given, output, read, written = (_figure(figures, name) or 0 for name in dialect[:4])
    plain = given if dialect.is_apart else max(given - read - written, 0)
    found = Usage(plain, read, written, output)
    return found if found.total else None


def _figure(figures: Any, name: str) -> int | None:
    if "+" in name:
        found = [_figure(figures, one) for one in name.split("+")]
        return sum(filter(None, found)) if any(one is not None for one in found) else None
    for each in name.split("."):
        figures = get(figures, each)
    return None if figures is None else whole(figures)
