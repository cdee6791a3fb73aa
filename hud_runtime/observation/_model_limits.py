"""How many tokens a model's context holds, by its name, where a host does not say."""

from __future__ import annotations

import re
from functools import lru_cache

USUAL = 200_000
"""Tokens that a context holds when nobody says otherwise."""

LIMITS: tuple[tuple[str, int], ...] = (
    (r"\[1m\]|-1m\b", 1_000_000),
    (r"claude|anthropic|opus|sonnet|haiku", 200_000),
    (r"gemini|gemma-?4", 1_048_576),
    (r"gpt-5", 400_000),
    (r"codex", 272_000),
    (r"gpt-4\.1", 1_047_576),
    (r"gpt-4o|gpt-4-turbo|gpt-4\.5", 128_000),
    (r"\bo[134](?:-|\b)", 200_000),
    (r"qwen3-coder|qwen-?3|kimi", 262_144),
    (r"grok", 256_000),
    (r"deepseek|llama|mistral|devstral|codestral|glm", 128_000),
)
"""Patterns of names, and the sizes that their makers tell (July 2026); the first that fits."""

LARGER = (200_000, 272_000, 400_000, 1_000_000, 1_048_576, 2_000_000)
"""The sizes that there are: what is used can be no more than its limit."""


def limit_for(model: str | None, used: int) -> int:
    """Return the size of a model's context; never below what is used.

    >>> limit_for("claude-opus-4-6", 50_000), limit_for("claude-opus-4-6", 530_000)
    (200000, 1000000)
    """
    limit = _by_name(model or "")
    if used <= limit:
        return limit
    return next((each for each in LARGER if each >= used), used)


@lru_cache(maxsize=128)
def _by_name(model: str) -> int:
    name = model.lower()
    return next((limit for pattern, limit in LIMITS if re.search(pattern, name)), USUAL)
