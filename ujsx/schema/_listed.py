"""Listed values: ``enum`` and ``const``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ujsx.schema._keywords import TYPES, as_list

if TYPE_CHECKING:
    from ujsx.schema._convert import Conversion
    from ujsx.schema._node import Node


def listed(conversion: Conversion, node: Node) -> None:
    """Listed values: with or without a type beside them, strings alone where others are unknown."""
    dialect = conversion.dialect
    keyword = "const" if "const" in node.rest else "enum"
    given = node.rest[keyword]
    values = _fitting([given] if keyword == "const" else given, node.said.get("type"))
    if not values:
        why = "no value is of the type that stands beside it"
        conversion.lose(node.pointer, keyword, given, "refused", why)
    if keyword == "enum" and values != given:
        node.rest["enum"] = values
        why = "the others are not of the type that stands beside them, and can never be given"
        conversion.lose(node.pointer, keyword, given, "kept", why)
    if dialect.nullable and None in values:
        conversion.allow_null(node, keyword, given)
        values = [each for each in values if each is not None]
    types = list(dict.fromkeys(TYPES[type(each)] for each in values))
    if dialect.nullable:
        del node.rest[keyword]
        if types == ["string"]:
            node.said["enum"] = values
            if keyword == "const":
                conversion.lose(node.pointer, keyword, given, "kept", "written as enum")
        elif values:
            conversion.note(node, keyword, given)
        _set_types(node, types or ["null"])
    elif dialect.typed_enums or not dialect.takes(keyword, given):
        _set_types(node, types)
    elif "type" in node.said:
        kind = node.said.pop("type")
        conversion.lose(node.pointer, "type", kind, "kept", "the values say it")


def _fitting(values: list[Any], kind: Any) -> list[Any]:
    """The values that the type beside them allows; others could never be given."""
    if kind is None:
        return values
    kinds = set(as_list(kind))
    return [each for each in values if kinds & _KINDS[TYPES[type(each)]]]


_KINDS: dict[str, set[str]] = {each: {each} for each in TYPES.values()} | {
    "integer": {"integer", "number"}
}
"""The types that a value of a type has."""


def _set_types(node: Node, types: list[str]) -> None:
    """Give a place the types of its values, if it has none."""
    if "type" in node.said or "anyOf" in node.said or not types:
        return
    if len(types) == 1:
        node.said["type"] = types[0]
    elif "enum" in node.rest:
        node.said["type"] = types
    else:
        node.said["anyOf"] = [{"type": each} for each in types]
