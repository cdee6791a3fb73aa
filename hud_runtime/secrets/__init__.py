"""Secrets in texts: their looks, their places, and the policy for them before anything is recorded.

In: a text, or a payload. Out: the same with each secret replaced by a mask that says what it was, or a
refusal. What they look like is a table, :data:`PATTERNS`; you may pass another one.
"""

from __future__ import annotations

from hud_runtime.secrets._patterns import PATTERNS
from hud_runtime.secrets._policy import (
    VARIABLE,
    Mode,
    Place,
    SecretMatch,
    Secrets,
    find,
    masked,
    newly_masked,
    place_name,
    replaced,
    texts_in,
)
from hud_runtime.secrets._surroundings import SecretPattern
from ujsx.on_demand import on_demand

__all__ = [
    "PATTERNS",
    "VARIABLE",
    "Mode",
    "Place",
    "SecretMatch",
    "SecretPattern",
    "Secrets",
    "find",
    "masked",
    "newly_masked",
    "place_name",
    "replaced",
    "texts_in",
]

on_demand(globals())
