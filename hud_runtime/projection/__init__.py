"""Projection: what the events of a session add up to.

In: a state and an event. Out: the next state. Pure; what happens to a section is what it declares.
"""

from __future__ import annotations

from hud_runtime.projection._history import WORDS, described, story
from hud_runtime.projection._project import (
    FACTS,
    HUD,
    READINGS,
    TRENDS,
    Codec,
    Projection,
    ProjectionRegistry,
    Rule,
    moment_of,
    project,
    projection_of,
    state_of,
    trend,
    why_unread,
)
from ujsx.on_demand import on_demand

__all__ = [
    "FACTS",
    "HUD",
    "READINGS",
    "TRENDS",
    "WORDS",
    "Codec",
    "Projection",
    "ProjectionRegistry",
    "Rule",
    "described",
    "moment_of",
    "project",
    "projection_of",
    "state_of",
    "story",
    "trend",
    "why_unread",
]

on_demand(globals())
