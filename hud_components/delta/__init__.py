"""Deltas: what a reader of a HUD knows, what is new since, and the text that says it.

In: renderings of a HUD, one after the other. Out: a text that says what changed between them, by
item, and :class:`Told`, which is data: what somebody knows who has read the first one and all that
was said since. :func:`read` makes the same of the texts alone.
"""

from hud_components.delta._change import read
from hud_components.delta._lines import Line, LineReader, Told
from hud_components.delta._update import HudUpdate, remaining, tell, update

__all__ = ["HudUpdate", "Line", "LineReader", "Told", "read", "remaining", "tell", "update"]
