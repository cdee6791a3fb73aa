"""Keywords that a dialect says in other words: exclusive bounds, tuples, unions.

Each step takes its keyword from what is still to be said, and says it; what it cannot say it leaves
to the table of verdicts. Steps with more to them stand in ``_references`` and ``_listed``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from ujsx.schema._entries import forms, is_dictionary, takes_lists
from ujsx.schema._keywords import Schema, is_object
from ujsx.schema._listed import listed
from ujsx.schema._plain_patterns import plain_pattern
from ujsx.schema._references import in_words, reference
from ujsx.schema._unions import alone
from ujsx.schema._verdicts import Verdict

if TYPE_CHECKING:
    from ujsx.schema._convert import Conversion
    from ujsx.schema._node import Node


def union(conversion: Conversion, node: Node) -> None:
    """Alternatives are ``anyOf``; null among them may have a keyword of its own."""
    keyword = "oneOf" if "oneOf" in node.rest else "anyOf"
    given = node.rest.pop(keyword)
    if keyword == "oneOf":
        why = "written as anyOf: where several branches fit, validation decides"
        conversion.lose(node.pointer, keyword, given, "kept", why)
    if not conversion.dialect.open_objects:
        parts = [*forms({keyword: given}, conversion.root)]
        if any(map(is_dictionary, parts)) and any(map(takes_lists, parts)):
            conversion.lose(node.pointer, keyword, given, "refused", TOLD_APART)
    branches = [
        (each, f"{node.pointer}/{keyword}/{place}")
        for place, each in enumerate(given)
        if each is not False
        if not (conversion.dialect.nullable and each == {"type": "null"})
    ]
    if conversion.dialect.nullable and {"type": "null"} in given:
        conversion.allow_null(node, keyword, given)
    if len(branches) == 1:
        node.take_over(conversion.node(*branches[0]))
    else:
        node.said["anyOf"] = [conversion.schema(each, pointer) for each, pointer in branches]


TOLD_APART = "a dictionary is written as a list, and could not be told from the lists that are taken here, too; take one"


def types(conversion: Conversion, node: Node) -> None:
    """A type, or several types whose values hold no others."""
    node.said["type"] = node.rest.pop("type")


def in_order(conversion: Conversion, node: Node) -> None:
    """A tuple becomes a list of whatever its places hold; the description has their order."""
    if node.said.get("type", "array") != "array":
        return
    given: list[Any] = node.rest["prefixItems"]
    closed = node.rest.get("maxItems", len(given) + 1) <= len(given)
    if conversion.dialect.verdict("prefixItems") is Verdict.KEEP:
        if not closed:
            node.rest.setdefault("items", {})
        return
    del node.rest["prefixItems"]
    tail = node.rest.pop("items", None)
    kinds: list[Any] = []
    items: list[Schema] = []
    for each, pointer in [
        *((each, f"/prefixItems/{place}") for place, each in enumerate(given)),
        *([] if closed else [(tail, "/items")]),
    ]:
        said = conversion.schema(each, node.pointer + pointer)
        if each not in kinds:
            kinds.append(each)
            items.append(said)
    node.said["items"] = (
        items[0]
        if len(items) == 1
        else alone(conversion, {"anyOf": items}, f"{node.pointer}/prefixItems/0")
    )
    if len(items) == 1:
        conversion.lose(node.pointer, "prefixItems", given, "kept", "written as items")
    else:
        order = ", ".join([*map(_kind, given), *([] if closed else [f"then {_kind(tail)}"])])
        conversion.describe(node, "prefixItems", given, f"in this order: {order}")


def matching(conversion: Conversion, node: Node) -> None:
    """A pattern is said in what all engines read; lengths and a format beside it are described."""
    if conversion.dialect.verdict("pattern") is not Verdict.REWRITE:
        return
    given = node.rest.pop("pattern")
    plain = plain_pattern(given) if node.said.get("type") == "string" else None
    if plain is None:
        conversion.note(node, "pattern", given)
        return
    node.said["pattern"] = plain
    if plain != given:
        conversion.lose(node.pointer, "pattern", given, "kept", f"written as {plain}")
    for keyword in ("minLength", "maxLength", "format"):
        if keyword in node.rest:
            conversion.note(node, keyword, node.rest.pop(keyword))


def _kind(schema: Any) -> str:
    """A schema in a word: what stands at a place of a tuple."""
    if not is_object(schema):
        return "any"
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    return name or str(schema.get("format") or schema.get("type") or "one of several")


def bound(keyword: str, inclusive: str, step: int) -> Callable[[Conversion, Node], None]:
    """Return the step that makes an exclusive bound of integers an inclusive one.

    :param keyword: the exclusive bound.
    :param inclusive: the keyword that includes its value.
    :param step: from the one to the other: 1 upwards, -1 downwards.
    """

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


Step: TypeAlias = "Callable[[Conversion, Node], None]"

STEPS: dict[str, Step] = {
    "$ref": reference,
    "allOf": in_words,
    "oneOf": union,
    "anyOf": union,
    "type": types,
    "const": listed,
    "enum": listed,
    "prefixItems": in_order,
    "pattern": matching,
    "exclusiveMinimum": bound("exclusiveMinimum", "minimum", 1),
    "exclusiveMaximum": bound("exclusiveMaximum", "maximum", -1),
}
"""The steps by the keyword that they take, in their order."""
