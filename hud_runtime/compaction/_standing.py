"""The state of a session between two compactions: a fold over its events, and nothing else.

A compaction is asked for by ``compact.before``, and ends with ``compact.after`` or ``compact.failed``. One that an
agent announces is a wish; one that a policy has asked for is under way; one that a host begins on its own is the
host's, which may yet stop, so nobody waits for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hud_components import THRESHOLDS, Level, Thresholds, UsageReading, reached
from hud_runtime.pressure import level_of
from hud_runtime.projection import READINGS

if TYPE_CHECKING:
    from hud_runtime.compaction._session import LoggedSession
    from hud_runtime.events import Event

TYPES = ("compact.before", "compact.after", "compact.failed")
"""The types of events that tell of compactions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The log's account of a session's compactions, and how full its context is."""

    turn: int = 0
    """The agent's turn."""

    version: int = 0
    """The version of the last event."""

    readings: tuple[UsageReading, ...] = ()
    """The last readings of the context since the last compaction, oldest first."""

    level: Level | None = None
    """The level of the context, held as :meth:`~hud_components.Thresholds.after` says; None without a reading."""

    compactions: int = 0
    """How many there were."""

    asked: int = 0
    """How often a host was asked for one."""

    asked_in: int | None = None
    """The turn in which a host was asked for the one that is under way; None where none is."""

    wish: str | None = None
    """Why the agent wants one, which no host was asked for yet; None where it wants none."""

    failures: int = 0
    """How many have failed since the last that was done."""

    failed_in: int | None = None
    """The turn in which the last of them failed."""

    failed_at: int | None = None
    """The version at which it did."""

    replayed_in: int | None = None
    """The turn in which the last compaction asked the user's interrupted request again; None where it did not."""

    @property
    def reading(self) -> UsageReading | None:
        """The newest reading, where one counts."""
        return self.readings[-1] if self.readings else None

    def after(self, event: Event, thresholds: Thresholds = THRESHOLDS) -> Standing:
        """Return where the session stands after one more event.

        :param thresholds: where the levels begin.

        >>> from hud_runtime import HudStore
        >>> with HudStore.open(":memory:") as store:
        ...     session = store.session("s")
        ...     event = session.record("compact.before", reason="the login is done")
        >>> Standing().after(event).wish
        'the login is done'
        """
        now = replace(self, turn=max(self.turn, event.turn), version=event.version)
        said: Any = event.payload
        match event.type:
            case "context.snapshot":
                reading = UsageReading(used=said.used, limit=said.limit, model=said.model)
                level = reached(reading, thresholds.after(self.level, reading.limit)).level
                return replace(now, readings=(*self.readings, reading)[-READINGS:], level=level)
            case "compact.before":
                return _asked(now, event, said)
            case "compact.after":
                return Standing(
                    turn=now.turn,
                    version=now.version,
                    compactions=self.compactions + 1,
                    asked=self.asked,
                    replayed_in=now.turn if getattr(said, "replayed", None) else None,
                )
            case "compact.failed":
                return replace(
                    now,
                    asked_in=None,
                    wish=None,
                    failures=self.failures + 1,
                    failed_in=now.turn,
                    failed_at=now.version,
                )
            case _:
                return now


def _asked(standing: Standing, event: Event, said: Any) -> Standing:
    """Where it stands after a compaction was announced: by a policy, by the agent, or by a host on its own."""
    if getattr(said, "trigger", None) is not None:
        return replace(standing, asked=standing.asked + 1, asked_in=standing.turn, wish=None)
    if event.actor == "agent" and standing.asked_in is None:
        return replace(standing, wish=getattr(said, "reason", ""))
    return standing


def standing_after(events: Iterable[Event], thresholds: Thresholds = THRESHOLDS) -> Standing:
    """Return where a session stands after these events.

    :param thresholds: where the levels begin.

    >>> standing_after([]).compactions
    0
    """
    standing = Standing()
    for event in events:
        standing = standing.after(event, thresholds)
    return standing


def standing_of(session: LoggedSession, thresholds: Thresholds | None = None) -> Standing:
    """Return where a session stands now: of its log, what tells of compactions alone is read.

    :param thresholds: where the levels begin; as the session has it when None.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s")
    ...     _ = session.record("context.snapshot", used=150_000)
    ...     standing_of(session) == standing_after(session.events())
    True
    """
    state = session.refresh()
    standing = standing_after(session.events(types=TYPES))
    return replace(
        standing,
        turn=session.turn,
        version=session.version,
        readings=tuple(state.readings),
        level=level_of(session, thresholds),
    )
