"""Pruning: shortened tool outputs for a model, decided without a model.

In: outputs of tools, and the level of the context. Out: their replacements, each with the call that retrieves
the whole output. All policies are pure functions of their arguments; their tables are data.
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
