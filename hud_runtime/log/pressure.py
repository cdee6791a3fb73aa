"""The context pressure: a stable level over all readings, and the notice to the agent.

In: a session's events, and a table of thresholds. Out: a level with hysteresis, and at most one notice each
time a level is reached. It is a pure fold: the same events give the same decisions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from hud_components import THRESHOLDS, ContextUsage, Trend, UsageReading, is_above
from hud_components.levels import Level, Threshold, Thresholds, reached
from hud_runtime._breaker import tried_again
from hud_runtime.log.events import Event, EventDraft, Stored
from hud_runtime.log.projection import READINGS, Projection, trend
from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.log import SessionLog
    from hud_runtime.log.events import ContextSnapshot

__all__ = ["pressure_projection"]

on_demand(globals())


# The fold: from context readings to a level, and to the notices sent.
#
# A single reading shows the present context. Decisions use the folded level, which has hysteresis:
# it rises at a threshold, and drops a margin below it.


@dataclass(frozen=True, slots=True)
class Pressure:
    """The pressure on a session's context over all readings.

    A compaction ends its readings; the counts continue.
    """

    reading: ContextSnapshot | None = None
    """The last reading: tokens used, also by kind where the host reports them, limit and model."""

    readings: tuple[UsageReading, ...] = ()
    """The last few readings, oldest first, for the trend."""

    level: Level | None = None
    """The level in force: it rises at its threshold, and drops a margin below. None without a reading."""

    told: Level | None = None
    """The highest level that its agent was notified of in the present rise."""

    rises: Mapping[Level, int] = field(default_factory=dict[Level, int])
    """The number of times each level was reached from below."""

    interventions: int = 0
    """The number of notices to its agent."""

    @property
    def usage(self) -> ContextUsage | None:
        """The last reading with the trend, as in a state."""
        if self.reading is None:
            return None
        return ContextUsage(
            **dict(self.readings[-1]), trend=self.trend, is_share=self.reading.is_share
        )

    @property
    def trend(self) -> Trend | None:
        """The trend of the context's size over the last readings; None for fewer than two."""
        return trend(self.readings)

    def due(self, thresholds: Thresholds) -> Threshold | None:
        """Return the row of a level that was reached and is due for a notice, or None."""
        if self.level is None:
            return None
        for row in reversed(thresholds):
            if row.intervenes and not is_above(row.level, self.level):
                is_told = self.told is not None and not is_above(row.level, self.told)
                return None if is_told else row
        return None


def pressure_after(pressure: Pressure, event: Event, thresholds: Thresholds) -> Pressure:
    """Return the pressure after one more event. Pure: no clock, no disk, no randomness.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     session, pressure, levels = store.session("s"), Pressure(), []
    ...     for used in (150_000, 171_000, 168_000, 165_000):
    ...         event = session.record("context.snapshot", used=used)
    ...         pressure = pressure_after(pressure, event, THRESHOLDS)
    ...         levels.append(pressure.level)
    >>> levels
    ['yellow', 'red', 'red', 'yellow']
    """
    said: Any = event.payload
    if said.__class__ is Stored:
        return pressure
    match event.type:
        case "context.snapshot":
            return _measured(pressure, said, thresholds)
        case "compact.after":
            return Pressure(rises=pressure.rises, interventions=pressure.interventions)
        case "context.intervention":
            is_told = pressure.told is not None and is_above(pressure.told, said.level)
            told = pressure.told if is_told else said.level
            return replace(
                pressure,
                told=_at_most(told, pressure.level),
                interventions=pressure.interventions + 1,
            )
        case _:
            return pressure


def _measured(before: Pressure, taken: ContextSnapshot, thresholds: Thresholds) -> Pressure:
    level = reached(taken, thresholds.after(before.level, taken.limit)).level
    risen: list[Level] = [
        row.level
        for number, row in enumerate(thresholds)
        if number
        and not is_above(row.level, level)
        and (before.level is None or is_above(row.level, before.level))
    ]
    rises = before.rises
    if risen:
        counted: dict[Level, int] = {each: rises.get(each, 0) + 1 for each in risen}
        rises = {**rises, **counted}
    reading = UsageReading(used=taken.used, limit=taken.limit, model=taken.model)
    return replace(
        before,
        reading=taken,
        readings=(*before.readings, reading)[-READINGS:],
        level=level,
        told=_at_most(before.told, level),
        rises=rises,
    )


