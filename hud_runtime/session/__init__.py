"""Sessions: record events, keep the state, render the HUD.

In: events from an agent, a tool or a host. Out: the log, the state folded from it, and the HUD that renders
that state.
"""

from hud_runtime.log import SnapshotPolicy as SnapshotPolicy
from hud_runtime.session._hud_store import HudStore as HudStore
from hud_runtime.session._keeping import StoreKeeping
from hud_runtime.session._parent import Parents as Parents
from hud_runtime.session._render_options import NO_LOOK as NO_LOOK
from hud_runtime.session._render_options import AgentLayouts as AgentLayouts
from hud_runtime.session._render_options import GivenLook as GivenLook
from hud_runtime.session._render_options import HudRenderer as HudRenderer
from hud_runtime.session._render_options import LayoutSource as LayoutSource
from hud_runtime.session._render_options import RenderOptions as RenderOptions
from hud_runtime.session._render_options import StoreSettings as StoreSettings
from hud_runtime.session._render_options import WordsSource as WordsSource
from hud_runtime.session._render_options import check_look as check_look
from hud_runtime.session._render_options import file_text as file_text
from hud_runtime.session._render_options import look_of_domain as look_of_domain
from hud_runtime.session._render_options import read_look as read_look
from hud_runtime.session._render_options import settings_beside as settings_beside
from hud_runtime.session._render_options import tree_of_data as tree_of_data
from hud_runtime.session._render_options import words_in as words_in
from hud_runtime.session._session import HudSession as HudSession
from hud_runtime.session._session import SessionOptions as SessionOptions
from ujsx.on_demand import on_demand

__all__ = ["StoreKeeping"]

on_demand(globals())
