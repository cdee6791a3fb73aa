"""The resident bridge: one process that answers hosts' events, for all sessions of a store.

In: requests over a local socket that only its owner can reach, from the small programs that hosts start for
each event; or over standard input, from a host with a process of its own. Out: texts for the model. At a
socket it starts with the first request, and ends after a time without requests. Over standard input it ends
with its host. If killed, it loses nothing that was answered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hud_runtime.integrations.bridge._place import END as END
from hud_runtime.integrations.bridge._place import Answer as Answer
from hud_runtime.integrations.bridge._place import BridgeLink as BridgeLink
from hud_runtime.integrations.bridge._place import Handler as Handler
from hud_runtime.integrations.bridge._place import Place as Place
from hud_runtime.integrations.bridge._place import client_call as client_call
from hud_runtime.integrations.bridge._place import own_input as own_input
from hud_runtime.integrations.bridge._place import own_output as own_output
from hud_runtime.integrations.bridge._place import place_of as place_of
from hud_runtime.integrations.bridge._place import serve_streams as serve_streams
from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.integrations.bridge._bridge import Bridge as Bridge
    from hud_runtime.integrations.bridge._bridge import do_at_once as do_at_once


on_demand(globals())  # the names that need local sockets, which not every system has