def _at_most(told: Level | None, level: Level | None) -> Level | None:
    """Return the lower of the notified level and the present one."""
    if told is None or level is None:
        return None
    return level if is_above(told, level) else told


@lru_cache(maxsize=64)
def pressure_projection(thresholds: Thresholds = THRESHOLDS) -> Projection[Pressure]:
    """Return the pressure as a projection of a session's events; cached by table.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s")
    ...     for used in (190_000, 180_000, 190_000):
    ...         _ = session.record("context.snapshot", used=used)
    ...     pressure = session.projected(pressure_projection())
    ...     pressure.level, pressure.rises["critical"], pressure.trend
    ('critical', 2, 'stable')
    """
    return Projection(
        "pressure", Pressure(), lambda pressure, event: pressure_after(pressure, event, thresholds)
    )


def level_of(session: SessionLog[Any], thresholds: Thresholds | None = None) -> Level | None:
    """Return the context level in force for a session; None without a reading.

    The log is read only where the last reading is ambiguous: a margin below a threshold.

    :param thresholds: a table in place of the session's.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s")
    ...     for used in (171_000, 168_000):
    ...         _ = session.record("context.snapshot", used=used)
    ...     level_of(session)
    'red'
    """
    usage = session.known.usage
    table = session.thresholds if thresholds is None else thresholds
    if usage is None:
        return None
    least, most = reached(usage, table).level, highest(usage, table)
    if least == most:
        return least
    pressure: Pressure = session.projected(pressure_projection(table))
    return pressure.level


def highest(usage: UsageReading, thresholds: Thresholds) -> Level:
    """Return the highest level possible at a reading, over all earlier readings."""
    return reached(usage, thresholds.after(thresholds[-1].level, usage.limit)).level


# The notice to an agent whose context has reached a level, and its record.
#
# Hosts send it as they can: with the next delivery, as a message, or as context from a hook. It
# informs; the agent or a policy decides what to do.


@dataclass(frozen=True, slots=True)
class Intervention:
    """A notice about the context, sent to an agent once each time a level is reached."""

    level: Level
    """The level that was reached."""

    number: int
    """Its number in the session, from 1."""

    used: int
    """Tokens in the context."""

    limit: int
    """Tokens that the model's context holds."""

    text: str
    """The text, as Markdown that ends in one newline."""

    trend: Trend | None = None
    """The growth of the context; None while there are too few readings."""

    @property
    def percentage(self) -> float:
        """The used share of the limit, in percent."""
        return 100 * self.used / self.limit


def due(session: SessionLog[Any], words: Mapping[str, str] | None = None) -> Intervention | None:
    """Return the notice that is due by the session's known state, or None.

    :func:`intervene` records that it was sent.

    :param words: fixed texts by name, as in another language.
    """
    usage, table = session.known.usage, session.thresholds
    if usage is None or not _can_be_due(usage, table):
        return None
    pressure: Pressure = session.projected(pressure_projection(table))
    row, usage = pressure.due(table), pressure.usage
    if row is None or usage is None or pressure.level is None:
        return None
    return Intervention(
        level=row.level,
        number=pressure.interventions + 1,
        used=usage.used,
        limit=usage.limit,
        text=_text(usage, pressure.level, words),
        trend=usage.trend,
    )


@tried_again
def intervene(
    session: SessionLog[Any], words: Mapping[str, str] | None = None
) -> Intervention | None:
    """Record the notice that is due, and return it; None if another process was first.

    :param words: fixed texts by name, as in another language.
    """
    session.refresh()
    if due(session, words) is None:
        return None
    with session.exclusive():
        made = due(session, words)
        if made is not None:
            said = {"level": made.level, "used": made.used, "limit": made.limit}
            session.record_all([EventDraft("context.intervention", said, actor="host")])
    return made


def _can_be_due(usage: ContextUsage, thresholds: Thresholds) -> bool:
    """Tell whether an intervening level is possible at all, a quick check for most requests."""
    level = highest(usage, thresholds)
    return any(row.intervenes and not is_above(row.level, level) for row in thresholds)


def _text(usage: ContextUsage, level: Level, words: Mapping[str, str] | None) -> str:
    from hud_components import PressureNotice
    from ujsx import RenderContext, render

    context = RenderContext(texts={} if words is None else words)
    return render(PressureNotice(usage=usage, level=level), context=context)
