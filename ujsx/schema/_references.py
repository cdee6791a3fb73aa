"""References and intersections: what a place says together with other schemas, as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ujsx.schema._keywords import DEFS, Schema, is_object
from ujsx.schema._loss import reason
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
    if conversion.dialect.recursion and not conversion.dialect.required_recursion:
        return (
            f"{conversion.dialect.name} has recursion only inside properties that may be left out; "
            "give one on the way a default"
        )
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


def merged(schemas: Sequence[Any]) -> Schema | None:
    """Return one schema that says what all of them say, or ``None`` if there is no simple one.

    Properties and required names are put together; what two of them say differently has no simple
    form, unless it is a text: then the last one counts.

    >>> merged([{"minLength": 1}, {"maxLength": 9}])
    {'minLength': 1, 'maxLength': 9}
    >>> merged([{"minLength": 1}, {"minLength": 2}]) is None
    True
    """
    whole: Schema = {}
    for schema in schemas:
        if not is_object(schema):
            return None
        for keyword, value in schema.items():
            joined = _joined(keyword, whole[keyword], value) if keyword in whole else value
            if joined is None:
                return None
            whole[keyword] = joined
    closed = [each for each in schemas if each.get("additionalProperties") is False]
    names = whole.get("properties", {}).keys()
    if any(each.get("properties", {}).keys() != names for each in closed):
        return None  # each of them refuses what another declares
    return whole


def _joined(keyword: str, first: Any, second: Any) -> Any:
    if first == second or keyword in {"description", "title"}:
        return second
    if keyword == "required":
        return [*first, *(name for name in second if name not in first)]
    if keyword == "properties" and all(
        second[name] == schema for name, schema in first.items() if name in second
    ):
        return {**first, **second}
    return None
