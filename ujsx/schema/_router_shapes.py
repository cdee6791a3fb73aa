"""The shape of an operation's arguments: their schema without words, fit to share a router."""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic import BaseModel

from ujsx._errors import SchemaError
from ujsx.schema._generate import as_schema
from ujsx.schema._keywords import DEFS, LISTED, NAMED, NESTED, Schema, is_list, is_object

WORDS = frozenset({"title", "description", "default", "examples", "deprecated"})
"""Keywords that say something and demand nothing (JSON Schema 2020-12, validation, section 9)."""

_ROOT = '"$ref": "#"'

BRIEF = frozenset(
    {"type", "enum", "const", "required", "additionalProperties", "$ref", "items"} | NAMED | LISTED
)
"""The keywords that a brief router keeps: names, types, choices, and what is required."""


def shape_of(arguments: type[BaseModel], definitions: Schema, *, brief: bool) -> Schema:
    """Return the object schema of the arguments, without words.

    What the schema defines under ``$defs`` is moved into ``definitions``, which all operations of
    a router share; a name that is taken by something else gets a number.

    ``null`` goes from arguments that need not be given: a call means the same without it.

    :param brief: whether everything goes that is not in :data:`BRIEF`.
    :raises SchemaError: for a model whose values are no JSON objects.

    >>> from ujsx.elements import Link
    >>> shape_of(Link, {}, brief=False)["properties"]
    {'url': {'type': 'string'}, 'title': {'type': 'string'}}
    """
    schema = _bare(as_schema(arguments), BRIEF if brief else None)
    own: Schema = schema.pop("$defs", {})
    text = json.dumps([schema, own])
    if _ROOT in text:  # a recursive model refers to its root, which is not that of the router
        pointed = text.replace(_ROOT, f'"$ref": "{DEFS}{arguments.__name__}"')
        schema, own = json.loads(pointed)
        own[arguments.__name__] = schema
    names = _places(own, definitions)
    definitions.update({names[name]: _pointed(each, names) for name, each in own.items()})
    schema = _pointed(schema, names)
    if schema.get("type") != "object":
        raise SchemaError(
            f"{arguments.__name__}: the arguments of an operation are an object with names; "
            "make it a model with fields"
        )
    required = schema.get("required", ())
    properties: Schema = schema.get("properties", {})
    optional = {name: _without_null(each) for name, each in properties.items()}
    return {
        **schema,
        "properties": {
            name: each if name in required else optional[name] for name, each in properties.items()
        },
    }


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


def _bare(schema: Any, kept: frozenset[str] | None) -> Any:
    """Return the schema without words; of its other keywords, only those that are kept."""
    if not is_object(schema):
        return schema
    return {
        key: _bare_inside(key, value, kept)
        for key, value in schema.items()
        if key not in WORDS and (kept is None or key in kept)
    }


def _bare_inside(key: str, value: Any, kept: frozenset[str] | None) -> Any:
    if key in NAMED and is_object(value):
        return {name: _bare(each, kept) for name, each in value.items()}
    if key in LISTED and is_list(value):
        return [_bare(each, kept) for each in value]
    return _bare(value, kept) if key in NESTED else value


def _without_null(schema: Any) -> Any:
    if not is_object(schema) or "anyOf" not in schema:
        return schema
    left = [each for each in schema["anyOf"] if each != {"type": "null"}]
    if len(left) == 1 and len(schema) == 1:
        return left[0]
    return {**schema, "anyOf": left} if left else schema


def _places(own: Schema, definitions: Schema) -> dict[str, str]:
    """Return under which name each definition goes into the shared ones."""
    names: dict[str, str] = {}
    for name, schema in own.items():
        place, number = name, 1
        while place in definitions and definitions[place] != schema:
            number += 1
            place = f"{name}{number}"
        names[name] = place
    return names


def _pointed(schema: Any, names: dict[str, str]) -> Any:
    """Point every reference, those of a discriminator's mapping too, to the new names."""
    if all(old == new for old, new in names.items()):
        return schema

    def pointed(match: re.Match[str]) -> str:
        return f'"{DEFS}{names.get(match[1], match[1])}"'

    return json.loads(_REFERENCE.sub(pointed, json.dumps(schema)))


_REFERENCE = re.compile(r'"#/\$defs/([^"]+)"')
