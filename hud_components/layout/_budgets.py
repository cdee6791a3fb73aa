"""How many tokens a HUD may have, by how full the context is."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from hud_components._levels import THRESHOLDS, Level, Threshold, level_for

BUDGETS: Mapping[Level, int] = MappingProxyType(
    {"green": 1_000, "yellow": 500, "red": 200, "critical": 100}
)
"""Tokens by level: the upper ends of the HUD's design documents (green 700–1,000, yellow 300–500, red
100–200); critical has the lower end of red."""


def budget_for(
    percentage: float,
    *,
    remaining: int | None = None,
    thresholds: tuple[Threshold, ...] = THRESHOLDS,
    budgets: Mapping[Level, int] = BUDGETS,
) -> int:
    """Return how many tokens a HUD may have when the context is that full.

    :param percentage: the used share of the context, in percent.
    :param remaining: the tokens that are left, if known.
    :param thresholds: from where on each level holds.
    :param budgets: the tokens of each level.
    :raises ValueError: for a percentage that is negative or no number.

    >>> [budget_for(used) for used in (30, 70, 85, 93)]
    [1000, 500, 200, 100]
    """
    return budgets[level_for(percentage, remaining=remaining, thresholds=thresholds)]
