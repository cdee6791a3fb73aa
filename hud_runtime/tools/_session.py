"""The session as the tools need it: to read its state and its log, and to record.

:class:`~hud_runtime.session.HudSession` has it all, and stands above the tools, which it hands its
calls to; so they name it by what they use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from hud_runtime.compaction import LoggedSession

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    from hud_components import State
    from hud_runtime.compaction import CompactionPolicy
    from hud_runtime.events import Event, EventDraft
    from hud_runtime.outbox import Posted
    from hud_runtime.store import Hit, StoredOutput
    from ujsx import Rendered


class ParentSeen(NamedTuple):
    """What a child sees of its parent."""

    id: str
    state: State
    """The parent's, as the child may see it."""
    begun: State
    """The parent's as it was when the child began."""
    version: int
    is_live: bool
    """Whether it is how the parent is now."""


class SessionLike(LoggedSession, Protocol):
    """A session as the HUD's tools see it."""

    @property
    def compaction_policy(self) -> CompactionPolicy:
        """The policy of compaction of the conversation."""
        ...

    def latest(self) -> State:
        """Return the state now, or the one that is known while the store is away and an outbox takes its place."""
        ...

    def post_all(self, drafts: Iterable[EventDraft]) -> tuple[Event, ...] | Posted:
        """Record events, or keep them in an outbox while the store is away."""
        ...

    def exclusive(self) -> AbstractContextManager[State]:
        """Keep all others from recording, and undo what was recorded within after an error."""
        ...

    def search(self, query: str, *, limit: int = 20, after: int = 0) -> list[Hit]:
        """Return the events that say all words of ``query``, the best first."""
        ...

    @property
    def parent_id(self) -> str | None:
        """The session that this one is the child of, if any."""
        ...

    def parent_seen(self) -> ParentSeen:
        """Return what a child sees of its parent."""
        ...

    def hand_back(self, text: str) -> tuple[str, str, bool]:
        """Record a result in the parent's session: the section, the item's id, and whether it is new."""
        ...

    def output(self, name: str) -> StoredOutput | None:
        """Return a tool's output that was kept, with its text."""
        ...

    def outputs(self) -> list[StoredOutput]:
        """Return what is told of the kept outputs, oldest first."""
        ...

    def hud(
        self, *, budget: int | None = None, agent_layout: bool = True, pins: bool = True
    ) -> Rendered:
        """Render the HUD of the state that the session knows, with what the agent has set or without."""
        ...
