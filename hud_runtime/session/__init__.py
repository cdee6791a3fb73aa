"""Sessions: recording, remembering, showing.

In: what an agent, a tool or a host says. Out: events in the log, the state that they add up to,
and the HUD that shows it.
"""

from hud_runtime.log import SnapshotPolicy
from hud_runtime.session._hud_store import HudStore
from hud_runtime.session._keeping import StoreKeeping
from hud_runtime.session._look import (
    NO_LOOK,
    AgentLayout,
    AgentLayouts,
    GivenLook,
    HudLook,
    HudRenderer,
    LayoutSource,
    StoreSettings,
    WordsSource,
    check_look,
    file_text,
    look_of_domain,
    read_look,
    settings_beside,
    tree_of_data,
    words_in,
)
from hud_runtime.session._parent import Parents
from hud_runtime.session._session import HudSession, SessionOptions
from ujsx.on_demand import on_demand

__all__ = [
    "NO_LOOK",
    "AgentLayout",
    "AgentLayouts",
    "GivenLook",
    "HudLook",
    "HudRenderer",
    "HudSession",
    "HudStore",
    "LayoutSource",
    "Parents",
    "SessionOptions",
    "SnapshotPolicy",
    "StoreKeeping",
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
