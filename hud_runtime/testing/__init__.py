"""The test kit of a runtime: a clock to hold, sessions to generate, a contract for stores.

Needs the extra ``ujsx[testing]``.
"""

from hud_runtime.testing._clock import Ticking
from hud_runtime.testing._contract import EventStoreContract
from hud_runtime.testing._list_store import ListEventStore
from hud_runtime.testing._strategies import event_drafts, event_drafts_of
from ujsx.on_demand import on_demand

__all__ = ["EventStoreContract", "ListEventStore", "Ticking", "event_drafts", "event_drafts_of"]

on_demand(globals())
