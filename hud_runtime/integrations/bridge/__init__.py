"""The resident bridge: one process that answers what hosts tell, for all sessions of a store.

In: lines over a local socket that only its owner can reach, from the small programs that hosts start for
each event. Out: what is to be said to the model. It is started when it is first asked, and ends when
nobody has asked for a while; killed, it loses nothing that was answered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hud_runtime.integrations.bridge._place import CLIENT, Place, place_of
from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.integrations.bridge._bridge import END, Answer, Bridge, Handler
    from hud_runtime.integrations.bridge._link import Link

__all__ = ["CLIENT", "END", "Answer", "Bridge", "Handler", "Link", "Place", "place_of"]

_, __getattr__, __dir__ = on_demand(
    globals(), {"_bridge": ("END", "Answer", "Bridge", "Handler"), "_link": ("Link",)}
)
"""The names that need local sockets, which are not everywhere."""
