"""The least use of a context that a line can have told: what is read back is a use like that."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from typing import NamedTuple

from hud_components._levels import THRESHOLDS, Level, Thresholds
from hud_components._models import ContextUsage, Trend

USUAL_LIMIT = 200_000
"""Tokens of a context whose limit is not told: the founding documents' figure when unknown."""

LARGER_LIMITS = (1_000_000, 10_000_000, 100_000_000)
"""Limits that are tried where a table goes by the tokens that are left, and the usual one does not have the level."""


class Share(NamedTuple):
    """A share of a context that a line can have told."""

    percentage: float
    limit: int


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


def least_share(
    percent: int,
    levels: Collection[Level],
    thresholds: Thresholds = THRESHOLDS,
    limit: int | None = None,
) -> Share | None:
    """Return the least share, in percent, from ``percent`` on that is of one of the levels.

    :param limit: what the context holds; the usual limit, or the next larger one that will do, when None.

    >>> share = least_share(85, {"critical"})
    >>> share.percentage > 92, share.limit
    (True, 200000)
    """
    for size in (USUAL_LIMIT, *LARGER_LIMITS) if limit is None else (limit,):
        for level, start, end in _ranges(thresholds, size):
            if level in levels and percent < end:
                return Share(max(percent, start), size)
    return None


def step_for(percent: int, share: float, usual: int) -> int:
    """Return the step in which ``percent`` is what is told of a share: the usual one if it can be."""
    steps = (usual, *range(2, 101), 1)
    return next((step for step in steps if int(share // step) * step == percent), usual)


def _ranges(thresholds: Thresholds, limit: int) -> Iterator[tuple[Level, float, float]]:
    """The shares of each level in a context of so many tokens, as far as it has any."""
    edges: list[tuple[Level, float]] = [(each.level, each.edge(limit)) for each in thresholds]
    ends = [min((edge for _, edge in edges[n + 1 :]), default=math.inf) for n in range(len(edges))]
    for (level, start), end in zip(edges, ends, strict=True):
        if start < end:
            yield level, start, end
