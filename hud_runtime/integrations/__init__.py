"""The HUD inside an agent: what every host has in common.

In: observations, such as an answer of the model, a call of a tool, a compaction; plain data, told by an
adapter (:mod:`hud_runtime.observe`). Out: deliveries, which say what goes where in the next request,
and tools whose calls are mended before they are judged. A host's module is thin: it translates these
three, and imports its SDK late.

No exception of ours ends a host's turn: :class:`HostSession` logs it, says so once, and goes on without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.integrations._dialogue import prune_messages
    from hud_runtime.integrations._host_session import HostSession, SessionBegan, current
    from hud_runtime.integrations._host_session import HostTool as HostTool
    from hud_runtime.integrations._sending import interleaved

__all__ = ["HostSession", "SessionBegan", "current", "interleaved", "prune_messages"]

on_demand(globals())  # the names that need what renders or stores
