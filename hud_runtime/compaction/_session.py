"""The session as a compaction needs it: to read its log and state, and to record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

from hud_runtime.pressure import Measured

if TYPE_CHECKING:
    from hud_components import Domain, State
    from hud_runtime.events import Actor, Event, EventDraft


class LoggedSession(Measured, Protocol):
    """A session as its log has it; :class:`~hud_runtime.session.HudSession` is one."""

    id: str
    domain: Domain[Any]

    @property
    def version(self) -> int:
        """The version of the last event that the session knows."""
        ...

    @property
    def turn(self) -> int:
        """The turn of the last event that the session knows."""
        ...

    def refresh(self) -> State:
        """Catch up with what others have written, and return the state."""
        ...

    def state(self, at: int | None = None) -> State:
        """Return the state now, or as it was at a version."""
        ...

    def events(self, after: int = 0, *, types: Any = None) -> Iterator[Event]:
        """Yield the events whose version is greater than ``after``, in order; those of some types."""
        ...

    def record(
        self,
        event_type: Any,
        /,
        *,
        turn: int | None = None,
        timestamp: int | None = None,
        actor: Actor = "agent",
        **payload: object,
    ) -> Event:
        """Append one event, and return it as it stands in the log."""
        ...

    def record_all(self, drafts: Iterable[EventDraft]) -> tuple[Event, ...]:
        """Append many events, all of them or none."""
        ...

    def exclusive(self) -> AbstractContextManager[State]:
        """Keep all others from recording while the context lasts."""
        ...
