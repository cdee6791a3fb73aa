"""Listed values: ``enum`` and ``const``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ujsx.schema._keywords import (
    LISTED,
    NAMED,
    NESTED,
    TYPES,
    as_list,
    is_list,
    is_object,
    types_of,
)
from ujsx.schema._node import phrase
from ujsx.schema._verdicts import Verdict

if TYPE_CHECKING:
    from ujsx.schema._convert import Conversion
    from ujsx.schema._node import Node


def listed(conversion: Conversion, node: Node) -> None:
    """Listed values: with or without a type beside them, strings alone where others are unknown."""
    dialect = conversion.dialect
    keyword = "const" if "const" in node.rest else "enum"
    given = node.rest[keyword]
    beside = as_list(node.said.get("type", [*TYPES.values()]))
    kinds = [
        (each, kind)
        for each in ([given] if keyword == "const" else given)
        for kind in [kind for kind in types_of(each) if kind in beside][:1]
    ]
    values = [each for each, _ in kinds]
    if is_list(node.said.get("type")) and dialect.verdict("type") is not Verdict.KEEP:
        del node.said["type"]
    if not values:
        why = "no value is of the type that stands beside it"
        conversion.lose(node.pointer, keyword, given, "refused", why)
    if keyword == "enum" and values != given:
        node.rest["enum"] = values
        why = "the others are not of the type that stands beside them, and can never be given"
        conversion.lose(node.pointer, keyword, given, "kept", why)
    types = list(dict.fromkeys(kind for _, kind in kinds))
    if dialect.nullable:
        del node.rest[keyword]
        if "null" in types:
            conversion.allow_null(node, keyword, given)
        types = [each for each in types if each != "null"]
        texts = [each for each in values if each is not None]
        if types == ["string"] and dialect.takes("enum", texts):
            node.said["enum"] = texts
            if keyword == "const":
                conversion.lose(node.pointer, keyword, given, "kept", "written as enum")
        elif types:
            fitting = given if keyword == "const" else values
            conversion.describe(node, keyword, given, phrase(keyword, fitting))
        _set_types(conversion, node, types or ["null"])
        return
    if keyword == "const" and dialect.verdict(keyword) is Verdict.REWRITE:
        del node.rest[keyword]
        if dialect.takes("enum", values):
            node.rest["enum"] = values
            conversion.lose(node.pointer, keyword, given, "kept", "written as enum")
        else:
            conversion.note(node, keyword, given)
    _set_types(conversion, node, types)


def with_types(schema: Any, keyword: str = "") -> Any:
    """Return a schema in which listed values have their type beside them, where they have one.

    It says nothing new, and there are converters that take a place without a type for an object.

    >>> with_types({"enum": ["a", "b"]})
    {'enum': ['a', 'b'], 'type': 'string'}
    """
    if keyword in LISTED and is_list(schema):
        return [with_types(each) for each in schema]
    if not is_object(schema):
        return schema
    if keyword in NAMED:
        return {name: with_types(each) for name, each in schema.items()}
    if keyword and (keyword not in NESTED or keyword == "not"):
        return schema
    said = {key: with_types(each, key) for key, each in schema.items()}
    values: list[Any] = [schema["const"]] if "const" in schema else schema.get("enum", [])
    types = {_type_of(each) for each in values}
    if len(types) == 1 and None not in types and not said.keys() & _SAYS_TYPES:
        said["type"] = types.pop()
    return said


def _type_of(value: object) -> str | None:
    return TYPES.get(type(value))


_SAYS_TYPES = frozenset({"type", "$ref", "anyOf", "oneOf", "allOf"})
"""Keywords that say of what type a value is."""


def _set_types(conversion: Conversion, node: Node, types: list[str]) -> None:
    """Give a place the types of its values, if it has none."""
    if "type" in node.said or "anyOf" in node.said or not types:
        return
    dialect = conversion.dialect
    stays = "enum" in node.rest and dialect.takes("enum", node.rest["enum"])
    if len(types) == 1:
        node.said["type"] = types[0]
    elif stays and dialect.verdict("type") is Verdict.KEEP:
        node.said["type"] = types
    elif not stays:
        node.said["anyOf"] = [{"type": each} for each in types]
