"""Pruning: which tool outputs a model need not read whole, decided without a model.

In: outputs of tools, and how full the context is. Out: what stands in their places, with the call that brings each
back whole. All policies are pure functions of what they are given; the tables that they use are data.
"""

from hud_runtime.context.pruning._output import DETECTORS, Detector, ToolOutput
from hud_runtime.context.pruning._output import MODES as MODES
from hud_runtime.context.pruning._output import NEVER as NEVER
from hud_runtime.context.pruning._output import Mode as Mode
from hud_runtime.context.pruning._output import ModeName as ModeName
from hud_runtime.context.pruning._output import detector_of as detector_of
from hud_runtime.context.pruning._output import mode_for as mode_for
from hud_runtime.context.pruning._output import mode_named as mode_named
from hud_runtime.context.pruning._output import output_id as output_id
from hud_runtime.context.pruning._pruning import OldOutputs, Pruning, SmartPruning
from hud_runtime.context.pruning._pruning import PrunedOutput as PrunedOutput
from hud_runtime.context.pruning._pruning import gone_text as gone_text
from ujsx.on_demand import on_demand

__all__ = ["DETECTORS", "Detector", "OldOutputs", "Pruning", "SmartPruning", "ToolOutput"]

on_demand(globals())
