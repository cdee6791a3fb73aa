"""Deliveries: what to send to a model of a session's HUD, and what its readers know already.

In: a session, and what the model is going to read. Out: a :class:`Delivery`, which is data: texts,
where each belongs, and where a cache breakpoint does. It knows nothing of hosts and their libraries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hud_components.words import RequestMessage
from hud_runtime.delivery._delivery import (
    Acknowledged,
    Delivery,
    DeliveryRequest,
    Mode,
    Part,
    Reanchor,
    ShownHud,
    conversation_of,
    texts_of,
)
from hud_runtime.delivery._prices import PRICES, Prices
from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.delivery._bill import Bill, Billed, TurnCost, TurnWords, billing
    from hud_runtime.delivery._deliver import deliver, delivered, kept_deliveries

__all__ = [
    "PRICES",
    "Acknowledged",
    "Bill",
    "Billed",
    "Delivery",
    "DeliveryRequest",
    "Mode",
    "Part",
    "Prices",
    "Reanchor",
    "RequestMessage",
    "ShownHud",
    "TurnCost",
    "TurnWords",
    "billing",
    "conversation_of",
    "deliver",
    "delivered",
    "kept_deliveries",
    "texts_of",
]

on_demand(
    globals(),
    {
        "_bill": ("Bill", "Billed", "TurnCost", "TurnWords", "billing"),
        "_deliver": ("deliver", "delivered", "kept_deliveries"),
    },
)
"""The names that need what renders."""
