"""The levels of a context's fullness, and their consequences, as one table.

A row has a level's lower edge, the HUD's density, the margin by which a context must shrink to leave the level, and
whether the agent is notified once when it is reached. The percentages are those of the HUD's design documents: full
below 70 %, compact below 85 %, minimal from there; the levels add one more step above 92 %. Pass your own table to a
store, a session or a layout to replace them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, cast, get_args
from warnings import warn

from ujsx import Density, PropError
from ujsx.calls import resolving
from ujsx.errors import did_you_mean, listed, shown

if TYPE_CHECKING:
    from hud_components._models import UsageReading
    from ujsx import DensityLike, RenderContext

__all__ = [
    "LARGE_WINDOWS",
    "THRESHOLDS",
    "Level",
    "Threshold",
    "Thresholds",
    "density_for",
    "level_for",
    "reached",
    "thresholds_in",
]

Level: TypeAlias = Literal["green", "yellow", "red", "critical"]
"""The fullness of the context, in one word."""

LEVELS: tuple[Level, ...] = get_args(Level)
"""The levels, ascending."""

_USUAL: Any = None

MARGIN = 2.0
"""The margin in percent of the context below an edge at which the level is left. Readings of one history vary by about
one percent: a dropped thought, an estimated count.
"""


@dataclass(frozen=True, slots=True)
class Threshold:
    """The lower edge of a level, and its consequences."""

    level: Level = _USUAL
    """The level; by default the lowest with the density."""

    density: Density = _USUAL
    """The HUD's density, also by name: ``"compact"``. By default that of the level."""

    percentage: float = _USUAL
    """The lower edge: the used share of the context, in percent. By default that of the level."""

    remaining: int | None = None
    """For very large windows, where a share is misleading: the level holds only while at most this many tokens are
    left.
    """

    margin: float = MARGIN
    """Percent of the context by which usage must fall below the edge to leave the level: see :meth:`Thresholds.after`.
    """

    intervenes: bool = False
    """True if the agent is notified once each time the level is reached."""

    if TYPE_CHECKING:  # a name is accepted for its density only in the constructor

        def __init__(  # noqa: PLR0917 - the fields, in order
            self,
            level: Level | None = None,
            density: DensityLike | None = None,
            percentage: float | None = None,
            remaining: int | None = None,
            margin: float = MARGIN,
            intervenes: bool = False,
        ) -> None: ...

    def __post_init__(self) -> None:
        density: object = self.density
        if isinstance(density, str):
            object.__setattr__(self, "density", Density.of(cast("DensityLike", density)))
        given: tuple[object, ...] = (self.level, self.density, self.percentage)
        if None in given:
            self._complete(given)

    def _complete(self, given: tuple[object, ...]) -> None:
        """Fill in missing fields from the default row of the level, or of the density."""
        level, density, _ = given
        for row in THRESHOLDS:
            if level == row.level or (level is None and density == row.density):
                usual = (row.level, row.density, row.percentage)
                for name, own, value in zip(_ROW, given, usual, strict=True):
                    object.__setattr__(self, name, value if own is None else own)
                return
        line = 'Threshold("red", "minimal", 85)'
        raise PropError(f"a threshold has a level, a density and a percentage: {line}")

    def edge(self, limit: int) -> float:
        """Return the lower edge of the level, in percent, in a context of ``limit`` tokens.

        >>> Threshold("yellow", Density.COMPACT, 70, remaining=150_000).edge(1_000_000)
        85.0
        """
        if self.remaining is None:
            return self.percentage
        return max(self.percentage, 100 * (limit - self.remaining) / limit)


if not TYPE_CHECKING:
    Threshold.__init__ = resolving(
        percentage="at from_ start begins above",
        instead={
            "tokens budget most max_tokens limit": 'write session.hud(budget={"full": 500, "compact": 150, "minimal": 50})'
        },
    )(Threshold.__init__)

_ROW = ("level", "density", "percentage")
"""The fields of each row."""


