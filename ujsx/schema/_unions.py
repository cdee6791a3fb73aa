"""Unions: of schemas and of types, and null among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ujsx.schema._keywords import TYPE_OF, Schema, is_list
from ujsx.schema._verdicts import Verdict

if TYPE_CHECKING:
    from ujsx.schema._convert import Conversion
    from ujsx.schema._node import Node


def union(conversion: Conversion, node: Node) -> None:
    """Alternatives are ``anyOf``; null among them may have a keyword of its own."""
    keyword = "oneOf" if "oneOf" in node.rest else "anyOf"
    given = node.rest.pop(keyword)
    if "anyOf" in node.rest:
        why = f"{conversion.dialect.name} takes one union at a place"
        conversion.lose(node.pointer, keyword, given, "refused", why)
    if keyword == "oneOf":
        why = "written as anyOf: where several branches fit, validation decides"
        conversion.lose(node.pointer, keyword, given, "kept", why)
    branches = [
        (each, f"{node.pointer}/{keyword}/{place}")
        for place, each in enumerate(given)
        if not (conversion.dialect.nullable and each == {"type": "null"})
    ]
    if len(branches) < len(given):
        conversion.allow_null(node, keyword, given)
    if len(branches) == 1:
        node.take_over(conversion.node(*branches[0]))
    else:
        node.said["anyOf"] = [conversion.schema(each, pointer) for each, pointer in branches]


def types(conversion: Conversion, node: Node) -> None:
    """A list of types becomes a union, each branch with the keywords that constrain its type."""
    given = node.rest.pop("type")
    if not is_list(given) or conversion.dialect.verdict("type") is Verdict.KEEP:
        node.said["type"] = given
        return
    if "enum" in node.rest or "const" in node.rest:  # the values say it
        return
    kinds = [each for each in given if not (conversion.dialect.nullable and each == "null")]
    if len(kinds) < len(given):
        conversion.allow_null(node, "type", given)
    else:
        conversion.lose(node.pointer, "type", given, "kept", "written as anyOf")
    if len(kinds) == 1:
        node.said["type"] = kinds[0]
        return
    own = {key: node.rest.pop(key) for key in [*node.rest] if key in TYPE_OF}
    node.said["anyOf"] = [
        conversion.schema({"type": each, **_for_type(own, each)}, node.pointer) for each in kinds
    ]


def _for_type(keywords: Schema, kind: str) -> Schema:
    kind = "number" if kind == "integer" else kind
    return {key: value for key, value in keywords.items() if TYPE_OF[key] == kind}
