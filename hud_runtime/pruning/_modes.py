"""The modes of pruning: how much of an output is kept, by how full the context is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

from hud_components import level_for
from hud_components._levels import THRESHOLDS, Level, Threshold
from hud_runtime._errors import PruningError
from ujsx.errors import did_you_mean, shown

ModeName: TypeAlias = Literal["normal", "aggressive", "hyper"]
"""How hard an output is pruned."""


@dataclass(frozen=True, slots=True)
class Mode:
    """The amount kept of an output.

    The figures of ``threshold`` and ``keep`` are those of the design document: listings above 50 lines keep
    their first and last 30, then 30 and 20, then 15 and 10. Taken by the letter, head and tail together
    are longer than what is said to be too long, and of 61 lines one would go, for a line that says so. So
    ``keep`` is what stays at each end, and an output is cut where at least as many lines go as the two
    figures differ by (:attr:`least`): above 80, 50 and 25 lines.
    """

    name: ModeName
    threshold: int
    """Lines above which an output is long."""
    keep: int
    """Lines that stay at each end of it."""
    run: int
    """Lines alike, one after the other, from which on they are cut."""
    elements: int
    """Elements of an array that stay at each end of it."""
    longest: int
    """Characters of a line that has no parts."""
    most: int = 25_000
    """Tokens of an output that is never told whole, whatever it is; the first of these figures is what Claude Code takes
    of a server's tool at most."""

    @property
    def least(self) -> int:
        """Lines that must go, or nothing does."""
        return max(1, self.threshold - self.keep)

    def cuts(self, lines: int, scale: float = 1) -> bool:
        """Tell whether so many lines are too many.

        >>> [mode.cuts(count) for mode, count in zip(MODES.values(), (80, 51, 26), strict=True)]
        [False, True, True]
        """
        return lines > max(self.threshold, 2 * self.keep + self.least) * scale


MODES: Mapping[ModeName, Mode] = MappingProxyType(
    {
        "normal": Mode(
            "normal", threshold=50, keep=30, run=12, elements=10, longest=12_000, most=25_000
        ),
        "aggressive": Mode(
            "aggressive", threshold=30, keep=20, run=8, elements=6, longest=6_000, most=25_000
        ),
        "hyper": Mode(
            "hyper", threshold=15, keep=10, run=5, elements=3, longest=3_000, most=12_500
        ),
    }
)
"""The modes, from the mildest."""

BY_LEVEL: Mapping[Level, ModeName] = MappingProxyType(
    {"green": "normal", "yellow": "normal", "red": "aggressive", "critical": "hyper"}
)
"""The mode of each level. The design document has its hardest mode from 95 % on; the one table of levels, by
which the HUD and its warnings go as well, has "critical" above 92 %."""

ORDER: tuple[ModeName, ...] = ("normal", "aggressive", "hyper")


def mode_for(
    percentage: float | None = None,
    *,
    level: Level | None = None,
    remaining: int | None = None,
    thresholds: tuple[Threshold, ...] = THRESHOLDS,
    modes: Mapping[ModeName, Mode] = MODES,
) -> Mode:
    """Return the mode for a context that is that full; the mildest where nobody knows.

    :param percentage: the used share of the context, in percent.
    :param level: the level, where somebody has found it already; it counts before the percentage.
    :param remaining: tokens that are left, for very large windows.
    :raises PruningError: for a level that is none.

    >>> [mode_for(used).name for used in (84.9, 85, 92, 95)]
    ['normal', 'aggressive', 'aggressive', 'hyper']
    """
    if level is None:
        known = 0.0 if percentage is None else percentage
        level = level_for(known, remaining=remaining, thresholds=thresholds)
    if level not in BY_LEVEL:
        raise PruningError(f"{shown(level)} is no level; {did_you_mean(str(level), BY_LEVEL)}")
    return modes[BY_LEVEL[level]]


def mode_named(name: str, modes: Mapping[ModeName, Mode] = MODES) -> Mode:
    """Return a mode by its name.

    :raises PruningError: for a name that is none.
    """
    for each in modes.values():
        if each.name == name:
            return each
    raise PruningError(f"{shown(name)} is no mode; {did_you_mean(name, modes)}")
