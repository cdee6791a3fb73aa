"""Projection: what the events of a session add up to.

In: a state and an event. Out: the next state. Pure; what happens to a section is what it declares.
"""

from __future__ import annotations

from hud_runtime.log.projection._history import WORDS as WORDS
from hud_runtime.log.projection._history import described as described
from hud_runtime.log.projection._history import story as story
from hud_runtime.log.projection._project import FACTS as FACTS
from hud_runtime.log.projection._project import HUD as HUD
from hud_runtime.log.projection._project import READINGS as READINGS
from hud_runtime.log.projection._project import Codec
from hud_runtime.log.projection._project import Projection as Projection
from hud_runtime.log.projection._project import ProjectionRegistry as ProjectionRegistry
from hud_runtime.log.projection._project import project as project
from hud_runtime.log.projection._project import projection_of as projection_of
from hud_runtime.log.projection._project import state_of as state_of
from hud_runtime.log.projection._project import trend as trend
from hud_runtime.log.projection._project import why_unread as why_unread
from ujsx.on_demand import on_demand

__all__ = ["Codec"]

on_demand(globals())
