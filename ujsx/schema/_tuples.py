"""Tuples: lists whose places differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ujsx.schema._keywords import is_object

if TYPE_CHECKING:
    from ujsx.schema._convert import Conversion
    from ujsx.schema._node import Node


def in_order(conversion: Conversion, node: Node) -> None:
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
        order = ", ".join([*map(_kind, given), *([] if closed else [f"then {_kind(tail)}"])])
        conversion.describe(node, "prefixItems", given, f"in this order: {order}")


def _kind(schema: Any) -> str:
    """A schema in a word: what stands at a place of a tuple."""
    if not is_object(schema):
        return "any"
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    return name or str(schema.get("format") or schema.get("type") or "one of several")
