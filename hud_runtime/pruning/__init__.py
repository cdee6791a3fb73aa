"""Pruning: which tool outputs a model need not read whole, decided without a model.

In: outputs of tools, and how full the context is. Out: what stands in their places, with the call that brings each
back whole. All policies are pure functions of what they are given; the tables that they use are data.
"""

from hud_runtime.pruning._detectors import DETECTORS, PLAIN, Detector, detector_of
from hud_runtime.pruning._output import (
    BY_LEVEL,
    MODES,
    NEVER,
    Cut,
    Mode,
    ModeName,
    ToolOutput,
    mode_for,
    mode_named,
    output_id,
    protected,
)
from hud_runtime.pruning._pruning import OldOutputs, Pruning, gone_text
from hud_runtime.pruning._smart import FRAMES, Frames, Pruned, SmartPruning
from ujsx.on_demand import on_demand

__all__ = [
    "BY_LEVEL",
    "DETECTORS",
    "FRAMES",
    "MODES",
    "NEVER",
    "PLAIN",
    "Cut",
    "Detector",
    "Frames",
    "Mode",
    "ModeName",
    "OldOutputs",
    "Pruned",
    "Pruning",
    "SmartPruning",
    "ToolOutput",
    "detector_of",
    "gone_text",
    "mode_for",
    "mode_named",
    "output_id",
    "protected",
]

on_demand(globals())
