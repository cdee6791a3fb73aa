"""Deliveries: the texts to send of a session's HUD, and what its readers already know.

In: a session, and the model's next request. Out: a :class:`Delivery`, which is data: texts, their places, and
the places of cache breakpoints. It does not depend on hosts and their libraries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hud_components.words import RequestMessage
from hud_runtime.context.delivery._delivery import Acknowledged as Acknowledged
from hud_runtime.context.delivery._delivery import Delivery as Delivery
from hud_runtime.context.delivery._delivery import DeliveryRequest as DeliveryRequest
from hud_runtime.context.delivery._delivery import Mode as Mode
from hud_runtime.context.delivery._delivery import Part as Part
from hud_runtime.context.delivery._delivery import Reanchor as Reanchor
from hud_runtime.context.delivery._delivery import ShownHud as ShownHud
from hud_runtime.context.delivery._delivery import conversation_of as conversation_of
from hud_runtime.context.delivery._delivery import texts_of as texts_of
from hud_runtime.context.delivery._prices import PRICES, Prices
from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.context.delivery._bill import Bill, TurnWords
    from hud_runtime.context.delivery._bill import TurnCost as TurnCost
    from hud_runtime.context.delivery._bill import billing as billing
    from hud_runtime.context.delivery._deliver import deliver as deliver
    from hud_runtime.context.delivery._deliver import delivered as delivered
    from hud_runtime.context.delivery._deliver import kept_deliveries as kept_deliveries

__all__ = ["PRICES", "Bill", "Prices", "RequestMessage", "TurnWords"]

on_demand(globals())  # the names that need rendering
