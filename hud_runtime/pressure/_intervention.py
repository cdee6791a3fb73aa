"""The notice to an agent whose context has reached a level, and the record of it.

Hosts hand it on as they can: with the next delivery, as a message of its own, as context that a hook adds. It is
information. What is done about it is the agent's choice, or that of a policy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from hud_components import ContextUsage, Level, State, Thresholds, Trend, is_above
from hud_runtime._breaker import tried_again
from hud_runtime.events import EventDraft
from hud_runtime.pressure._pressure import Pressure, highest, pressure_projection

if TYPE_CHECKING:
    from hud_runtime.events import Event


@dataclass(frozen=True, slots=True)
class Intervention:
    """The notice about its context that an agent gets once for each time that a level is reached."""

    level: Level
    """The level that was reached, which the thresholds tell an agent of."""

    number: int
    """Which one of the session it is: 1 for the first."""

    used: int
    """Tokens in the context."""

    limit: int
    """Tokens that the model's context holds."""

    text: str
    """What is said, as Markdown that ends in one newline."""

    trend: Trend | None = None
    """How the context fills up; None while there are too few readings."""

    @property
    def percentage(self) -> float:
        """The used share of the limit, in percent."""
        return 100 * self.used / self.limit


class Intervening(Protocol):
    """A session as interventions see it."""

    thresholds: Thresholds

    @property
    def known(self) -> State:
        """The state that the session knows."""
        ...

    def refresh(self) -> State:
        """Catch up with what others have written, and return the state."""
        ...

    def projected(self, projection: Any, at: Any = None) -> Any:
        """Return what a projection makes of the session."""
        ...

    def exclusive(self) -> AbstractContextManager[State]:
        """Keep all others from writing while the context lasts."""
        ...

    def record_all(self, drafts: Iterable[EventDraft]) -> tuple[Event, ...]:
        """Append events."""
        ...


def due(session: Intervening, words: Mapping[str, str] | None = None) -> Intervention | None:
    """Return what the agent is to be told now, as far as the session knows; None where that is nothing.

    Whoever hands it on says so by :func:`intervene`.

    :param words: fixed texts by name, in another language.
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
def intervene(session: Intervening, words: Mapping[str, str] | None = None) -> Intervention | None:
    """Record that the agent is told what is due, and return it; None where somebody else has told it.

    :param words: fixed texts by name, in another language.
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
    """Whether a level that intervenes can hold at all: most requests ask no further."""
    level = highest(usage, thresholds)
    return any(row.intervenes and not is_above(row.level, level) for row in thresholds)


def _text(usage: ContextUsage, level: Level, words: Mapping[str, str] | None) -> str:
    from hud_components import PressureNotice
    from ujsx import RenderContext, render

    context = RenderContext(texts={} if words is None else words)
    return render(PressureNotice(usage=usage, level=level), context=context)
