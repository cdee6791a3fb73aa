"""Components as tools: a component's props are its tool's parameters.

``tool_schema`` gives the parameters as JSON Schema, ``tool_definition`` the whole tool in the
shape that a provider's API takes. Which shape that is, is a table: :data:`DIALECTS`.
"""

from ujsx.schema._definition import tool_definition, tool_schema
from ujsx.schema._dialects import DIALECTS, Dialect

__all__ = ["DIALECTS", "Dialect", "tool_definition", "tool_schema"]
