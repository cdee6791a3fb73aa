"""The log of one session: what is recorded in it, and the state that it adds up to.

In: drafts of events. Out: events in the store's log, and states, now or as they were. It shows nothing and asks no
tools: what does stands above it, and takes a :class:`SessionLog`.
"""

from hud_runtime.log._recording import (
    ERASE,
    EventRecorder,
    ProjectionView,
    SnapshotPolicy,
)
from hud_runtime.log._session_log import (
    LogOptions,
    ParentSeen,
    Refused,
    SessionLog,
    ToolSession,
    listed_drafts,
)
from ujsx.on_demand import on_demand

__all__ = [
    "ERASE",
    "EventRecorder",
    "LogOptions",
    "ParentSeen",
    "ProjectionView",
    "Refused",
    "SessionLog",
    "SnapshotPolicy",
    "ToolSession",
    "listed_drafts",
]

on_demand(globals())
