"""Operations: the calls that a model can make, their tool definitions, and their results.

In: Pydantic models with handlers. Out: tool definitions in the shape of any provider, and a :class:`ToolResult` for
each call, whatever the model sent.
"""

from ujsx.on_demand import on_demand
from ujsx.tools._examples import example_arguments as example_arguments
from ujsx.tools._fit import fitted as fitted
from ujsx.tools._operation import Operation
from ujsx.tools._result import Repair as Repair
from ujsx.tools._result import ToolResult
from ujsx.tools._route import opened as opened
from ujsx.tools._toolset import LONGEST_ANSWER, Toolset
from ujsx.tools._toolset import parts as parts

__all__ = ["LONGEST_ANSWER", "Operation", "ToolResult", "Toolset"]

on_demand(globals())
