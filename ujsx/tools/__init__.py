"""Operations: what a model can call, how it is told, and what it is answered.

In: Pydantic models with handlers. Out: tool definitions in the shape of any provider, and for each
call a :class:`ToolResult`, whatever the model sent.
"""

from ujsx.on_demand import on_demand
from ujsx.tools._examples import example_arguments
from ujsx.tools._fit import fitted
from ujsx.tools._operation import Operation
from ujsx.tools._result import ErrorKind, Repair, RepairKind, ToolResult
from ujsx.tools._route import opened
from ujsx.tools._toolset import LONGEST_ANSWER, Toolset, parts

__all__ = [
    "LONGEST_ANSWER",
    "ErrorKind",
    "Operation",
    "Repair",
    "RepairKind",
    "ToolResult",
    "Toolset",
    "example_arguments",
    "fitted",
    "opened",
    "parts",
]

on_demand(globals())
