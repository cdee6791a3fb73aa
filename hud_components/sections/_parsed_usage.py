"""The least use of a context that a line can have told: what is read back is a use like that."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from itertools import pairwise

from hud_components._levels import THRESHOLDS, Level
from hud_components._models import ContextUsage, Trend

USUAL_LIMIT = 200_000
"""Tokens of a context whose limit is not told: the founding documents' figure when unknown."""


def least_usage(
    percentage: float,
    limit: int = USUAL_LIMIT,
    model: str | None = None,
    trend: Trend | None = None,
) -> ContextUsage:
    """Return the least use that has at least that share.

    >>> least_usage(85).used
    170000
    """
    used = math.ceil(limit * percentage / 100)
    while 100 * used / limit < percentage:
        used += 1
    return ContextUsage(used=used, limit=limit, model=model, trend=trend)


def least_share(percent: int, levels: Collection[Level]) -> float | None:
    """Return the least share, in percent, from ``percent`` on that is of one of the levels.

    >>> least_share(85, {"critical"}) > 92
    True
    """
    return next(
        (
            max(percent, start)
            for level, start, end in _ranges()
            if level in levels and percent < end
        ),
        None,
    )


def step_for(percent: int, share: float, usual: int) -> int:
    """Return the step in which ``percent`` is what is told of a share: the usual one if it can be."""
    steps = (usual, *range(2, 101), 1)
    return next((step for step in steps if int(share // step) * step == percent), usual)


def _ranges() -> Iterator[tuple[Level, float, float]]:
    for threshold, following in pairwise(THRESHOLDS):
        yield threshold.level, threshold.percentage, following.percentage
    yield THRESHOLDS[-1].level, THRESHOLDS[-1].percentage, math.inf
