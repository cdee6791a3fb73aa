"""How full the context is, in words, and how dense the HUD is then.

The thresholds are one table. The percentages are those of the HUD's design documents: full below
70 %, compact below 85 %, minimal from there; the levels add one more step above 92 %.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ujsx import Density

Level: TypeAlias = Literal["green", "yellow", "red", "critical"]
"""How full the context is, in one word."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """From where on a level holds, and how dense the HUD is there.

    ``percentage`` is the used share of the context. ``remaining`` is for very large windows, where
    a share says little: with it, the level holds only while no more tokens than that are left.
    """

    level: Level
    density: Density
    percentage: float
    remaining: int | None = None


THRESHOLDS: tuple[Threshold, ...] = (
    Threshold("green", Density.FULL, 0),
    Threshold("yellow", Density.COMPACT, 70),
    Threshold("red", Density.MINIMAL, 85),
    Threshold("critical", Density.MINIMAL, math.nextafter(92, math.inf)),  # above 92, not at it
)
"""The thresholds, ascending."""


def threshold_for(
    percentage: float,
    *,
    remaining: int | None = None,
    thresholds: tuple[Threshold, ...] = THRESHOLDS,
) -> Threshold:
    """Return the highest threshold that has been reached.

    :param percentage: the used share of the context, in percent.
    :param remaining: the tokens that are left, if known.
    :raises ValueError: for a percentage that is negative or no number.
    """
    if not percentage >= 0:  # NaN is not >= 0 either
        raise ValueError(f"a percentage is 0 or more, not {percentage}")
    for threshold in reversed(thresholds):
        if percentage >= threshold.percentage and (
            remaining is None or threshold.remaining is None or remaining <= threshold.remaining
        ):
            return threshold
    return thresholds[0]


def density_for(
    percentage: float,
    *,
    remaining: int | None = None,
    thresholds: tuple[Threshold, ...] = THRESHOLDS,
) -> Density:
    """Return how dense the HUD is when the context is that full.

    >>> [str(density_for(used)) for used in (69.9, 70, 85)]
    ['full', 'compact', 'minimal']
    """
    return threshold_for(percentage, remaining=remaining, thresholds=thresholds).density


def level_for(
    percentage: float,
    *,
    remaining: int | None = None,
    thresholds: tuple[Threshold, ...] = THRESHOLDS,
) -> Level:
    """Return the level of a context that is that full.

    >>> [level_for(used) for used in (69.9, 70, 85, 92, 92.1)]
    ['green', 'yellow', 'red', 'red', 'critical']
    """
    return threshold_for(percentage, remaining=remaining, thresholds=thresholds).level
