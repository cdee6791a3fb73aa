"""The outbox: events that are recorded while a database server is away wait here, on this machine's disk.

In: drafts of events, with the ids that their events will have. Out: the same, in order, for who delivers them.
Nothing here knows the server: :meth:`hud_runtime.HudSession.post` posts, and a store that is opened delivers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hud_runtime.outbox._outbox import Letter, Outbox, Posted
from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.outbox._letters import Letters

__all__ = ["Letter", "Letters", "Outbox", "Posted"]

on_demand(globals(), {"_letters": ("Letters",)})
"""The name that needs SQLite."""
