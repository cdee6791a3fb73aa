"""The HUD edited as text.

In: a HUD, and its Markdown after somebody has changed it. Out: the operations of the tool ``hud``
that lead from one to the other, and what cannot be decided. Nothing is guessed and nothing is lost:
an edit that is no operation is a problem with its place.
"""

from hud_runtime.editing._changes import changes
from hud_runtime.editing._errors import EditError
from hud_runtime.editing._for_editing import for_editing
from hud_runtime.editing._match import LEAD, NEAR
from hud_runtime.editing._record import record_changes
from hud_runtime.editing._result import Changes, Edit, Problem
from ujsx.on_demand import on_demand

__all__ = [
    "LEAD",
    "NEAR",
    "Changes",
    "Edit",
    "EditError",
    "Problem",
    "changes",
    "for_editing",
    "record_changes",
]

on_demand(globals())
