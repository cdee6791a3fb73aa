"""Keywords that a dialect says in other words.

Each step takes its keyword from what is still to be said, and says it; what it cannot say it leaves
to the table of verdicts. The steps run in the order of :data:`STEPS`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from ujsx.schema._keywords import DEFS, TYPE_OF, TYPES, Schema, is_list, is_object
from ujsx.schema._merge import merged
from ujsx.schema._reasons import reason
from ujsx.schema._refs import target
from ujsx.schema._verdicts import Verdict

if TYPE_CHECKING:
    from ujsx.schema._convert import Conversion, Node

Step: TypeAlias = "Callable[[Conversion, Node], None]"


def _reference(conversion: Conversion, node: Node) -> None:
    """A reference stays where the dialect has them, and gives way to what it leads to elsewhere."""
    ref = node.rest.pop("$ref")
    found = target(conversion.root, ref)
    if not is_object(found):
        conversion.lose(node.pointer, "$ref", ref, "refused", "it leads nowhere in this schema")
    elif ref in conversion.recursive or ref in conversion.inlined:
        conversion.lose(node.pointer, "$ref", ref, "refused", reason(conversion.dialect, "$ref"))
    elif conversion.dialect.verdict("$ref") is Verdict.KEEP and _is_plain(ref):
        conversion.refer(ref)
        node.said["$ref"] = ref
        return
    else:
        conversion.inlined.append(ref)
        _take_over(node, conversion.node(found, ref.removeprefix("#")))
        conversion.inlined.pop()
        return
    node.said["$ref"] = ref  # refused: what is said no longer matters


def _is_plain(ref: str) -> bool:
    return ref == "#" or (ref.startswith(DEFS) and "/" not in ref.removeprefix(DEFS))


def _all_of(conversion: Conversion, node: Node) -> None:
    """An intersection becomes one schema."""
    parts = [
        target(conversion.root, each["$ref"])
        if is_object(each) and each.keys() == {"$ref"}
        else each
        for each in node.rest["allOf"]
    ]
    value = node.rest.pop("allOf")
    whole = merged([*parts, node.rest])
    if whole is None:
        why = reason(conversion.dialect, "allOf")
        conversion.lose(node.pointer, "allOf", value, "refused", why)
        return
    node.rest = whole
    conversion.lose(node.pointer, "allOf", value, "kept", "written as one schema")


def _union(conversion: Conversion, node: Node) -> None:
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
        _allow_null(conversion, node, keyword, given)
    if len(branches) == 1 and len(given) > 1:
        _take_over(node, conversion.node(*branches[0]))
    else:
        node.said["anyOf"] = [conversion.schema(each, pointer) for each, pointer in branches]


def _type(conversion: Conversion, node: Node) -> None:
    """A list of types becomes a union, each branch with the keywords that constrain its type."""
    given = node.rest.pop("type")
    if not is_list(given) or conversion.dialect.verdict("type") is Verdict.KEEP:
        node.said["type"] = given
        return
    if "enum" in node.rest or "const" in node.rest:  # the values say it
        return
    types = [each for each in given if not (conversion.dialect.nullable and each == "null")]
    if len(types) < len(given):
        _allow_null(conversion, node, "type", given)
    else:
        conversion.lose(node.pointer, "type", given, "kept", "written as anyOf")
    if len(types) == 1:
        node.said["type"] = types[0]
        return
    own = {key: node.rest.pop(key) for key in [*node.rest] if key in TYPE_OF}
    node.said["anyOf"] = [
        conversion.schema({"type": each, **_for_type(own, each)}, node.pointer) for each in types
    ]


def _for_type(keywords: Schema, kind: str) -> Schema:
    kind = "number" if kind == "integer" else kind
    return {key: value for key, value in keywords.items() if TYPE_OF[key] == kind}


def _values(conversion: Conversion, node: Node) -> None:
    """Listed values: with or without a type beside them, strings alone where others are unknown."""
    dialect = conversion.dialect
    keyword = "const" if "const" in node.rest else "enum"
    given = node.rest[keyword]
    values: list[Any] = [given] if keyword == "const" else given
    if dialect.nullable and None in values:
        _allow_null(conversion, node, keyword, given)
        values = [each for each in values if each is not None]
    types = list(dict.fromkeys(TYPES[type(each)] for each in values))
    if dialect.nullable:
        del node.rest[keyword]
        if types == ["string"]:
            node.said["enum"] = values
            if keyword == "const":
                conversion.lose(node.pointer, keyword, given, "kept", "written as enum")
        else:
            conversion.note(node, keyword, given)
        _set_types(node, types)
    elif dialect.typed_enums or not dialect.takes(keyword, given):
        _set_types(node, types)
    elif "type" in node.said:
        kind = node.said.pop("type")
        conversion.lose(node.pointer, "type", kind, "kept", "the values say it")


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


def _tuple(conversion: Conversion, node: Node) -> None:
    """A tuple becomes a list of whatever its places hold; the description has their order."""
    given = node.rest.pop("prefixItems")
    tail = node.rest.pop("items", None)
    if tail is False:
        node.rest.setdefault("maxItems", len(given))
    closed = tail is False or node.rest.get("maxItems") == len(given)
    kinds: list[tuple[Any, str]] = []
    for each, pointer in [
        *((each, f"/prefixItems/{place}") for place, each in enumerate(given)),
        *([] if closed else [(tail, "/items")]),
    ]:
        if all(each != kind for kind, _ in kinds):
            kinds.append((each, node.pointer + pointer))
    items = [conversion.schema(each, pointer) for each, pointer in kinds]
    node.said["items"] = items[0] if len(items) == 1 else {"anyOf": items}
    if len(items) == 1:
        conversion.lose(node.pointer, "prefixItems", given, "kept", "written as items")
    else:
        order = ", ".join(map(_kind, given))
        conversion.describe(node, "prefixItems", given, f"in this order: {order}")


def _kind(schema: Any) -> str:
    """A schema in a word: what stands at a place of a tuple."""
    if not is_object(schema):
        return "any"
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    return name or str(schema.get("format") or schema.get("type") or "one of several")


def _bound(keyword: str, inclusive: str, step: int) -> Step:
    """An exclusive bound of integers becomes an inclusive one."""

    def say(conversion: Conversion, node: Node) -> None:
        value = node.rest[keyword]
        if conversion.dialect.verdict(keyword) is not Verdict.REWRITE:
            return
        del node.rest[keyword]
        if node.said.get("type") == "integer" and isinstance(value, int):
            both = (value + step, node.rest.get(inclusive, value + step))
            node.rest[inclusive] = max(both) if step > 0 else min(both)
            conversion.lose(node.pointer, keyword, value, "kept", f"written as {inclusive}")
        else:
            conversion.note(node, keyword, value)

    return say


def _allow_null(conversion: Conversion, node: Node, keyword: str, given: Any) -> None:
    node.said["nullable"] = True
    conversion.lose(node.pointer, keyword, given, "kept", "null is written as nullable")


def _take_over(node: Node, other: Node) -> None:
    """Say here what was said there."""
    node.said.update(other.said)
    node.notes.extend(other.notes)


STEPS: dict[str, Step] = {
    "$ref": _reference,
    "allOf": _all_of,
    "oneOf": _union,
    "anyOf": _union,
    "type": _type,
    "const": _values,
    "enum": _values,
    "prefixItems": _tuple,
    "exclusiveMinimum": _bound("exclusiveMinimum", "minimum", 1),
    "exclusiveMaximum": _bound("exclusiveMaximum", "maximum", -1),
}
"""The steps by the keyword that they take, in their order."""
