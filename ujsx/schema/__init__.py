"""Components as tools: a component's props are its tool's parameters.

``tool_schema`` returns the parameters as JSON Schema, ``tool_definition`` the whole tool in the shape of a provider's
API. Each provider supports only a part of JSON Schema: the table :data:`DIALECTS` lists it. ``to_dialect`` converts any
schema to a dialect, and ``lint`` reports the losses. ``compare_schemas`` finds the changes of a schema that break
callers and stored events.
"""

from ujsx.on_demand import on_demand
from ujsx.schema._compare import SchemaChange, compare_schemas
from ujsx.schema._convert import from_dialect
from ujsx.schema._definition import (
    lint,
    schema_tokens,
    to_dialect,
    tool_definition,
    tool_schema,
    tree_schema,
)
from ujsx.schema._dialects import DIALECTS, PROVIDER_LIMITS, Loss, check_request
from ujsx.schema._dialects import dialect_of as dialect_of
from ujsx.schema._generate import as_model as as_model
from ujsx.schema._router import ARGS as ARGS
from ujsx.schema._router import LAYOUTS, router_schema
from ujsx.schema._router import TOOL as TOOL
from ujsx.schema._router import help_text as help_text

__all__ = [
    "DIALECTS",
    "LAYOUTS",
    "PROVIDER_LIMITS",
    "Loss",
    "SchemaChange",
    "check_request",
    "compare_schemas",
    "from_dialect",
    "lint",
    "router_schema",
    "schema_tokens",
    "to_dialect",
    "tool_definition",
    "tool_schema",
    "tree_schema",
]

on_demand(globals())
