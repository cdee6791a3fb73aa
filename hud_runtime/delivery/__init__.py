"""What is to be sent to a model of a session's HUD, and what its readers know already.

In: a session, and what the model is going to read. Out: a :class:`Delivery`, which is data: texts,
where each belongs, and where a cache breakpoint does. It knows nothing of hosts and their libraries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hud_runtime.delivery._delivery import Delivery, Mode, Part, Reanchor
from ujsx._on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.delivery._deliver import Asked, Shown, deliver, delivered

__all__ = ["Asked", "Delivery", "Mode", "Part", "Reanchor", "Shown", "deliver", "delivered"]

_, __getattr__, __dir__ = on_demand(
    globals(), {"_deliver": ("Asked", "Shown", "deliver", "delivered")}
)
"""The names that need what renders."""
