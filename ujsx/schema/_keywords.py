"""The keywords of JSON Schema (draft 2020-12) by what their values hold, and ways through a schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias, TypeGuard

Schema: TypeAlias = dict[str, Any]
"""A JSON Schema, draft 2020-12."""

NAMED = frozenset({"properties", "$defs", "definitions", "patternProperties", "dependentSchemas"})
"""Keywords whose value is an object of schemas: its keys are names, in an order that matters."""

LISTED = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
"""Keywords whose value is a list of schemas."""

NESTED = frozenset(
    {
        "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not",
        "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
    }
)  # fmt: skip
"""Keywords whose value is a schema."""

ANNOTATIONS = frozenset(
    {"$comment", "$schema", "default", "deprecated", "description", "examples", "title"}
)
"""Keywords that constrain nothing."""

TYPES: dict[type, str] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    list: "array",
    dict: "object",
    type(None): "null",
}
"""JSON Schema's name for the type of a value."""

TYPE_OF: dict[str, str] = {
    **dict.fromkeys(("minLength", "maxLength", "pattern", "format"), "string"),
    **dict.fromkeys(
        (
            "items",
            "prefixItems",
            "minItems",
            "maxItems",
            "uniqueItems",
            "contains",
            "minContains",
            "maxContains",
            "unevaluatedItems",
        ),
        "array",
    ),
    **dict.fromkeys(
        (
            "properties",
            "required",
            "additionalProperties",
            "minProperties",
            "maxProperties",
            "patternProperties",
            "propertyNames",
            "dependentRequired",
            "dependentSchemas",
            "unevaluatedProperties",
        ),
        "object",
    ),
    **dict.fromkeys(
        ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), "number"
    ),
}
"""The type of value that a keyword constrains; it says nothing about others."""

SPEAKS_OF = {
    "object": frozenset({"additionalProperties", "patternProperties", "properties"}),
    "array": frozenset({"items", "prefixItems"}),
}
"""The keywords that imply a type where none is given."""

VALUES = frozenset({"const", "enum"})
"""Keywords that list values."""

DEFS = "#/$defs/"


def is_object(value: object) -> TypeGuard[Schema]:
    """Tell whether ``value`` is an object, as a schema is that is neither true nor false."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Tell whether ``value`` is a list."""
    return isinstance(value, list)


def as_list(value: Any) -> list[Any]:
    """Return a list as it is, and anything else as a list of it."""
    return value if is_list(value) else [value]


def types_of(value: Any) -> list[str]:
    """Return the types that a value has; a whole number has two, however it is written.

    >>> types_of(1), types_of(1.0), types_of(True)
    (['integer', 'number'], ['number', 'integer'], ['boolean'])
    """
    is_whole = type(value) is int or (type(value) is float and value.is_integer())
    numbers = ["integer", "number"] if is_whole else []
    return [*dict.fromkeys([TYPES[type(value)], *numbers])]


def bases(types: Iterable[str]) -> set[str]:
    """Return types as :data:`TYPE_OF` names them: a whole number is a number."""
    return {"number" if each == "integer" else each for each in types}


def is_equal(one: Any, other: Any) -> bool:
    """Tell whether two values are one in JSON, where ``1`` is ``1.0`` and not ``true``.

    >>> is_equal([1], [1.0]), is_equal({"a": 1}, {"a": True})
    (True, False)
    """
    if is_list(one) and is_list(other):
        return len(one) == len(other) and all(map(is_equal, one, other))
    if is_object(one) and is_object(other):
        return one.keys() == other.keys() and all(is_equal(one[key], other[key]) for key in one)
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def children(schema: Schema) -> Iterator[tuple[str, Any]]:
    """Yield each schema directly inside ``schema``, with the pointer that leads to it.

    >>> list(children({"type": "array", "items": {"type": "string"}}))
    [('/items', {'type': 'string'})]
    """
    for keyword, value in schema.items():
        if keyword in NAMED and is_object(value):
            yield from ((f"/{keyword}/{escape(name)}", each) for name, each in value.items())
        elif keyword in LISTED and is_list(value):
            yield from ((f"/{keyword}/{place}", each) for place, each in enumerate(value))
        elif keyword in NESTED:
            yield f"/{keyword}", value


def everywhere(schema: Schema, pointer: str = "") -> Iterator[tuple[str, Schema]]:
    """Yield ``schema`` and every schema inside it, with its pointer."""
    yield pointer, schema
    for suffix, child in children(schema):
        if is_object(child):
            yield from everywhere(child, pointer + suffix)


def escape(name: str) -> str:
    """Return ``name`` as a part of a JSON pointer (RFC 6901, section 3).

    >>> escape("a/b")
    'a~1b'
    """
    return name.replace("~", "~0").replace("/", "~1")


def unescape(part: str) -> str:
    """Return the name that a part of a JSON pointer stands for."""
    return part.replace("~1", "/").replace("~0", "~")


def ordered(value: Any, keyword: str = "") -> Any:
    """Return a schema with its keywords in alphabetical order, and names and data as they are.

    >>> ordered({"type": "object", "properties": {"b": {"type": "null"}, "a": {}}})
    {'properties': {'b': {'type': 'null'}, 'a': {}}, 'type': 'object'}
    """
    if keyword in LISTED and is_list(value):
        return [ordered(each) for each in value]
    if not is_object(value):
        return value
    if keyword in NAMED:
        return {name: ordered(each) for name, each in value.items()}
    if keyword and keyword not in NESTED:
        return value
    return {name: ordered(value[name], name) for name in sorted(value)}
