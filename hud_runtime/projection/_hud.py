"""The projection that the HUD shows."""

from __future__ import annotations

from hud_components import HudState
from hud_runtime.projection._project import PROJECTION_VERSION, project
from hud_runtime.projection._projection import Codec, Projection

HUD: Projection[HudState] = Projection(
    "hud",
    HudState(),
    project,
    PROJECTION_VERSION,
    Codec(HudState.model_dump_json, HudState.model_validate_json),
)
"""From events to the state of the HUD; :func:`project` is its fold."""
