"""Changes: a reader's knowledge of a HUD, the changes since, and their text, a delta.

In: successive renderings of a HUD. Out: a text of the changes between them, by item, and :class:`ReaderMemory`, as
data: the knowledge of a reader of the first one and all later changes.
"""

from hud_components.changes._lines import Line as Line
from hud_components.changes._lines import LineReader as LineReader
from hud_components.changes._lines import ReaderMemory as ReaderMemory
from hud_components.changes._update import remaining as remaining
from hud_components.changes._update import tell as tell
from hud_components.changes._update import update as update