class Thresholds(tuple[Threshold, ...]):
    """A consistent table of thresholds: the first at 0 %, the others ascending, no level twice.

    >>> THRESHOLDS.red, THRESHOLDS.at(red=80, critical=95).red, Thresholds(red=80)["red"]
    (85, 80, 80)
    >>> Thresholds([Threshold("green", Density.FULL, 0), Threshold("red", Density.MINIMAL, 0)])
    Traceback (most recent call last):
    ujsx.errors.PropError: thresholds: "red" begins at 0 %, and "green" before it at 0 %; each begins higher \
than the one before
    """

    __slots__ = ()

    if TYPE_CHECKING:  # the lower edge of each level, in percent
        green: float
        yellow: float
        red: float
        critical: float
    else:

        def __getattr__(self, level: str) -> float:
            for row in self:
                if row.level == level:
                    return round(row.percentage, 9)  # of an edge just above, the one meant
            known = listed([row.level for row in self])
            raise AttributeError(f"thresholds: no row has the level {shown(level)}; known: {known}")

        def __getitem__(self, place: object) -> object:
            return getattr(self, place) if isinstance(place, str) else super().__getitem__(place)

    @resolving(write="write THRESHOLDS.at(red=80)")
    def __new__(cls, rows: Iterable[Threshold] | None = None, **percentages: float) -> Self:
        """Create a table from rows, by default the usual ones, with other percentages for some levels.

        :raises PropError: for inconsistent rows, with the line to write.
        """
        if percentages:
            return cls((THRESHOLDS if rows is None else cls(rows)).at(**percentages))
        given: object = () if rows is None else rows
        if isinstance(given, cls):
            return given
        if isinstance(given, Mapping):
            by_level = cast("dict[Any, Any]", given)
            return cls(THRESHOLDS.at(**{str(name): by_level[name] for name in by_level}))
        if not isinstance(given, Iterable):
            line = "write THRESHOLDS.at(red=80)"
            raise PropError(f"thresholds: {shown(given)} is not a table; {line}")
        given = tuple(cast("Iterable[Threshold]", given))
        for problem in _problems(given):
            raise PropError(f"thresholds: {problem}")
        return super().__new__(cls, given)

    @resolving(write="write THRESHOLDS.at(red=80)")
    def at(self, **percentages: float) -> Thresholds:
        """Return the table with other percentages for some levels; a density means its first level.

        The levels of 004 (safe, moderate, high, critical) begin at 70, 85 and 95 %: ``THRESHOLDS.at(critical=95)``.

        :raises PropError: for a level that is not in the table, and as the class does.
        """
        known = [each.level for each in self]
        first = {each.density.value: each.level for each in reversed(self)}
        percentages = {
            name if name in known else first.get(name, name): value
            for name, value in percentages.items()
        }
        for name in percentages:
            if name not in known:
                hint = did_you_mean(name, known)
                raise PropError(f"thresholds: no row has the level {shown(name)}; {hint}")
        given: Mapping[str, object] = percentages
        fractions = [each for each in given.values() if isinstance(each, float) and 0 < each < 1]
        if fractions and len(fractions) < len(given):
            line = ", ".join(
                f"{name}={each * 100:g}" for name, each in given.items() if each in fractions
            )
            raise PropError(f"thresholds are percentages, or all fractions; write {line}")
        if fractions:  # of the context
            percentages = {name: round(each * 100, 6) for name, each in percentages.items()}
        return Thresholds(
            replace(each, percentage=percentages.get(each.level, each.percentage)) for each in self
        )

    def after(self, level: Level | None, limit: int | None = None) -> Thresholds:
        """Return the table for the next reading, after this level was reached.

        The level is left only once the context has shrunk by the margin below its edge, so that no decision flaps. For
        an edge in remaining tokens, the margin is that share of the context, or, if its limit is unknown, of the tokens
        left at that percentage.

        :param limit: the size of the context, in tokens.

        >>> THRESHOLDS.after("red")[2].percentage, THRESHOLDS.after("yellow")[2].percentage
        (83.0, 85)
        >>> LARGE_WINDOWS.after("yellow", 1_000_000)[1].remaining
        170000
        """
        return _after(self, level, limit)


def _problems(rows: tuple[object, ...]) -> Iterator[str]:
    if not rows:
        yield 'there is none; the first is Threshold("green", Density.FULL, 0)'
    before: Threshold | None = None
    for row in rows:
        if not isinstance(row, Threshold):
            yield f'{shown(row)} is not a Threshold; write Threshold("red", Density.MINIMAL, 85)'
            return
        yield from _problems_of(row)
        yield from _problems_behind(before, row)
        before = row


