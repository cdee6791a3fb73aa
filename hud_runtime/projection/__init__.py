"""Projection: what the events of a session add up to.

In: a state and an event. Out: the next state. Pure, and a table of small functions.
"""

from hud_runtime.projection._history import WORDS, described, story
from hud_runtime.projection._hud import HUD
from hud_runtime.projection._kinds import KINDS, Item, Kind, duplicate, kind_of, made_id
from hud_runtime.projection._project import (
    PROJECTION_VERSION,
    REPORTED,
    RULES,
    Rule,
    project,
    state_of,
)
from hud_runtime.projection._projection import Codec, Projection, ProjectionRegistry
from hud_runtime.projection._trend import READINGS, TRENDS, trend

__all__ = [
    "HUD",
    "KINDS",
    "PROJECTION_VERSION",
    "READINGS",
    "REPORTED",
    "RULES",
    "TRENDS",
    "WORDS",
    "Codec",
    "Item",
    "Kind",
    "Projection",
    "ProjectionRegistry",
    "Rule",
    "described",
    "duplicate",
    "kind_of",
    "made_id",
    "project",
    "state_of",
    "story",
    "trend",
]
