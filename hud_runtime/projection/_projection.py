"""A projection: a pure fold of a session's events into something that somebody wants to know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from hud_runtime._errors import ProjectionError
from hud_runtime.events import Event
from ujsx.errors import did_you_mean

StateT = TypeVar("StateT")


@dataclass(frozen=True, slots=True)
class Codec(Generic[StateT]):
    """How a projection's state becomes JSON text, and is read again."""

    dump: Callable[[StateT], str]
    load: Callable[[str], StateT]


@dataclass(frozen=True, slots=True)
class Projection(Generic[StateT]):
    """What to make of a session's events.

    >>> from hud_runtime import HudStore
    >>> edits = Projection("edits", 0, lambda count, event: count + (event.type == "file.edit"))
    >>> with HudStore.open(":memory:") as store:
    ...     session = store.session("s")
    ...     _ = session.record("file.edit", path="a.py")
    ...     session.projected(edits)
    1
    """

    name: str
    """What snapshots of it are filed under."""

    initial: StateT
    """The state before the first event. It is shared, so it must not be changed in place."""

    fold: Callable[[StateT, Event], StateT]
    """The state after one more event. No clock, no disk, no chance, and no change in place."""

    revision: int = 1
    """Raised when the same events would give another state: older snapshots are then not used."""

    former_revisions: tuple[int, ...] = ()
    """Revisions whose snapshots still stand in for events that are lost: nothing else tells of those."""

    codec: Codec[StateT] | None = None
    """How snapshots are written; without one, every start replays all events."""


class ProjectionRegistry:
    """Projections by name; :attr:`HudStore.projections` is one, with "hud" in it.

    >>> registry = ProjectionRegistry(Projection("edits", 0, lambda count, event: count + 1))
    >>> registry["edit"]
    Traceback (most recent call last):
    hud_runtime._errors.ProjectionError: there is no projection "edit"; did you mean "edits"?
    """

    def __init__(self, *projections: Projection[Any]) -> None:
        self._by_name: dict[str, Projection[Any]] = {}
        for projection in projections:
            self.register(projection)

    def register(self, projection: Projection[Any]) -> None:
        """Add a projection. Raises :class:`ProjectionError` when its name is another one's."""
        if self._by_name.setdefault(projection.name, projection) is not projection:
            raise ProjectionError(f'the projection "{projection.name}" is there; use another name')

    def names(self) -> tuple[str, ...]:
        """Return the names, in the order of their registration."""
        return tuple(self._by_name)

    def __getitem__(self, name: str) -> Projection[Any]:
        if name not in self._by_name:
            hint = did_you_mean(name, self._by_name)
            raise ProjectionError(f'there is no projection "{name}"; {hint}')
        return self._by_name[name]
