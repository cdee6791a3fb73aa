"""The projection that the HUD shows."""

from __future__ import annotations

from hud_components import HudState
from hud_runtime.projection._edits import with_indexes
from hud_runtime.projection._project import PROJECTION_VERSION, project
from hud_runtime.projection._projection import Codec, Projection


def _load(text: str) -> HudState:
    return with_indexes(HudState.model_validate_json(text))


HUD: Projection[HudState] = Projection(
    "hud",
    HudState(),
    project,
    PROJECTION_VERSION,
    Codec(HudState.model_dump_json, _load),
)
"""From events to the state of the HUD; :func:`project` is its fold."""
