"""A call that an operation would take: what a model that has erred can go by."""

from __future__ import annotations

import json
from typing import Any

from pydantic import ValidationError

from ujsx.schema._definition import tool_schema
from ujsx.schema._keywords import Schema, as_list
from ujsx.schema._refs import target
from ujsx.schema._router import CALL, OP
from ujsx.tools._operation import Operation
from ujsx.tools._validate import validated

LEVELS = 4
"""Objects and lists inside each other in an example."""

SAMPLES: dict[str, Any] = {"string": "…", "number": 1, "integer": 1, "boolean": True, "null": None}
"""What stands in an example for a value of a type."""


def example(operation: Operation, *, shared: bool) -> str | None:
    """Return a call with the arguments that have to be given; ``None`` where none can be made up.

    :param shared: whether operations share a tool.

    >>> from ujsx.elements import Link
    >>> example(Operation("link", Link), shared=True)
    '{"call": {"op": "link", "url": "…"}}'
    """
    schema = tool_schema(operation.arguments)
    arguments = _sample(schema, schema, LEVELS)
    try:
        validated(operation.arguments, arguments)
    except ValidationError:
        return None
    call = {CALL: {OP: operation.name, **arguments}} if shared else arguments
    return json.dumps(call, ensure_ascii=False)


def _sample(schema: Any, root: Schema, levels: int) -> Any:
    """A value that a part of a schema takes, as far as types, choices and bounds go."""
    found = target(root, schema["$ref"]) if "$ref" in schema else schema
    for keyword in ("examples", "enum"):
        if found.get(keyword):
            return found[keyword][0]
    if "const" in found:
        return found["const"]
    if levels == 0:
        return None
    branches = found.get("anyOf") or found.get("oneOf")
    if branches:
        return _sample(branches[0], root, levels)
    kind = as_list(found.get("type", "null"))[0]
    if kind == "object":
        properties: Schema = found.get("properties", {})
        needed = found.get("required", ())
        return {name: _sample(properties[name], root, levels - 1) for name in needed}
    if kind == "array":
        least = max(found.get("minItems", 1), 1)
        return [_sample(found.get("items", {}), root, levels - 1)] * least
    if kind in {"integer", "number"}:
        return found.get("minimum", SAMPLES[kind])
    return SAMPLES[kind]
