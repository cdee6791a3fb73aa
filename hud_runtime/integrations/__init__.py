"""The HUD inside an agent: the common part of all hosts.

In: observations, such as an answer of the model, a tool call, a compaction; an adapter passes them as plain
data (:mod:`hud_runtime.observe`). Out: deliveries, which place texts in the next request, and tools whose
calls are repaired before validation. A host's module is thin: it translates these three, and imports its SDK
late.

No exception of ours ends a host's turn: :class:`HostSession` logs it, warns once, and continues without the
HUD.
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

on_demand(globals())  # the names that need rendering or a store
