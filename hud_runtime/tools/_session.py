"""What the tools ask of a session: to read its state and its log, and to record.

:class:`~hud_runtime.session.HudSession` has it all, and stands above the tools, which it hands its
calls to; so they name it by what they use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from hud_runtime.compaction import LoggedSession

if TYPE_CHECKING:
    from hud_runtime.store import Hit
    from ujsx import Rendered


class SessionLike(LoggedSession, Protocol):
    """A session as the HUD's tools see it."""

    def search(self, query: str, *, limit: int = 20, after: int = 0) -> list[Hit]:
        """Return the events that say all words of ``query``, the best first."""
        ...

    def hud(
        self, *, budget: int | None = None, agent_layout: bool = True, pins: bool = True
    ) -> Rendered:
        """Render the HUD of the state that the session knows, with what the agent has set or without."""
        ...
