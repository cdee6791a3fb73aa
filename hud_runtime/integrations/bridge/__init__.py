"""The resident bridge: one process that answers what hosts tell, for all sessions of a store.

In: requests over a local socket that only its owner can reach, from the small programs that hosts start for
each event; or over standard input, from a host that keeps a process of its own. Out: what is to be said to the model.
At a socket it is started when it is first asked, and ends when nobody has asked for a while; over standard input it ends
with its host. Killed, it loses nothing that was answered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hud_runtime.integrations.bridge._bridge import Turns
from hud_runtime.integrations.bridge._link import own_input, own_output, serve_streams
from hud_runtime.integrations.bridge._place import (
    END,
    Answer,
    Handler,
    Place,
    client_call,
    place_of,
)
from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.integrations.bridge._bridge import Bridge
    from hud_runtime.integrations.bridge._link import BridgeLink

__all__ = [
    "END",
    "Answer",
    "Bridge",
    "BridgeLink",
    "Handler",
    "Place",
    "Turns",
    "client_call",
    "own_input",
    "own_output",
    "place_of",
    "serve_streams",
]

on_demand(globals(), {"_bridge": ("Bridge",), "_link": ("BridgeLink",)})
"""The names that need local sockets, which are not everywhere."""
