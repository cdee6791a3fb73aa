"""Past sessions: what another program keeps of them, listed, read, searched and compared, and never written.

In: OpenCode's database, or the folder of files that came before it. Out: records, and Markdown made of them; the
tool ``memory``, by which an agent asks for them and keeps its HUD.
"""

from __future__ import annotations

from hud_runtime.history._compare import Comparison, Figures, compare
from hud_runtime.history._export import exported
from hud_runtime.history._opencode import OpenCodeHistory
from hud_runtime.history._place import data_folder, found_database
from hud_runtime.history._plans import plan, plans
from hud_runtime.history._records import (
    Checkpoint,
    ContextUse,
    Counts,
    Found,
    Page,
    PastMessage,
    PastPart,
    PastSession,
    Plan,
    SearchResult,
)

__all__ = [
    "Checkpoint",
    "Comparison",
    "ContextUse",
    "Counts",
    "Figures",
    "Found",
    "OpenCodeHistory",
    "Page",
    "PastMessage",
    "PastPart",
    "PastSession",
    "Plan",
    "SearchResult",
    "compare",
    "data_folder",
    "exported",
    "found_database",
    "plan",
    "plans",
]
