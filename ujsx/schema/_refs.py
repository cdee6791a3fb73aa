"""References between the parts of a schema."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ujsx.schema._keywords import (
    ANNOTATIONS,
    DEFS,
    Schema,
    children,
    escape,
    everywhere,
    is_list,
    is_object,
    unescape,
)


def target(root: Schema, ref: object) -> Any:
    """Return the schema that a local reference leads to, or ``None``.

    >>> target({"$defs": {"A": {"type": "null"}}}, "#/$defs/A")
    {'type': 'null'}
    """
    if ref == "#":
        return root
    if not isinstance(ref, str) or not ref.startswith("#/"):
        return None
    found: Any = root
    for part in ref[2:].split("/"):
        if is_list(found):
            found = found[int(part)] if part.isdecimal() and int(part) < len(found) else None
        else:
            found = found.get(unescape(part)) if is_object(found) else None
    return found


def is_plain(ref: str) -> bool:
    """Tell whether a reference leads to the root, or to one of its definitions."""
    return ref == "#" or (ref.startswith(DEFS) and "/" not in ref.removeprefix(DEFS))


def unrolled(schema: Schema) -> Schema:
    """Return a schema whose root is no reference: what it refers to stands there itself.

    Pydantic states a recursive model as a reference into ``$defs``; every provider wants an object at
    the root. References to what has become the root are ``#``. Other keywords beside the reference hold
    as well, so such a root stays as it is.

    >>> unrolled({"$ref": "#/$defs/A", "$defs": {"A": {"items": {"$ref": "#/$defs/A"}}}})
    {'items': {'$ref': '#'}}
    """
    ref = schema.get("$ref")
    seen: set[object] = set()
    beside = schema.keys() - ANNOTATIONS - {"$ref", "$defs"}
    while isinstance(ref, str) and ref.startswith(DEFS) and ref not in seen and not beside:
        seen.add(ref)
        found = target(schema, ref)
        if not is_object(found):
            break
        name = unescape(ref.removeprefix(DEFS))
        defs = {key: each for key, each in schema["$defs"].items() if key != name}
        siblings = {key: each for key, each in schema.items() if key not in {"$ref", "$defs"}}
        whole = {**found, **siblings, **({"$defs": defs} if defs else {})}
        schema = _with_root(whole, ref)
        ref = schema.get("$ref")
        beside = schema.keys() - ANNOTATIONS - {"$ref", "$defs"}
    return schema


def _with_root(schema: Any, ref: str) -> Any:
    """The schema with ``ref`` leading to its root."""
    if is_list(schema):
        return [_with_root(each, ref) for each in schema]
    if not is_object(schema):
        return schema
    return {
        key: "#" if key == "$ref" and each == ref else _with_root(each, ref)
        for key, each in schema.items()
    }


def recursive(root: Schema, *, required: bool = False) -> frozenset[str]:
    """Return the references that lead back to where they stand, directly or not.

    :param required: whether only ways count that have no property that may be left out.

    >>> sorted(recursive({"properties": {"next": {"$ref": "#"}, "id": {"$ref": "#/$defs/Id"}}}))
    ['#']
    """
    edges = edges_of(root, required=required)
    return frozenset(ref for ref in edges if ref in reached(ref, edges))


def edges_of(root: Schema, *, required: bool = False) -> dict[str, dict[str, None]]:
    """Return for the root and each definition the references in it, in their order.

    :param required: whether those inside properties that may be left out do not count.
    """
    seen = _required if required else _refs
    edges = {"#": seen({k: v for k, v in root.items() if k != "$defs"})}
    for pointer, schema in children({"$defs": root.get("$defs", {})}):
        edges[f"#{pointer}"] = seen(schema)
    return edges


def reached(start: str, edges: Mapping[str, Iterable[str]]) -> set[str]:
    """Return the references that one leads to, in any number of steps; itself where it is recursive."""
    waiting, seen = list(edges[start]), set[str]()
    while waiting:
        ref = waiting.pop()
        if ref not in seen:
            seen.add(ref)
            waiting.extend(edges.get(ref, ()))
    return seen


def pruned(root: Schema) -> Schema:
    """Return a schema without the definitions that nothing in it leads to.

    >>> pruned({"$ref": "#/$defs/A", "$defs": {"A": {}, "B": {}}})
    {'$ref': '#/$defs/A', '$defs': {'A': {}}}
    """
    body = {key: each for key, each in root.items() if key != "$defs"}
    waiting, used = list(_refs(body)), set[str]()
    while waiting:
        ref = waiting.pop()
        if ref not in used and ref != "#":
            used.add(ref)
            waiting.extend(_refs(target(root, ref)))
    kept = {k: v for k, v in root.get("$defs", {}).items() if f"{DEFS}{escape(k)}" in used}
    return {**body, "$defs": kept} if kept else body


def _refs(schema: Any) -> dict[str, None]:
    if not is_object(schema):
        return {}
    refs = (each.get("$ref") for _, each in everywhere(schema))
    return dict.fromkeys(ref for ref in refs if isinstance(ref, str))


def _required(schema: Any) -> dict[str, None]:
    """The references in a schema, but for those inside properties that may be left out."""
    return _refs(_without_optional(schema))


def _without_optional(schema: Any) -> Any:
    if is_list(schema):
        return [_without_optional(each) for each in schema]
    if not is_object(schema):
        return schema
    needed = schema.get("required", ())
    return {
        key: {name: _without_optional(each) for name, each in value.items() if name in needed}
        if key == "properties" and is_object(value)
        else value
        if key in {"enum", "const", "default", "examples"}
        else _without_optional(value)
        for key, value in schema.items()
    }
