"""Projection: what the events of a session add up to.

In: a state and an event. Out: the next state. Pure; what happens to a section is what it declares.
"""

from hud_runtime.projection._history import WORDS, described, story
from hud_runtime.projection._project import (
    FACTS,
    HUD,
    project,
    projection_of,
    state_of,
    why_unread,
)
from hud_runtime.projection._projection import Codec, Projection, ProjectionRegistry
from hud_runtime.projection._session import Rule, moment_of
from hud_runtime.projection._trend import READINGS, TRENDS, trend
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
