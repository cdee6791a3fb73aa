"""The states of a session at the turns that are looked at: folded on from one that is kept, so that what did not change is
the same object in all of them.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import OrderedDict
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from hud_runtime._errors import StoreDamagedError
from hud_runtime.projection import projection_of

if TYPE_CHECKING:
    from hud_components import State
    from hud_runtime import HudSession
    from hud_runtime.projection import Projection

STOPS = 100
"""States that are kept for good, at turns that lie as far from one another."""

RECENT = 16
"""States that are kept of those that were asked for last."""

FARTHEST = 2_000
"""Events that are folded on at most; what lies farther is read from a snapshot, which shares nothing with the rest."""

ERASE = "event.erase"
"""The type of event behind which the log tells less of what came before."""


class States:
    """The states of one session by the version after which they hold.

    >>> from hud_runtime import HudStore
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s")
    ...     _ = session.record("note.add", content="Port 8080", turn=1)
    ...     _ = session.record("task.set", description="Find it", turn=2)
    ...     states = States(session)
    ...     states.at(2).notes is states.at(3).notes
    True
    """

    def __init__(self, session: HudSession[Any]) -> None:
        self._session = session
        self._projection: Projection[State] = projection_of(session.domain)
        self._read = session.version
        self._forget()

    def _forget(self) -> None:
        self._stops: dict[int, State] = {0: self._projection.initial}
        self._in_order = [0]
        self._recent: OrderedDict[int, State] = OrderedDict()

    def is_erased(self) -> bool:
        """Tell whether something was erased since this was last asked; all that was kept is then forgotten."""
        before, self._read = self._read, self._session.version
        if before >= self._read or not any(self._session.events(before, types={ERASE})):
            return False
        self._forget()
        return True

    def at(self, version: int, *, is_stop: bool = False) -> State:
        """Return the state after an event.

        :param is_stop: whether others are going to be folded on from it.
        """
        state = self._stops.get(version)
        if state is None:
            state = self._recent.get(version)
        if state is None:
            state = self._made(version)
        if is_stop and version not in self._stops:
            self._stops[version] = state
            insort(self._in_order, version)
        self._recent[version] = state
        self._recent.move_to_end(version)
        while len(self._recent) > RECENT:
            self._recent.popitem(last=False)
        return state

    def _made(self, version: int) -> State:
        start = self._in_order[bisect_right(self._in_order, version) - 1]
        near = max((each for each in self._recent if start < each < version), default=start)
        if version - near > FARTHEST:
            return self._read_at(version)
        state = self._recent[near] if near in self._recent else self._stops[near]
        try:
            for event in takewhile(
                lambda each: each.version <= version, self._session.events(near)
            ):
                state = self._projection.fold(state, event)
        except StoreDamagedError:  # a snapshot may stand in for what is lost
            return self._read_at(version)
        return state

    def _read_at(self, version: int) -> State:
        state: State = self._session.state(at=version)
        return state
