"""References and intersections: what a place says together with schemas that stand elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ujsx.schema._keywords import DEFS, is_object
from ujsx.schema._merge import merged
from ujsx.schema._reasons import reason
from ujsx.schema._refs import target
from ujsx.schema._verdicts import Verdict

if TYPE_CHECKING:
    from ujsx.schema._convert import Conversion
    from ujsx.schema._node import Node


def reference(conversion: Conversion, node: Node) -> None:
    """A reference stays where the dialect has them, and gives way to what it leads to elsewhere."""
    ref = node.rest.pop("$ref")
    found = target(conversion.root, ref)
    if not is_object(found):
        conversion.lose(node.pointer, "$ref", ref, "refused", "it leads nowhere in this schema")
    elif ref in conversion.recursive or ref in conversion.inlined:
        conversion.lose(node.pointer, "$ref", ref, "refused", _why_not(conversion))
    elif conversion.dialect.verdict("$ref") is Verdict.KEEP and _is_plain(ref):
        conversion.refer(ref)
        node.said["$ref"] = ref
        return
    else:
        conversion.inlined.append(ref)
        node.take_over(conversion.node(found, ref.removeprefix("#")))
        conversion.inlined.pop()
        return
    node.said["$ref"] = ref  # refused: what is said no longer matters


def _why_not(conversion: Conversion) -> str:
    if conversion.dialect.recursion:
        return f"{conversion.dialect.name} has recursion only by way of $defs; put the schema there"
    return reason(conversion.dialect, "$ref")


def _is_plain(ref: str) -> bool:
    return ref == "#" or (ref.startswith(DEFS) and "/" not in ref.removeprefix(DEFS))


def all_of(conversion: Conversion, node: Node) -> None:
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