def _problems_of(row: Threshold) -> Iterator[str]:
    level: object = row.level
    if level not in LEVELS:
        name = str(level)
        yield f"{shown(level)} is not a level; {did_you_mean(name, LEVELS)}"
    if not isinstance(row.density, Density):
        yield f'"{level}" has the density {shown(row.density)}; write Density.COMPACT'
    if not _is_number(row.percentage) or not 0 <= row.percentage <= 100:
        yield f'"{level}" begins at {shown(row.percentage)}; it is a percentage from 0 to 100'
    if not _is_number(row.margin) or not 0 <= row.margin <= 100:
        yield f'"{level}" has the margin {shown(row.margin)}; it is percent of the context, 0 to 100'
    if row.remaining is not None and (not _is_number(row.remaining) or row.remaining < 0):
        yield f'"{level}" has remaining={shown(row.remaining)}; it is a count of tokens, 0 or more'


def _problems_behind(before: Threshold | None, row: Threshold) -> Iterator[str]:
    if before is None:
        if row.percentage != 0 or row.remaining is not None:
            yield f'the first level, "{row.level}", must begin at 0 % without remaining=, so that one always applies'
        return
    if LEVELS.index(row.level) <= LEVELS.index(before.level):
        yield f'"{row.level}" comes after "{before.level}"; the order is {", ".join(LEVELS)}'
    if row.percentage <= before.percentage:
        both = f'at {row.percentage:g} %, and "{before.level}" before it at {before.percentage:g} %'
        yield f'"{row.level}" begins {both}; each begins higher than the one before'
    most, left = before.remaining, row.remaining
    if most is not None and left is not None and left > most:
        both = f'{left:,} tokens left, and "{before.level}" before it with {most:,} at most'
        yield f'"{row.level}" holds with {both}; the higher the level, the fewer are left'


def _is_number(value: object, *, finite: bool = True) -> bool:
    is_one = isinstance(value, int | float) and not isinstance(value, bool)
    return is_one and (not finite or math.isfinite(cast("float", value)))


@lru_cache(maxsize=256)
def _after(thresholds: Thresholds, level: Level | None, limit: int | None) -> Thresholds:
    if level is None:
        return thresholds
    reached = LEVELS.index(level)
    rows = (
        _lowered(row, limit) if number and LEVELS.index(row.level) <= reached else row
        for number, row in enumerate(thresholds)
    )
    # Not checked: a margin may be wider than the distance to the row before.
    made: Thresholds = tuple[Threshold, ...].__new__(Thresholds, tuple(rows))
    return made


def _lowered(row: Threshold, limit: int | None) -> Threshold:
    remaining, left = row.remaining, 100 - row.percentage
    if remaining is not None and limit is not None:
        remaining += math.ceil(row.margin * limit / 100)
    elif remaining is not None and left > 0:
        remaining = math.ceil(remaining * (left + row.margin) / left)
    return replace(row, percentage=max(0, row.percentage - row.margin), remaining=remaining)


THRESHOLDS = Thresholds(
    (
        Threshold("green", Density.FULL, 0),
        Threshold("yellow", Density.COMPACT, 70),
        Threshold("red", Density.MINIMAL, 85),
        Threshold(  # above 92, not at 92
            "critical", Density.MINIMAL, math.nextafter(92, math.inf), intervenes=True
        ),
    )
)
"""The thresholds, ascending."""

_LEFT: Mapping[Level, int] = {"yellow": 150_000, "red": 75_000, "critical": 40_000}

LARGE_WINDOWS = Thresholds(replace(each, remaining=_LEFT.get(each.level)) for each in THRESHOLDS)
"""Thresholds for windows of a million tokens, where 30 % are 300,000: those of :data:`THRESHOLDS` in windows of up to
500,000 tokens, and by remaining tokens in larger ones. 150,000, 75,000 and 40,000 tokens are left at 70, 85 and 92 % of
500,000; hosts compact with about 20,000 to 33,000 left.
"""


USAGE = "usage info percent share used"
"""Other names of ``percentage``."""


def of_reading(given: dict[str, Any]) -> dict[str, Any]:
    """Return a call's arguments, with tokens that have a limit beside them as one reading."""
    if {"percentage", "limit"} <= given.keys():
        given["percentage"] = {"used": given["percentage"], "limit": given.pop("limit")}
    return given


Fullness: TypeAlias = "float | Level | UsageReading"
"""The fullness of a context: the used share in percent, a level, or a reading."""


