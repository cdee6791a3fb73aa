"""The log of one session, and the store below it: recorded events, and the state folded from them.

In: drafts of events. Out: events in the store's log, and present or past states. Rendering and tools are in
other rooms, which take a :class:`SessionLog`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ujsx.on_demand import on_demand

if TYPE_CHECKING:
    from hud_runtime.log._recording import ERASE as ERASE
    from hud_runtime.log._recording import EventRecorder as EventRecorder
    from hud_runtime.log._recording import ProjectionView as ProjectionView
    from hud_runtime.log._recording import SnapshotPolicy as SnapshotPolicy
    from hud_runtime.log._session_log import LogOptions as LogOptions
    from hud_runtime.log._session_log import ParentSeen as ParentSeen
    from hud_runtime.log._session_log import Refused as Refused
    from hud_runtime.log._session_log import SessionLog
    from hud_runtime.log._session_log import ToolSession as ToolSession
    from hud_runtime.log._session_log import listed_drafts as listed_drafts

__all__ = ["SessionLog"]

on_demand(globals())
