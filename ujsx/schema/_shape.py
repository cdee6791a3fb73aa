"""The check that a given schema is one: each keyword has the kind of value that it needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ujsx.errors import SchemaError, shown
from ujsx.schema._keywords import LISTED, NAMED, NESTED, TYPES, Schema, children, is_list, is_object

MAX_DEPTH = 100
"""How deep schemas may be nested in each other."""

TEXTS = frozenset({"$ref", "description", "format", "pattern", "title"})
"""Keywords whose value is text."""

COUNTS = frozenset(
    {"maxItems", "maxLength", "maxProperties", "minItems", "minLength", "minProperties"}
)
"""Keywords whose value is a number of things."""

NUMBERS = frozenset({"exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"})
"""Keywords whose value is a number."""


def check_shape(schema: Schema) -> None:
    """Check that ``schema`` is a JSON Schema, as far as its conversion relies on it.

    :raises SchemaError: at the first keyword with a value that it cannot have, and for a schema
        that is nested too deep; the path is a JSON pointer.

    >>> check_shape({"properties": {"a": {"enum": "x"}}})
    Traceback (most recent call last):
    ujsx.errors.SchemaError: #/properties/a: enum is a list, not 'x'
    """
    waiting: list[tuple[str, Any, int]] = [("", schema, 0)]
    while waiting:
        pointer, each, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise SchemaError(f"nested more than {MAX_DEPTH} deep", path=f"#{pointer[:80]}…")
        if isinstance(each, bool):
            continue
        if not is_object(each):
            raise SchemaError(f"a schema is an object, not {shown(each)}", path=f"#{pointer}")
        for mistake in _mistakes(each):
            raise SchemaError(mistake, path=f"#{pointer}")
        waiting.extend((pointer + suffix, child, depth + 1) for suffix, child in children(each))


def _mistakes(schema: Schema) -> Iterator[str]:
    for keyword, value in schema.items():
        kind = _needed(keyword, value)
        if kind is not None:
            yield f"{keyword} is {kind}, not {shown(value)}"


def _needed(keyword: str, value: Any) -> str | None:
    """What kind of value a keyword needs, if it has another."""
    if keyword in NAMED:
        return None if is_object(value) else "an object"
    if keyword in LISTED:
        return None if is_list(value) and value else "a list of schemas, one at least"
    if keyword == "enum":
        return None if is_list(value) else "a list"
    if keyword in NESTED:
        return None if is_object(value) or isinstance(value, bool) else "a schema"
    if keyword in TEXTS:
        return None if isinstance(value, str) else "a text"
    if keyword in COUNTS:
        return None if type(value) is int and value >= 0 else "a number of things"
    if keyword in NUMBERS:
        return None if type(value) in {int, float} else "a number"
    if keyword == "required":
        return None if is_list(value) and all(map(_is_text, value)) else "a list of names"
    if keyword == "type":
        kinds = value if is_list(value) else [value]
        return None if kinds and all(map(_is_type, kinds)) else "a type, or a list of types"
    return None


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_type(value: Any) -> bool:
    return _is_text(value) and value in _TYPES


_TYPES = frozenset(TYPES.values())
