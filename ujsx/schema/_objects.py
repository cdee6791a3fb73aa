"""Objects: which properties they have, which may be left out, and that they are closed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ujsx.schema._entries import say_entries
from ujsx.schema._keywords import VALUES, Schema, escape, is_object
from ujsx.schema._loss import reason
from ujsx.schema._node import phrase
from ujsx.schema._nulls import accepts_null
from ujsx.schema._verdicts import Verdict

if TYPE_CHECKING:
    from ujsx.schema._convert import Conversion
    from ujsx.schema._node import Node


def say_object(conversion: Conversion, node: Node) -> None:
    """Say the keywords of an object."""
    dialect = conversion.dialect
    said_of_members = node.rest.keys() & {"properties", "additionalProperties"}
    properties = _possible(conversion, node)
    required: list[str] = node.rest.pop("required", [])
    _open_named(conversion, node, properties)
    is_open = "additionalProperties" in node.rest or not said_of_members
    more: Any = node.rest.pop("additionalProperties", True)
    node.said["type"] = "object"
    if dialect.open_objects and not properties and is_open and more is not False:
        _open(conversion, node, more, required)
        return
    closes = dialect.verdict("additionalProperties") is Verdict.KEEP
    is_any = more is True or more == {}
    is_listed = not VALUES.isdisjoint(node.said)
    if node.pointer and not (properties or more is False or is_any or is_listed):
        say_entries(conversion, node, more, required)
        return
    if not properties and more is not False and is_open and (node.pointer or not is_any):
        why = reason(dialect, "additionalProperties")
        conversion.lose(node.pointer, "additionalProperties", more, "refused", why)
    elif node.pointer and not (
        properties or dialect.empty_objects or "patternProperties" in node.rest
    ):
        conversion.lose(node.pointer, "properties", {}, "refused", reason(dialect, "properties"))
    if closes and more is not False:
        conversion.lose(
            node.pointer,
            "additionalProperties",
            more,
            "dropped",
            f"{dialect.name} closes objects: members that are not declared are refused",
        )
    elif not closes and more not in (True, {}):
        why = f"{dialect.name} does not close objects; validation refuses what is not declared"
        conversion.lose(node.pointer, "additionalProperties", more, "dropped", why)
    node.said["properties"] = {
        name: conversion.schema(schema, f"{node.pointer}/properties/{escape(name)}")
        if not dialect.all_required or name in required
        else _optional(conversion, schema, f"{node.pointer}/properties/{escape(name)}")
        for name, schema in properties.items()
    }
    undeclared = [name for name in required if name not in properties]
    if undeclared:
        why = "a closed object cannot have what it does not declare"
        conversion.lose(node.pointer, "required", undeclared, "dropped", why)
    needed = [name for name in properties if dialect.all_required or name in required]
    if needed or dialect.all_required:
        node.said["required"] = needed
    if closes:
        node.said["additionalProperties"] = False


def _possible(conversion: Conversion, node: Node) -> Schema:
    """The properties that some value fits; one that none fits is left out."""
    given: Schema = node.rest.pop("properties", {})
    for name in [name for name, each in given.items() if each is False]:
        at = f"{node.pointer}/properties/{escape(name)}"
        conversion.lose(at, "properties", False, "dropped", "no value fits it: it is left out")
    return {name: each for name, each in given.items() if each is not False}


def _open(conversion: Conversion, node: Node, more: Any, required: list[str]) -> None:
    """A dictionary: members of any name, with values of one kind."""
    whatever = not is_object(more) or not more
    node.said["additionalProperties"] = (
        True if whatever else conversion.schema(more, f"{node.pointer}/additionalProperties")
    )
    if required:
        conversion.note(node, "required", required)
    if "patternProperties" in node.rest and whatever:
        conversion.note(node, "patternProperties", node.rest.pop("patternProperties"))
    names = node.rest.get("propertyNames")
    if is_object(names) and names.keys() == {"pattern"}:
        _describe_names(conversion, node, "propertyNames", names["pattern"])


def _open_named(conversion: Conversion, node: Node, properties: Schema) -> None:
    """A dictionary whose names have one pattern is one with any names, and the description has theirs."""
    given = node.rest.get("patternProperties")
    if (
        not is_object(given)
        or len(given) != 1
        or properties
        or node.rest.get("additionalProperties") is not False
        or not (node.pointer or conversion.dialect.open_objects)
    ):
        return
    [(pattern, each)] = given.items()
    node.rest["additionalProperties"] = each
    dialect = conversion.dialect
    if dialect.open_objects or not dialect.says("pattern", pattern) or "propertyNames" in node.rest:
        _describe_names(conversion, node, "patternProperties", pattern)
        return
    node.rest["propertyNames"] = {"pattern": pattern}
    why = "written as the pattern of the keys"
    conversion.lose(
        node.pointer, "patternProperties", node.rest.pop("patternProperties"), "kept", why
    )


def _describe_names(conversion: Conversion, node: Node, keyword: str, pattern: str) -> None:
    why = f"{conversion.dialect.name} does not enforce what members are called"
    node.notes.append(f"names match {pattern}")
    conversion.lose(node.pointer, keyword, node.rest.pop(keyword), "described", why)


def _optional(conversion: Conversion, schema: Any, pointer: str) -> Schema:
    """A property that may be left out, where every property is required: null stands for that."""
    why = "every property is required; null stands for leaving it out"
    if not is_object(schema) or "default" not in schema:
        conversion.lose(pointer, "required", False, "kept", why)
    if not is_object(schema) or accepts_null(schema, conversion.root):
        return conversion.schema(schema, pointer)
    node = conversion.node({k: v for k, v in schema.items() if k != "default"}, pointer)
    if "default" in schema:
        node.notes.append("null for the " + phrase("default", schema["default"]))
        conversion.lose(pointer, "default", schema["default"], "described", why)
    return with_null(node.finished())


def with_null(schema: Schema) -> Schema:
    """Return ``schema`` with null allowed beside what it says."""
    text = {key: each for key, each in schema.items() if key == "description"}
    said = {key: each for key, each in schema.items() if key != "description"}
    branches = said["anyOf"] if said.keys() == {"anyOf"} else [said]
    return {"anyOf": [*branches, {"type": "null"}], **text}
