"""Null as a way to leave a property out, and how it is taken back.

Where every property is required, a model writes null for what it would leave out. The component has
a default for it, and may not know null at all.
"""

from __future__ import annotations

from typing import Any

from ujsx.errors import SchemaError, shown
from ujsx.schema._generate import Model, as_schema
from ujsx.schema._keywords import Schema, as_list, is_list, is_object
from ujsx.schema._refs import target

ADVICE = "they come first, then the model"

MAX_LEVELS = 300
"""How deep arguments are searched for nulls; what is nested deeper stays as it is."""


def without_nulls(arguments: Any, model: Model | Schema) -> Any:
    """Return a call's arguments without the nulls that stand for leaving a property out.

    A null goes where the property may be left out and cannot be null itself. All else stays, wrong
    values included: validation comes after this.

    :param arguments: what a model sent, an object of JSON data; it is not changed.
    :param model: the component or model that is called, or its schema in the dialect json-schema.
    :raises SchemaError: for arguments that are no object, JSON text among them, and what is no
        model.

    >>> from ujsx.elements import CodeBlock, List
    >>> without_nulls({"ordered": True, "start": None}, List)
    {'ordered': True}
    >>> without_nulls({"value": "x", "lang": None}, CodeBlock)
    {'value': 'x', 'lang': None}
    """
    if not is_object(arguments):
        advice = "json.loads them first" if isinstance(arguments, str | bytes) else ADVICE
        raise SchemaError(f"the arguments are an object, not {shown(arguments)}; {advice}")
    root = as_schema(model)
    return _cleaned(arguments, root, root, 0)


def _cleaned(value: Any, schema: Any, root: Schema, level: int) -> Any:
    if level > MAX_LEVELS:
        return value
    if is_list(value):
        schema = _branch(value, schema, root)
        return [
            _cleaned(each, _item(schema, place), root, level + 1)
            for place, each in enumerate(value)
        ]
    if not is_object(value):
        return value
    schema = _branch(value, schema, root)
    properties: Schema = schema.get("properties", {})
    more = schema.get("additionalProperties")
    gone = _gone(value, schema, root)
    return {
        name: _cleaned(each, properties.get(name, more), root, level + 1)
        for name, each in value.items()
        if name not in gone
    }


def _gone(value: Any, schema: Schema, root: Schema) -> frozenset[str]:
    """The properties of an object whose null stands for leaving them out."""
    if not is_object(value):
        return frozenset()
    properties: Schema = schema.get("properties", {})
    return frozenset(
        name
        for name, each in value.items()
        if each is None
        and name in properties
        and name not in schema.get("required", ())
        and not accepts_null(properties[name], root)
    )


def _item(schema: Schema, place: int) -> Any:
    first: list[Any] = schema.get("prefixItems", [])
    return first[place] if place < len(first) else schema.get("items")


def _branch(value: Any, schema: Any, root: Schema) -> Schema:
    """The part of ``schema`` that is about ``value``: behind references, and the branch that fits."""
    seen: set[str] = set()
    while is_object(schema):
        ref = schema.get("$ref")
        if isinstance(ref, str) and ref not in seen:
            seen.add(ref)
            schema = target(root, ref)
            continue
        branches = schema.get("anyOf") or schema.get("oneOf")
        if not branches:
            return schema
        fitting = [each for each in branches if _fits(value, each, root)]
        whole = (each for each in fitting if not _gone(value, _branch(value, each, root), root))
        schema = next(whole, fitting[0] if fitting else None)
    return {}


def _fits(value: Any, schema: Any, root: Schema) -> bool:
    """Tell whether ``value`` is meant for a branch, by its type, its names and its constants.

    A null that stands for leaving a property out is none of its constants, and speaks against none.
    """
    schema = _branch(value, schema, root)
    kind = "array" if is_list(value) else "object"
    if schema.get("type", kind) != kind or not schema:
        return False
    if not is_object(value):
        return True
    properties: Schema = schema.get("properties", {})
    is_closed = schema.get("additionalProperties") is False
    said = value.keys() - _gone(value, schema, root)
    return (not is_closed or value.keys() <= properties.keys()) and all(
        value[name] in each.get("enum", [each.get("const", value[name])])
        for name, each in properties.items()
        if name in said and is_object(each)
    )


def accepts_null(schema: Any, root: Schema) -> bool:
    """Tell whether null is valid for ``schema``, a part of ``root``.

    >>> accepts_null({"anyOf": [{"type": "string"}, {"type": "null"}]}, {})
    True
    """
    return _accepts_null(schema, root, frozenset())


def _accepts_null(schema: Any, root: Schema, seen: frozenset[str]) -> bool:
    if not is_object(schema):
        return schema is True
    ref = schema.get("$ref")
    if isinstance(ref, str) and (
        ref in seen or not _accepts_null(target(root, ref), root, seen | {ref})
    ):
        return False
    if "type" in schema and "null" not in as_list(schema["type"]):
        return False
    if "const" in schema and schema["const"] is not None:
        return False
    if "enum" in schema and None not in schema["enum"]:
        return False
    branches = [schema[keyword] for keyword in ("anyOf", "oneOf") if keyword in schema]
    return all(any(_accepts_null(each, root, seen) for each in group) for group in branches)