def _row_for(given: object, thresholds: tuple[Threshold, ...]) -> Threshold:
    """Return the threshold for a level, a density, a text or a reading."""
    for row in thresholds:
        if given == row.level or given == row.density:  # noqa: PLR1714 - it may be unhashable
            return row
    from hud_components._models import percent_of, usage_of  # numbers do not need them

    share = percent_of(given)
    if _is_number(share):
        return threshold_for(cast("float", share), thresholds=thresholds)
    is_reading = hasattr(given, "used") and hasattr(given, "limit")
    if is_reading or isinstance(given, Mapping):
        return reached(cast("UsageReading", usage_of(cast("Any", given))), thresholds)
    known = listed([row.level for row in thresholds])
    raise PropError(f"{shown(given)} is not a percentage; write 67 for 67 %, or a level: {known}")


_FOR = "write {}(75), or {}(used=150_000, limit=200_000)"


@resolving(write=_FOR.replace("{}", "threshold_for"), percentage=USAGE, meaning=of_reading)
def threshold_for(
    percentage: Fullness,
    *,
    remaining: int | None = None,
    thresholds: tuple[Threshold, ...] = THRESHOLDS,
) -> Threshold:
    """Return the highest threshold that has been reached.

    :param percentage: the used share of the context, in percent; the name of a level, or a reading.
    :param remaining: the remaining tokens, if known.
    :raises ValueError: for a percentage that is negative or not a number.

    >>> threshold_for("red").percentage, threshold_for(85.5).level
    (85, 'red')
    """
    if not _is_number(percentage, finite=False):
        return _row_for(percentage, thresholds)
    percentage = cast("float", percentage)
    if 0 < percentage < 1 and remaining is None:
        whole = threshold_for(100 * percentage, thresholds=thresholds)
        if whole is not thresholds[0]:
            warn(
                f'{percentage:g} is read as {percentage:g} %; write {100 * percentage:g}, or "{percentage:g}%"',
                stacklevel=5,
            )
    if not percentage >= 0:  # NaN is not >= 0 either
        raise PropError(f"a percentage is 0 or more, not {percentage}")
    for threshold in reversed(thresholds):
        if percentage >= threshold.percentage and (
            remaining is None or threshold.remaining is None or remaining <= threshold.remaining
        ):
            return threshold
    return thresholds[0]


@resolving(write=_FOR.replace("{}", "density_for"), percentage=USAGE, meaning=of_reading)
def density_for(
    percentage: Fullness,
    *,
    remaining: int | None = None,
    thresholds: tuple[Threshold, ...] = THRESHOLDS,
) -> Density:
    """Return the HUD's density for a fullness of the context.

    >>> [str(density_for(used)) for used in (69.9, 70, 85)]
    ['full', 'compact', 'minimal']
    """
    return threshold_for(percentage, remaining=remaining, thresholds=thresholds).density


@resolving(write=_FOR.replace("{}", "level_for"), percentage=USAGE, meaning=of_reading)
def level_for(
    percentage: Fullness,
    *,
    remaining: int | None = None,
    thresholds: tuple[Threshold, ...] = THRESHOLDS,
) -> Level:
    """Return the level for a fullness of the context.

    >>> [level_for(used) for used in (69.9, 70, 85, 92, 92.1)]
    ['green', 'yellow', 'red', 'red', 'critical']
    """
    return threshold_for(percentage, remaining=remaining, thresholds=thresholds).level


def reached(usage: UsageReading, thresholds: tuple[Threshold, ...] = THRESHOLDS) -> Threshold:
    """Return the highest threshold that a reading of the context has reached.

    >>> from hud_components import ContextUsage
    >>> usage = ContextUsage(used=860_000, limit=1_000_000)
    >>> reached(usage).level, reached(usage, LARGE_WINDOWS).level
    ('red', 'yellow')
    """
    share, remaining = 100 * usage.used / usage.limit, usage.limit - usage.used
    return threshold_for(share, remaining=remaining, thresholds=thresholds)


def is_above(level: Level, other: Level) -> bool:
    """Tell whether a level is higher than another one.

    >>> is_above("red", "yellow"), is_above("red", "red")
    (True, False)
    """
    return LEVELS.index(level) > LEVELS.index(other)


def thresholds_in(ctx: RenderContext) -> Thresholds:
    """Return the table bound to a context, or the default one.

    >>> from ujsx import RenderContext
    >>> early = THRESHOLDS.at(yellow=50)
    >>> thresholds_in(RenderContext().with_value(early)) == early, thresholds_in(RenderContext()) == early
    (True, False)
    """
    return ctx.get(Thresholds) or THRESHOLDS
