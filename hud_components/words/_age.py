"""Ages in words that stay the same for a while."""

from __future__ import annotations

from typing import NamedTuple

from hud_components.words._parse_text import parse_count
from hud_components.words._texts import counted
from ujsx import RenderContext
from ujsx.components import Now

__all__ = ["MINUTE", "SUMMARY_AGES", "UNITS", "Now", "Unit", "age", "age_of_summary", "told_age"]

SUMMARY_AGES = (5, 20, 40)
"""Turns behind a compaction from which on its summary is a line, only said to be there, and gone."""


def age_of_summary(turns: int) -> int:
    """Return how old a summary is, in steps: 0 for one that is new.

    >>> [age_of_summary(turns) for turns in (0, 4, 5, 20, 300)]
    [0, 0, 1, 2, 3]
    """
    return sum(turns >= step for step in SUMMARY_AGES)


MINUTE = 60_000
"""Milliseconds in a minute."""


class Unit(NamedTuple):
    """A unit of age: from which age on it is used, its length and its step, in milliseconds."""

    kind: str
    since: int
    length: int
    step: int


UNITS: tuple[Unit, ...] = (
    Unit("days", 2 * 24 * 60 * MINUTE, 24 * 60 * MINUTE, 24 * 60 * MINUTE),
    Unit("hours", 2 * 60 * MINUTE, 60 * MINUTE, 60 * MINUTE),
    Unit("minutes", 0, MINUTE, 5 * MINUTE),
)
"""The units, the longest first. Below two of a unit, the next shorter one says more."""


def age(ctx: RenderContext, milliseconds: int) -> str:
    """Return an age in words, rounded down to a step of its unit.

    >>> [age(RenderContext(), n * MINUTE) for n in (1, 43, 119, 125, 3000)]
    ['less than 5 min', '40 min', '115 min', '2 h', '2 days']
    """
    unit = next((unit for unit in UNITS if milliseconds >= unit.since), UNITS[-1])
    steps = milliseconds // unit.step
    count = max(steps, 1) * unit.step // unit.length
    return counted(ctx, unit.kind, count, "age" if steps > 0 else "age.short")


def told_age(ctx: RenderContext, words: str) -> int | None:
    """Return the least age, in milliseconds, that is told in those words; ``None`` if none is.

    >>> told_age(RenderContext(), "40 min") == 40 * MINUTE
    True
    """
    for unit in UNITS:
        for name, least in (("age", 0), ("age.short", MINUTE)):
            told = parse_count(ctx, unit.kind, words, name)
            if told is None:
                continue
            milliseconds = least or told.get("count", 0) * unit.length
            if age(ctx, milliseconds) == words:
                return milliseconds
    return None
