"""The resident bridge: one process that answers what hosts tell, for all sessions of a store.

In: lines over a local socket that only its owner can reach, from the small programs that hosts start for
each event. Out: what is to be said to the model. It is started when it is first asked, and ends when
nobody has asked for a while; killed, it loses nothing that was answered.
"""

from hud_runtime.integrations.bridge._bridge import Answer, Bridge, Handler
from hud_runtime.integrations.bridge._link import Link
from hud_runtime.integrations.bridge._place import CLIENT, Place, place_of

__all__ = ["CLIENT", "Answer", "Bridge", "Handler", "Link", "Place", "place_of"]
