"""Deltas: what a reader of a HUD knows, what is new since, and the text that says it.

In: renderings of a HUD, one after the other. Out: a text that says what changed between them, by
item, and :class:`Told`, which is data: what somebody knows who has read the first one and all that
was said since. :func:`read` makes the same of the texts alone.
"""

from hud_components.delta._line_reader import LineReader
from hud_components.delta._lines import Line
from hud_components.delta._read import read
from hud_components.delta._remaining import remaining
from hud_components.delta._told import Told
from hud_components.delta._update import Update, tell, update

__all__ = ["Line", "LineReader", "Told", "Update", "read", "remaining", "tell", "update"]
