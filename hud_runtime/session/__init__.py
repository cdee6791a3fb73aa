"""Sessions: recording, remembering, showing.

In: what an agent, a tool or a host says. Out: events in the log, the state that they add up to,
and the HUD that shows it.
"""

from hud_runtime.session._agent_layout import AgentLayout, AgentLayouts
from hud_runtime.session._hud_store import HudStore
from hud_runtime.session._look import (
    NO_LOOK,
    GivenLook,
    LayoutSource,
    WordsSource,
    check_look,
    file_text,
    look_of_domain,
    read_look,
    tree_of_data,
    words_in,
)
from hud_runtime.session._parent import Parents
from hud_runtime.session._session import HudSession
from hud_runtime.session._showing import HudLook, Showing
from hud_runtime.session._store_settings import StoreSettings, settings_beside
from hud_runtime.session._view import SnapshotPolicy
from ujsx.on_demand import on_demand

__all__ = [
    "NO_LOOK",
    "AgentLayout",
    "AgentLayouts",
    "GivenLook",
    "HudLook",
    "HudSession",
    "HudStore",
    "LayoutSource",
    "Parents",
    "Showing",
    "SnapshotPolicy",
    "StoreSettings",
    "WordsSource",
    "check_look",
    "file_text",
    "look_of_domain",
    "read_look",
    "settings_beside",
    "tree_of_data",
    "words_in",
]

on_demand(globals())
