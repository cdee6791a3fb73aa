"""The runtime: the log of a session, and everything that writes to it.

In: an agent's tool calls, a host's reports, transcripts. Out: events in an append-only store, the state
folded from them at any turn, and the HUD that shows it.

Names are imported on first use, so that a command without a log does not load one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime._errors import ConcurrencyError as ConcurrencyError
    from hud_runtime._errors import DeliveryError as DeliveryError
    from hud_runtime._errors import EventError as EventError
    from hud_runtime._errors import ExchangeError as ExchangeError
    from hud_runtime._errors import HistoryError as HistoryError
    from hud_runtime._errors import InstallError as InstallError
    from hud_runtime._errors import LimitError as LimitError
    from hud_runtime._errors import ProjectError as ProjectError
    from hud_runtime._errors import ProjectionError as ProjectionError
    from hud_runtime._errors import PruningError as PruningError
    from hud_runtime._errors import SearchError as SearchError
    from hud_runtime._errors import ServeError as ServeError
    from hud_runtime._errors import SettingsError as SettingsError
    from hud_runtime._errors import StoreDamagedError as StoreDamagedError
    from hud_runtime._errors import StoreError as StoreError
    from hud_runtime._errors import StoreFullError as StoreFullError
    from hud_runtime._errors import StoreLockedError as StoreLockedError
    from hud_runtime._errors import StoreReadOnlyError as StoreReadOnlyError
    from hud_runtime._errors import StoreUnavailableError as StoreUnavailableError
    from hud_runtime._errors import StoreVersionError as StoreVersionError
    from hud_runtime._errors import TranscriptError as TranscriptError
    from hud_runtime._errors import UnknownItemError as UnknownItemError
    from hud_runtime._limits import Limits as Limits
    from hud_runtime.context.delivery import Delivery as Delivery
    from hud_runtime.context.delivery import Part as Part
    from hud_runtime.context.delivery import Reanchor as Reanchor
    from hud_runtime.log.events import PAYLOADS as PAYLOADS
    from hud_runtime.log.events import Event as Event
    from hud_runtime.log.events import EventDraft as EventDraft
    from hud_runtime.log.events import EventType as EventType
    from hud_runtime.log.events import read_event as read_event
    from hud_runtime.log.projection import Codec as Codec
    from hud_runtime.log.projection import Projection as Projection
    from hud_runtime.log.projection import ProjectionRegistry as ProjectionRegistry
    from hud_runtime.log.projection import project as project
    from hud_runtime.log.projection import state_of as state_of
    from hud_runtime.log.store import At as At
    from hud_runtime.log.store import EventStore as EventStore
    from hud_runtime.observe import ToolTable as ToolTable
    from hud_runtime.session import HudSession as HudSession
    from hud_runtime.session import HudStore as HudStore
    from hud_runtime.session import SnapshotPolicy as SnapshotPolicy
    from hud_runtime.transcripts import Transcript as Transcript
    from hud_runtime.transcripts import read_transcript as read_transcript
    from hud_runtime.transcripts import replay as replay

on_demand(globals())
__all__ = [
    "At",
    "ConcurrencyError",
    "Delivery",
    "DeliveryError",
    "Event",
    "EventDraft",
    "EventError",
    "EventStore",
    "EventType",
    "ExchangeError",
    "HistoryError",
    "HudSession",
    "HudStore",
    "InstallError",
    "LimitError",
    "Limits",
    "Part",
    "ProjectError",
    "Projection",
    "ProjectionError",
    "PruningError",
    "Reanchor",
    "SearchError",
    "ServeError",
    "SettingsError",
    "SnapshotPolicy",
    "StoreDamagedError",
    "StoreError",
    "StoreFullError",
    "StoreLockedError",
    "StoreReadOnlyError",
    "StoreUnavailableError",
    "StoreVersionError",
    "TranscriptError",
    "UnknownItemError",
    "project",
    "read_transcript",
    "replay",
]
