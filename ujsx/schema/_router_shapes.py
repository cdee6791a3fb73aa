"""The shape of an operation's arguments: their schema without words, fit to share a router."""

from __future__ import annotations

import json
import re
from typing import Any, TypeAlias, cast

from pydantic import BaseModel

from ujsx._errors import SchemaError
from ujsx.schema._definition import tool_schema

Schema: TypeAlias = dict[str, Any]
"""A JSON Schema, draft 2020-12."""

ANNOTATIONS = frozenset({"title", "description", "default", "examples", "deprecated"})
"""Keywords that say something and demand nothing (JSON Schema 2020-12, validation, section 9)."""

_NAMED = frozenset({"properties", "patternProperties", "dependentSchemas", "$defs"})
"""Keywords whose keys are names of the author's, not keywords."""

_DATA = frozenset({"const", "enum", "required", "dependentRequired"})
"""Keywords whose values are data, not schemas."""

_POINTER = "#/$defs/"


def shape_of(arguments: type[BaseModel], definitions: Schema) -> Schema:
    """Return the object schema of the arguments, without annotations.

    What the schema defines under ``$defs`` is moved into ``definitions``, which all operations of
    a router share; a name that is taken by something else gets a number.

    :raises SchemaError: for a model whose values are no JSON objects.

    >>> from ujsx.elements import Link
    >>> shape_of(Link, {})["properties"]["url"]
    {'type': 'string'}
    """
    schema = _bare(tool_schema(arguments))
    own: Schema = schema.pop("$defs", {})
    names = _taken(own, definitions)
    definitions.update({names[name]: _renamed(each, names) for name, each in own.items()})
    schema = _renamed(schema, names)
    if "$ref" in schema:  # a recursive model stands among its own definitions
        schema = {**definitions[schema["$ref"].removeprefix(_POINTER)]}
    if schema.get("type") != "object":
        raise SchemaError(
            f"{arguments.__name__}: the arguments of an operation are an object with names; "
            "make it a model with fields"
        )
    return schema


def branch(shape: Schema, first: Schema) -> Schema:
    """Return the shape with the properties of ``first`` before its own, all of them required.

    >>> branch({"type": "object", "properties": {"b": {}}, "required": ["b"]}, {"a": {}})
    {'type': 'object', 'properties': {'a': {}, 'b': {}}, 'required': ['a', 'b']}
    """
    return {
        "type": "object",
        "properties": {**first, **shape.get("properties", {})},
        "required": [*first, *shape.get("required", ())],
        **{key: value for key, value in shape.items() if key not in _OBJECT},
    }


_OBJECT = frozenset({"type", "properties", "required"})


def closed(properties: Schema, required: list[str]) -> Schema:
    """Return the schema of an object with these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _bare(schema: Any, keyword: str = "") -> Any:
    if isinstance(schema, list):
        return [_bare(each) for each in cast("Any", schema)]
    if not isinstance(schema, dict) or keyword in _DATA:
        return cast("Any", schema)
    items = cast("Any", schema).items()
    if keyword in _NAMED:
        return {name: _bare(each) for name, each in items}
    return {key: _bare(value, key) for key, value in items if key not in ANNOTATIONS}


def _taken(own: Schema, definitions: Schema) -> dict[str, str]:
    """Return under which name each definition goes into the shared ones."""
    names: dict[str, str] = {}
    for name, schema in own.items():
        place, number = name, 1
        while place in definitions and definitions[place] != schema:
            number += 1
            place = f"{name}{number}"
        names[name] = place
    return names


def _renamed(schema: Any, names: dict[str, str]) -> Any:
    """Point every reference, those of a discriminator's mapping too, to the new names."""
    if all(old == new for old, new in names.items()):
        return schema

    def pointed(match: re.Match[str]) -> str:
        return f'"{_POINTER}{names.get(match[1], match[1])}"'

    return json.loads(_REFERENCE.sub(pointed, json.dumps(schema)))


_REFERENCE = re.compile(r'"#/\$defs/([^"]+)"')
