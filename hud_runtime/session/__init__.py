"""Sessions: recording, remembering, showing.

In: what an agent, a tool or a host says. Out: events in the log, the state that they add up to,
and the HUD that shows it.
"""

from hud_runtime.session._agent_layout import AgentLayout, AgentLayouts
from hud_runtime.session._hud_store import HudStore
from hud_runtime.session._parent import Parents
from hud_runtime.session._session import HudSession
from hud_runtime.session._showing import HudLook
from hud_runtime.session._store_settings import StoreSettings, settings_beside
from hud_runtime.session._view import SnapshotPolicy
from ujsx.on_demand import on_demand

__all__ = [
    "AgentLayout",
    "AgentLayouts",
    "HudLook",
    "HudSession",
    "HudStore",
    "Parents",
    "SnapshotPolicy",
    "StoreSettings",
    "settings_beside",
]

on_demand(globals())
