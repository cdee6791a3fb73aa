"""The context sizes of models in tokens, by name, where a host reports none.

Hosts often give a model less room than its maker does (200,000 of a million, 272,000 of 1,050,000), so there are two
tables, both looked up in November 2026: the sizes that agents have unless somebody chose others, which warn early
rather than late, and those that makers tell. What a host says with a reading goes before either. For other
models, put rows before these, or pass a table of your own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from hud_runtime._errors import LimitError
from ujsx.errors import shown


@dataclass(frozen=True, slots=True)
class ModelLimit:
    """The context sizes of some models, in tokens.

    >>> ModelLimit("llama[", 8_192)
    Traceback (most recent call last):
    hud_runtime._errors.LimitError: the pattern 'llama[' of model names cannot be used: unterminated character set \
at position 5
    """

    pattern: str
    """A regular expression that is searched for in a model's name, in lower case; empty for all that is left."""

    limit: int
    """Tokens: what a request and its answer have together, as most makers count."""

    larger: int | None = None
    """The maker's next larger size, for a context that turns out to hold more; ``None`` where there is none."""

    def __post_init__(self) -> None:
        limit: object = self.limit
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
            raise LimitError(
                f"the limit of models named {shown(self.pattern)} is a whole number above 0, not {shown(limit)}"
            )
        try:
            re.compile(self.pattern)
        except (re.error, TypeError) as error:
            raise LimitError(
                f"the pattern {shown(self.pattern)} of model names cannot be used: {error}"
            ) from None


ModelLimits: TypeAlias = tuple[ModelLimit, ...]
"""A table of models: the first row that fits counts."""

MODEL_LIMITS: ModelLimits = (
    ModelLimit(r"\[1m\]|-1m\b", 1_000_000),  # said by the name itself
    ModelLimit(r"opus-5[.-]5\b", 1_000_000),
    ModelLimit(r"claude|anthropic|opus|sonnet|haiku|fable|mythos", 200_000, larger=1_000_000),
    ModelLimit(r"gemini|gemma-?4", 1_048_576, larger=2_097_152),
    ModelLimit(r"gpt-5", 400_000, larger=1_050_000),
    ModelLimit(r"codex", 272_000, larger=400_000),
    ModelLimit(r"gpt-4\.1", 1_047_576),
    ModelLimit(r"gpt-4o|gpt-4-turbo|gpt-4\.5", 128_000),
    ModelLimit(r"\bo[134](?:-|\b)", 200_000),
    ModelLimit(r"qwen3-coder|qwen-?3|kimi", 262_144),
    ModelLimit(r"grok", 256_000),
    ModelLimit(r"deepseek|llama|mistral|devstral|codestral|glm", 128_000),
)
"""The sizes that agents' contexts have by default, by makers and families of models, as of November 2026."""

API_LIMITS: ModelLimits = (
    # Anthropic: Opus and Sonnet from 4.6 on, and all of the fifth generation
    ModelLimit(r"(?:opus|sonnet)-4[.-][6-9]\b", 1_000_000),
    ModelLimit(r"(?:opus|sonnet|haiku|fable|mythos)-[5-9]\b", 1_000_000),
    ModelLimit(r"gpt-5[.-][4-9]\b", 1_050_000),
    ModelLimit(r"gpt-5", 400_000),
    *MODEL_LIMITS,
)
"""The sizes that makers tell of their own interfaces, as of November 2026: for agents that call these themselves."""


def limit_for(model: str | None, used: int, limits: ModelLimits = MODEL_LIMITS) -> int | None:
    """Return the size of a model's context, never below what is used; None where nobody knows it.

    :param limits: the table, of which the first row that fits counts.

    >>> limit_for("claude-haiku-4-5", 50_000), limit_for("claude-haiku-4-5", 330_000)
    (200000, 1000000)
    >>> limit_for("in-house-7b", 5_000, (ModelLimit("in-house", 32_768), *MODEL_LIMITS))
    32768
    >>> limit_for("in-house-7b", 5_000) is None
    True
    """
    row = _by_name(model or "", limits)
    sizes = () if row is None else (row.limit, row.larger or 0)
    return next((size for size in sizes if used <= size), None)


def model_limits_of(rows: Iterable[ModelLimit]) -> ModelLimits:
    """Return a table of models.

    :raises LimitError: for what is no row of one.

    >>> model_limits_of([("gpt", 5)])
    Traceback (most recent call last):
    hud_runtime._errors.LimitError: ('gpt', 5) is no row of a table of models; write ModelLimit("gpt-5", 400_000)
    """
    table = tuple(rows)
    for row in table:
        given: object = row
        if not isinstance(given, ModelLimit):
            raise LimitError(
                f'{shown(given)} is no row of a table of models; write ModelLimit("gpt-5", 400_000)'
            )
    return table


@lru_cache(maxsize=512)
def _by_name(model: str, limits: ModelLimits) -> ModelLimit | None:
    name = model.lower()
    return next((row for row in limits if re.search(row.pattern, name)), None)
