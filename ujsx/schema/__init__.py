"""Components as tools: a component's props are its tool's parameters.

``tool_schema`` gives the parameters as JSON Schema, ``tool_definition`` the whole tool in the shape
that a provider's API takes. Each provider takes a part of JSON Schema only: what a dialect can say
is a table, :data:`DIALECTS`. ``to_dialect`` brings any schema into a dialect, and ``lint`` says what
that changes.
"""

from ujsx.schema._cost import schema_tokens
from ujsx.schema._definition import tool_definition, tool_schema
from ujsx.schema._dialects import DIALECTS, Dialect
from ujsx.schema._keywords import Schema
from ujsx.schema._lint import lint, to_dialect
from ujsx.schema._loss import Loss

__all__ = [
    "DIALECTS",
    "Dialect",
    "Loss",
    "Schema",
    "lint",
    "schema_tokens",
    "to_dialect",
    "tool_definition",
    "tool_schema",
]
