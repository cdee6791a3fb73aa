"""The shape of an operation's arguments: their schema without words, fit to share a router."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Protocol

from pydantic import BaseModel

from ujsx.errors import SchemaError
from ujsx.schema._generate import as_schema
from ujsx.schema._keywords import DEFS, LISTED, NAMED, NESTED, Schema, is_list, is_object
from ujsx.schema._nulls import accepts_null

WORDS = frozenset({"title", "description", "default", "examples", "deprecated"})
"""Keywords that say something and demand nothing (JSON Schema 2020-12, validation, section 9)."""

_DEFAULT = "default"
"""The word that a router keeps, if it is not brief: a model that does not know a default gives a value of its own."""

_ROOT = '"$ref": "#"'

BRIEF = frozenset(
    {"type", "enum", "const", "required", "additionalProperties", "$ref", "items"} | NAMED | LISTED
)
"""The keywords that a brief router keeps: names, types, choices, and what is required."""


def shape_of(
    arguments: type[BaseModel], definitions: Schema, *, brief: bool, described: bool = False
) -> Schema:
    """Return the object schema of the arguments, without words but their defaults, if it is not to be brief.

    What the schema defines under ``$defs`` is moved into ``definitions``, which all operations of
    a router share; a name that is taken by something else gets a number.

    ``null`` goes from arguments for which it is the default: a call means the same without it. One
    that may be null and has another default keeps both, brief or not, for the model to tell them apart.

    :param brief: whether everything goes that is not in :data:`BRIEF`.
    :param described: whether what is defined keeps its descriptions; those of the arguments are told by
        :func:`describe`.
    :raises SchemaError: for a model whose values are no JSON objects.

    >>> from ujsx.elements import Link
    >>> shape_of(Link, {}, brief=False)["properties"]
    {'url': {'type': 'string'}, 'title': {'type': 'string'}}
    """
    given = as_schema(arguments)
    kept = BRIEF if brief else None
    schema = _bare(given, kept)
    own: Schema = schema.pop("$defs", {})
    if described:
        left = WORDS - {"description"}
        own = {name: _bare(each, kept, left) for name, each in given.get("$defs", {}).items()}
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
    defaults = {
        name: each["default"]
        for name, each in given.get("properties", {}).items()
        if each.get("default") is not None and accepts_null(each, given)
    }
    return {
        **schema,
        "properties": {
            name: {**each, "default": defaults[name]}
            if name in defaults
            else each
            if name in required
            else _without_null(each)
            for name, each in properties.items()
        },
    }


def describe(
    properties: Schema,
    operations: Sequence[Described],
    told: set[tuple[str, str]] | None = None,
) -> None:
    """Give arguments the descriptions that their models have.

    What several operations say of an argument of one name, if not the same, is told of each.

    :param told: arguments with what was said of them already, which is not said again; what is said
        here is added.
    """
    said: dict[str, dict[str, list[str]]] = {}
    for each in operations:
        for name, schema in as_schema(each.arguments).get("properties", {}).items():
            if text := schema.get("description"):
                said.setdefault(name, {}).setdefault(text, []).append(each.name)
    for name, texts in said.items():
        alone = len(texts) == 1
        lines = [
            text if alone else f"{', '.join(names)}: {text}"
            for text, names in texts.items()
            if told is None or (name, text) not in told
        ]
        if not lines:
            continue
        if told is not None:
            told.update((name, text) for text in texts)
        properties[name] = {**properties[name], "description": "\n".join(lines)}


class Described(Protocol):
    """An operation, as far as its arguments' descriptions go."""

    @property
    def name(self) -> str:
        """The name of the operation."""
        ...

    @property
    def arguments(self) -> type[BaseModel]:
        """The model of its arguments."""
        ...


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


def _bare(schema: Any, kept: frozenset[str] | None, words: frozenset[str] = WORDS) -> Any:
    """Return the schema without those words; of the keywords that are none, only those that are kept."""
    if not is_object(schema):
        return schema
    return {
        key: _bare_inside(key, value, kept, words)
        for key, value in schema.items()
        if (key not in words and (kept is None or key in kept or key in WORDS))
        or (key == _DEFAULT and kept is None and value is not None)
    }


def _bare_inside(key: str, value: Any, kept: frozenset[str] | None, words: frozenset[str]) -> Any:
    if key in NAMED and is_object(value):
        return {name: _bare(each, kept, words) for name, each in value.items()}
    if key in LISTED and is_list(value):
        return [_bare(each, kept, words) for each in value]
    return _bare(value, kept, words) if key in NESTED else value


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
