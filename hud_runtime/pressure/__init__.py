"""The pressure on a context by all readings so far, and the notice to its agent.

In: the events of a session, and a table of thresholds. Out: a level that does not flap, and at most one decision to
tell the agent for each time that a level is reached. All of it is a fold: the same events, the same decisions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.pressure._intervention import Intervening as Intervening
    from hud_runtime.pressure._intervention import Intervention as Intervention
    from hud_runtime.pressure._intervention import due as due
    from hud_runtime.pressure._intervention import intervene as intervene
    from hud_runtime.pressure._pressure import Measured as Measured
    from hud_runtime.pressure._pressure import Pressure as Pressure
    from hud_runtime.pressure._pressure import level_of as level_of
    from hud_runtime.pressure._pressure import pressure_after as pressure_after
    from hud_runtime.pressure._pressure import pressure_projection as pressure_projection

__all__ = [
    "Intervening",
    "Intervention",
    "Measured",
    "Pressure",
    "due",
    "intervene",
    "level_of",
    "pressure_after",
    "pressure_projection",
]

on_demand(
    globals(),
    {
        "_intervention": ("Intervening", "Intervention", "due", "intervene"),
        "_pressure": ("Measured", "Pressure", "level_of", "pressure_after", "pressure_projection"),
    },
)
