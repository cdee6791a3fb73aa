"""Dictionaries as lists of entries, in dialects that have no objects with names of any kind.

``{"a": 1}`` is ``[{"key": "a", "value": 1}]`` there. :func:`ujsx.schema.from_dialect` reads it back.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ujsx.schema._keywords import SPEAKS_OF, TYPE_OF, Schema, as_list, is_list, is_object
from ujsx.schema._refs import target
from ujsx.schema._verdicts import Verdict

if TYPE_CHECKING:
    from ujsx.schema._convert import Conversion
    from ujsx.schema._node import Node

KEY, VALUE = "key", "value"
"""The two members of an entry."""

_COUNTS = {"minProperties": "minItems", "maxProperties": "maxItems"}


def say_entries(conversion: Conversion, node: Node, values: Any, required: list[str]) -> None:
    """Say a dictionary as a list of entries.

    :param values: the schema of its values.
    """
    dialect = conversion.dialect
    why = "written as a list of entries, each with a key and a value; a repeated key is refused"
    conversion.lose(node.pointer, "additionalProperties", values, "kept", why)
    names = node.rest.get("propertyNames", True)
    key = _key(names)
    if key is not None:
        node.rest.pop("propertyNames", None)
    entry: Schema = {
        "properties": {
            KEY: conversion.schema(key or _TEXT, f"{node.pointer}/propertyNames"),
            VALUE: conversion.schema(values, f"{node.pointer}/additionalProperties"),
        },
        "required": [KEY, VALUE],
        "type": "object",
    }
    closed = {"additionalProperties": False}
    closes = dialect.verdict("additionalProperties") is Verdict.KEEP
    node.said |= {"type": "array", "items": {**closed, **entry} if closes else entry}
    if required:
        conversion.note(node, "required", required)
    for keyword in [each for each in node.rest if TYPE_OF.get(each) == "object"]:
        value = node.rest.pop(keyword)
        count = _COUNTS.get(keyword, "")
        if dialect.says(count, value):
            node.said[count] = value
            conversion.lose(node.pointer, keyword, value, "kept", f"written as {count}")
        else:
            conversion.note(node, keyword, value)


def _key(names: Any) -> Schema | None:
    """The schema of a key, if it can be said in keywords of a text alone."""
    if not is_object(names):
        return None if names is False else _TEXT
    texts = [names["const"]] if "const" in names else names.get("enum", [])
    is_text = names.get("type", "string") == "string" and all(
        isinstance(each, str) for each in texts
    )
    if names.keys() == {"$ref"} or not is_text:
        return names if is_text else None
    return {**_TEXT, **names} if names.keys() <= _OF_TEXTS else None


_TEXT: Schema = {"type": "string"}

_OF_TEXTS = {"const", "enum", "format", "maxLength", "minLength", "pattern", "type"}


def is_dictionary(schema: Schema) -> bool:
    """Tell whether a schema is of objects that declare no names of their own.

    >>> is_dictionary({"type": "object", "additionalProperties": {"type": "null"}})
    True
    """
    more = schema.get("additionalProperties", "patternProperties" in schema)
    return "object" in as_list(schema.get("type", "object")) and not (
        schema.get("properties") or (more is False and not schema.get("patternProperties"))
    )


def forms(schema: Any, root: Schema) -> Iterator[Schema]:
    """Yield what a value may be: the schema, or what it refers to, without unions."""
    waiting, seen = [schema], set[str]()
    while waiting:
        part = waiting.pop(0)
        if not is_object(part):
            continue
        ref = part.get("$ref")
        if isinstance(ref, str):
            waiting += [] if ref in seen else [target(root, ref)]
            seen.add(ref)
            continue
        branches = [*part.get("anyOf", ()), *part.get("oneOf", ())]
        waiting += branches
        if not branches:
            yield part


def takes_lists(schema: Schema) -> bool:
    """Tell whether a schema without unions has lists among its values."""
    listed = [schema["const"]] if "const" in schema else schema.get("enum")
    if listed is not None:
        return any(map(is_list, listed))
    speaks = SPEAKS_OF["object"].isdisjoint(schema) or not SPEAKS_OF["array"].isdisjoint(schema)
    return "array" in as_list(schema.get("type", "array" if speaks else "object"))
