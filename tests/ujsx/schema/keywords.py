"""JSON Schema as the tests know it, apart from the library: keywords, pointers, references, the table of dialects."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NAMED = {"properties", "$defs", "definitions", "patternProperties", "dependentSchemas"}
"""Keywords whose value is an object of schemas."""

LISTED = {"allOf", "anyOf", "oneOf", "prefixItems"}
"""Keywords whose value is a list of schemas."""

NESTED = {
    *("additionalProperties", "contains", "contentSchema", "else", "if", "items", "not"),
    *("propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"),
}
"""Keywords whose value is a schema."""

TYPES = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    list: "array",
    dict: "object",
    type(None): "null",
}
"""JSON Schema's name for the type of a value."""

PAGE = Path(__file__).parents[3] / "docs" / "look-up" / "schemas.md"

KNOWN = re.findall(r"^\| `([$\w]+)` \|(?: \w+ \|){5}$", PAGE.read_text("utf-8"), re.MULTILINE)
"""The keywords that the dialects' table names, as the page on schemas shows it."""


def escape(name: str) -> str:
    """Return a name as a part of a JSON pointer."""
    return name.replace("~", "~0").replace("/", "~1")


def unescape(part: str) -> str:
    """Return the name that a part of a JSON pointer stands for."""
    return part.replace("~1", "/").replace("~0", "~")


def everywhere(schema: Any, pointer: str = "") -> Iterator[tuple[str, Any]]:
    """Yield a schema and all inside of it that are objects, each with its pointer."""
    if not isinstance(schema, dict):
        return
    yield pointer, schema
    for keyword, value in schema.items():
        at = f"{pointer}/{keyword}"
        if keyword in NAMED:
            for name, each in value.items():
                yield from everywhere(each, f"{at}/{escape(name)}")
        elif keyword in LISTED:
            for place, each in enumerate(value):
                yield from everywhere(each, f"{at}/{place}")
        elif keyword in NESTED:
            yield from everywhere(value, at)


def target(root: Any, ref: str | None) -> Any:
    """Return the schema that a local reference leads to, or ``None``."""
    found = root if ref and ref.startswith("#") else None
    for part in map(unescape, (ref or "").split("/")[1:]):
        if isinstance(found, list):
            found = found[int(part)] if part.isdecimal() and int(part) < len(found) else None
        else:
            found = found.get(part) if isinstance(found, dict) else None
    return found


def is_recursive(root: Any) -> bool:
    """Tell whether a part of a schema refers to what it is in, directly or not."""

    def leads_back(schema: Any, above: frozenset[str]) -> bool:
        refs = {each["$ref"] for _, each in everywhere(schema) if "$ref" in each}
        return any(ref in above or leads_back(target(root, ref), above | {ref}) for ref in refs)

    body = {key: each for key, each in root.items() if key != "$defs"}
    return leads_back(body, frozenset({"#"}))


def with_all_required(schema: Any) -> Any:
    """Return a schema whose declared properties must all be given, so that none is left out by a null."""
    if isinstance(schema, list):
        return [with_all_required(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = dict(schema)
    for keyword, value in schema.items():
        if keyword in NAMED:
            made[keyword] = {name: with_all_required(each) for name, each in value.items()}
        elif keyword in LISTED | NESTED:
            made[keyword] = with_all_required(value)
    if "properties" in schema:
        made["required"] = [*dict.fromkeys([*schema.get("required", []), *schema["properties"]])]
    return made
