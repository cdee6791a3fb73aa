"""How much the contexts of Claude Code's models hold, where its status line has not told."""

from __future__ import annotations

import re

WINDOWS: tuple[tuple[str, int], ...] = (
    (r"\[1m\]", 1_000_000),
    (r"opus-5-5", 1_000_000),
)
"""Patterns of models' names; a model that is not here has the size of the common table."""


def window_of(model: str | None) -> int | None:
    """Return how many tokens a model's context holds; None where that is not known here.

    >>> window_of("claude-opus-5-5"), window_of("claude-sonnet-4-5")
    (1000000, None)
    """
    if model is None:
        return None
    return next((size for pattern, size in WINDOWS if re.search(pattern, model)), None)
