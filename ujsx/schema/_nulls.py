"""The check that null is valid for a schema: where every property is required, it means omitted."""

from __future__ import annotations

from typing import Any

from ujsx.schema._keywords import Schema, as_list, is_object
from ujsx.schema._refs import target


def accepts_null(schema: Any, root: Schema) -> bool:
    """Tell whether null is valid for ``schema``, a part of ``root``.

    >>> accepts_null({"anyOf": [{"type": "string"}, {"type": "null"}]}, {})
    True
    """
    return _accepts_null(schema, root, frozenset())


def _accepts_null(schema: Any, root: Schema, seen: frozenset[str]) -> bool:
    if not is_object(schema):
        return schema is True
    ref = schema.get("$ref")
    if isinstance(ref, str) and (
        ref in seen or not _accepts_null(target(root, ref), root, seen | {ref})
    ):
        return False
    if "type" in schema and "null" not in as_list(schema["type"]):
        return False
    if "const" in schema and schema["const"] is not None:
        return False
    if "enum" in schema and None not in schema["enum"]:
        return False
    branches = [schema[keyword] for keyword in ("anyOf", "oneOf") if keyword in schema]
    return all(any(_accepts_null(each, root, seen) for each in group) for group in branches)
