"""A moment in a session: after which event its state is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hud_runtime._errors import EventError


@dataclass(frozen=True, slots=True)
class At:
    """A version, a turn, or a time.

    A turn means all that happened up to its end, a time all up to and including that
    millisecond: the state just before the first event that is later. What lies beyond the
    last event is the present.

    >>> At.turn(7)
    At(measure='turn', value=7)
    """

    measure: Literal["version", "turn", "timestamp"]
    """The unit of the value."""

    value: int
    """The version, the turn, or the milliseconds since the epoch."""

    def __post_init__(self) -> None:
        value: object = self.value
        if not isinstance(value, int) or isinstance(value, bool):
            raise EventError(f"a {self.measure} is a whole number, not {value!r}")

    @classmethod
    def version(cls, value: int) -> At:
        """After the event with this version; 0 is before the first."""
        return cls("version", value)

    @classmethod
    def turn(cls, value: int) -> At:
        """At the end of this turn."""
        return cls("turn", value)

    @classmethod
    def time(cls, value: int) -> At:
        """At this time, in milliseconds since the epoch."""
        return cls("timestamp", value)
