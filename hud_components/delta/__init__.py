"""Deltas: what a reader of a HUD knows, what is new since, and the text that says it.

In: renderings of a HUD, one after the other. Out: a text that says what changed between them, by
item, and :class:`ReaderMemory`, which is data: what somebody knows who has read the first one and all that
was said since. :func:`read` makes the same of the texts alone.
"""

from hud_components.delta._lines import Line as Line
from hud_components.delta._lines import LineReader as LineReader
from hud_components.delta._lines import ReaderMemory as ReaderMemory
from hud_components.delta._lines import read as read
from hud_components.delta._update import remaining as remaining
from hud_components.delta._update import tell as tell
from hud_components.delta._update import update as update
