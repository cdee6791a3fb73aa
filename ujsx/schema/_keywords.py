"""The keywords of JSON Schema, and the references between a schema's parts."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeGuard

from ujsx.errors import SchemaError, shown

Schema: TypeAlias = dict[str, Any]
"""A JSON Schema, draft 2020-12."""

NAMED = frozenset({"properties", "$defs", "definitions", "patternProperties", "dependentSchemas"})
"""Keywords whose value is an object of schemas: its keys are names, in an order that matters."""

LISTED = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
"""Keywords whose value is a list of schemas."""

NESTED = frozenset(
    {
        "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not",
        "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
    }
)  # fmt: skip
"""Keywords whose value is a schema."""

ANNOTATIONS = frozenset(
    {"$comment", "$schema", "default", "deprecated", "description", "examples", "title"}
)
"""Keywords that constrain nothing."""

TYPES: dict[type, str] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    list: "array",
    dict: "object",
    type(None): "null",
}
"""JSON Schema's name for the type of a value."""

_KEYWORDS_OF = {
    "string": "minLength maxLength pattern format",
    "array": "items prefixItems minItems maxItems uniqueItems contains minContains maxContains unevaluatedItems",
    "object": "properties required additionalProperties minProperties maxProperties patternProperties propertyNames"
    " dependentRequired dependentSchemas unevaluatedProperties",
    "number": "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf",
}

TYPE_OF = {each: kind for kind, keywords in _KEYWORDS_OF.items() for each in keywords.split()}
"""The type of value that a keyword constrains; it says nothing about others."""

SPEAKS_OF = {
    "object": frozenset({"additionalProperties", "patternProperties", "properties"}),
    "array": frozenset({"items", "prefixItems"}),
}
"""The keywords that imply a type where none is given."""

VALUES = frozenset({"const", "enum"})
"""Keywords that list values."""

DEFS = "#/$defs/"


def is_object(value: object) -> TypeGuard[Schema]:
    """Tell whether ``value`` is an object, like a schema other than true and false."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Tell whether ``value`` is a list."""
    return isinstance(value, list)


def as_list(value: Any) -> list[Any]:
    """Return a list unchanged, and anything else as a list of one."""
    return value if is_list(value) else [value]


def types_of(value: Any) -> list[str]:
    """Return the types of a value; an integer has two, in any notation.

    >>> types_of(1), types_of(1.0), types_of(True)
    (['integer', 'number'], ['number', 'integer'], ['boolean'])
    """
    is_whole = type(value) is int or (type(value) is float and value.is_integer())
    numbers = ["integer", "number"] if is_whole else []
    return [*dict.fromkeys([TYPES[type(value)], *numbers])]


def bases(types: Iterable[str]) -> set[str]:
    """Return types as :data:`TYPE_OF` names them: a whole number is a number."""
    return {"number" if each == "integer" else each for each in types}


def is_equal(one: Any, other: Any) -> bool:
    """Tell whether two values are equal in JSON, where ``1`` is ``1.0`` and not ``true``.

    >>> is_equal([1], [1.0]), is_equal({"a": 1}, {"a": True})
    (True, False)
    """
    if is_list(one) and is_list(other):
        return len(one) == len(other) and all(map(is_equal, one, other))
    if is_object(one) and is_object(other):
        return one.keys() == other.keys() and all(is_equal(one[key], other[key]) for key in one)
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def children(schema: Schema) -> Iterator[tuple[str, Any]]:
    """Yield each schema directly inside ``schema``, with the pointer that leads to it.

    >>> list(children({"type": "array", "items": {"type": "string"}}))
    [('/items', {'type': 'string'})]
    """
    for keyword, value in schema.items():
        if keyword in NAMED and is_object(value):
            yield from ((f"/{keyword}/{escape(name)}", each) for name, each in value.items())
        elif keyword in LISTED and is_list(value):
            yield from ((f"/{keyword}/{place}", each) for place, each in enumerate(value))
        elif keyword in NESTED:
            yield f"/{keyword}", value


PARTS = NAMED | LISTED | NESTED
"""Keywords whose value contains schemas."""


def with_parts(
    schema: Schema, make: Callable[[Any, str], Any], keywords: Collection[str] = PARTS
) -> Schema:
    """Return a schema with other schemas directly inside it: ``make`` gets each, and the pointer that leads to it.

    >>> with_parts({"type": "array", "items": {"type": "string"}}, lambda part, pointer: pointer)
    {'type': 'array', 'items': '/items'}
    """
    made = dict(schema)
    for keyword, value in schema.items():
        at = f"/{keyword}"
        if keyword not in keywords:
            continue
        if keyword in NAMED and is_object(value):
            made[keyword] = {
                name: make(each, f"{at}/{escape(name)}") for name, each in value.items()
            }
        elif keyword in LISTED and is_list(value):
            made[keyword] = [make(each, f"{at}/{place}") for place, each in enumerate(value)]
        elif keyword in NESTED:
            made[keyword] = make(value, at)
    return made


def everywhere(schema: Schema, pointer: str = "") -> Iterator[tuple[str, Schema]]:
    """Yield ``schema`` and every schema inside it, with its pointer."""
    yield pointer, schema
    for suffix, child in children(schema):
        if is_object(child):
            yield from everywhere(child, pointer + suffix)


def escape(name: str) -> str:
    """Return ``name`` as a part of a JSON pointer (RFC 6901, section 3).

    >>> escape("a/b")
    'a~1b'
    """
    return name.replace("~", "~0").replace("/", "~1")


def unescape(part: str) -> str:
    """Return the name in a part of a JSON pointer."""
    return part.replace("~1", "/").replace("~0", "~")


def ordered(schema: Any) -> Any:
    """Return a schema with its keywords in alphabetical order, names and data unchanged.

    >>> ordered({"type": "object", "properties": {"b": {"type": "null"}, "a": {}}})
    {'properties': {'b': {'type': 'null'}, 'a': {}}, 'type': 'object'}
    """
    if not is_object(schema):
        return schema
    made = with_parts(schema, lambda part, _: ordered(part))
    return {keyword: made[keyword] for keyword in sorted(made)}


# One place of a schema on its way into a dialect, and what its description says in words.
#
# What a dialect cannot enforce, a model can still read.

PHRASES: dict[str, str] = {
    "const": "always {}",
    "default": "default {}",
    "enum": "one of {}",
    "examples": "such as {}",
    "exclusiveMaximum": "less than {}",
    "exclusiveMinimum": "more than {}",
    "maxItems": "items at most {}",
    "maxLength": "length at most {}",
    "maxProperties": "entries at most {}",
    "maximum": "at most {}",
    "minItems": "items at least {}",
    "minLength": "length at least {}",
    "minProperties": "entries at least {}",
    "minimum": "at least {}",
    "multipleOf": "a multiple of {}",
}
"""The words for a keyword in a description; ``{}`` is its value."""

BARE = frozenset({"format", "pattern", "title"})
"""Keywords whose value, a text, is shown without quotes."""

MEANINGS: dict[tuple[str, object], str] = {
    ("pattern", r"\S"): "not blank",
    ("uniqueItems", True): "no item twice",
    ("deprecated", True): "deprecated",
}
"""The meanings of keywords with particular values."""


def phrase(keyword: str, value: Any) -> str:
    """Return a keyword in words.

    >>> phrase("minLength", 3), phrase("format", "ipv4"), phrase("enum", [1, "x"])
    ('length at least 3', 'format ipv4', 'one of 1, "x"')
    """
    if isinstance(value, str | bool) and (keyword, value) in MEANINGS:
        return MEANINGS[keyword, value]
    if isinstance(value, list) and keyword in {"enum", "examples"}:
        shown = ", ".join(map(_json, value))  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]
    else:
        shown = value if isinstance(value, str) and keyword in BARE else _json(value)
    return PHRASES.get(keyword, f"{keyword} {{}}").replace("{}", shown, 1)


def described(text: str, notes: Sequence[str]) -> str:
    """Return a description with notes appended.

    >>> described("How many.", ["at least 1", "default 5"])
    'How many. (at least 1; default 5)'
    """
    joined = "; ".join(notes)
    return f"{text} ({joined})" if text and joined else text or joined


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


@dataclass(slots=True)
class SchemaNode:
    """The keywords at a place that are still to be said, and those that have been."""

    pointer: str
    """Its place in the given schema: a JSON pointer."""

    rest: Schema
    """The keywords that are still to be said."""

    said: Schema = field(default_factory=dict[str, Any])
    """The keywords of the dialect."""

    notes: list[str] = field(default_factory=list[str])
    """The sentences of the description in place of keywords."""

    is_listed: bool = field(init=False)
    """True if its values are listed."""

    def __post_init__(self) -> None:
        self.is_listed = not VALUES.isdisjoint(self.rest)

    def take_over(self, other: SchemaNode) -> None:
        """Take over the keywords of another place."""
        self.said.update(other.said)
        self.notes.extend(other.notes)

    def finished(self) -> Schema:
        """Return the converted keywords, with the notes in the description."""
        text = described(self.said.pop("description", ""), self.notes)
        if "$ref" in self.said and (len(self.said) > 1 or text):  # a reference stands alone
            self.said["anyOf"] = [{"$ref": self.said.pop("$ref")}]
        if text:
            self.said["description"] = text
        return {key: self.said[key] for key in sorted(self.said)}


# References between the parts of a schema.


def target(root: Schema, ref: object) -> Any:
    """Return the target of a local reference, or ``None``.

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


def resolved(schema: Any, root: Schema) -> Schema:
    """Return a schema, or the target of its reference, through any number of them; ``{}`` if there is no such object.

    >>> resolved({"$ref": "#/$defs/A"}, {"$defs": {"A": {"type": "null"}}})
    {'type': 'null'}
    """
    seen: set[object] = set()
    while is_object(schema) and (ref := schema.get("$ref")) and ref not in seen:
        seen.add(ref)
        schema = target(root, ref)
    return schema if is_object(schema) else {}


def is_plain(ref: str) -> bool:
    """Tell whether a reference is to the root, or to one of its definitions."""
    return ref == "#" or (ref.startswith(DEFS) and "/" not in ref.removeprefix(DEFS))


def unrolled(schema: Schema) -> Schema:
    """Return a schema with a reference at the root replaced by its target.

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
        schema = redirected(whole, ref, "#")
        ref = schema.get("$ref")
        beside = schema.keys() - ANNOTATIONS - {"$ref", "$defs"}
    return schema


def redirected(schema: Any, ref: str, to: str) -> Any:
    """Return a schema whose references ``ref`` lead elsewhere.

    >>> redirected({"items": {"$ref": "#"}}, "#", "#/$defs/A")
    {'items': {'$ref': '#/$defs/A'}}
    """
    if is_list(schema):
        return [redirected(each, ref, to) for each in schema]
    if not is_object(schema):
        return schema
    return {
        key: to if key == "$ref" and each == ref else redirected(each, ref, to)
        for key, each in schema.items()
    }


def recursive(root: Schema, *, required: bool = False) -> frozenset[str]:
    """Return the recursive references, direct or indirect.

    :param required: whether to count only cycles without optional properties.

    >>> sorted(recursive({"properties": {"next": {"$ref": "#"}, "id": {"$ref": "#/$defs/Id"}}}))
    ['#']
    """
    edges = edges_of(root, required=required)
    return frozenset(ref for ref in edges if ref in reached(ref, edges))


def edges_of(root: Schema, *, required: bool = False) -> dict[str, dict[str, None]]:
    """Return the references in the root and each definition, in order.

    :param required: whether to ignore those inside optional properties.
    """
    parts: dict[str, Any] = {"#": {k: v for k, v in root.items() if k != "$defs"}}
    for pointer, schema in children({"$defs": root.get("$defs", {})}):
        parts[f"#{pointer}"] = schema
    return {
        ref: _refs(_without_optional(each) if required else each) for ref, each in parts.items()
    }


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
    """Return a schema without unused definitions.

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


def _without_optional(schema: Any) -> Any:
    """Return a schema without its optional properties, at any depth."""
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


# The check that null is valid for a schema: where every property is required, it means omitted.


def accepts_null(schema: Any, root: Schema, seen: frozenset[str] = frozenset()) -> bool:
    """Tell whether null is valid for ``schema``, a part of ``root``.

    :param seen: the references on the way to it.

    >>> accepts_null({"anyOf": [{"type": "string"}, {"type": "null"}]}, {})
    True
    """
    if not is_object(schema):
        return schema is True
    ref = schema.get("$ref")
    if isinstance(ref, str) and (
        ref in seen or not accepts_null(target(root, ref), root, seen | {ref})
    ):
        return False
    if "type" in schema and "null" not in as_list(schema["type"]):
        return False
    if "const" in schema and schema["const"] is not None:
        return False
    if "enum" in schema and None not in schema["enum"]:
        return False
    branches = [schema[keyword] for keyword in ("anyOf", "oneOf") if keyword in schema]
    return all(any(accepts_null(each, root, seen) for each in group) for group in branches)


# The check that a given schema is one: each keyword has the kind of value that it needs.

MAX_DEPTH = 100
"""The maximum nesting of schemas."""

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
        for keywords, kind, fits in _NEEDED:
            if keyword in keywords and not fits(value):
                yield f"{keyword} is {kind}, not {shown(value)}"


def _are_names(value: Any) -> bool:
    return is_list(value) and all(isinstance(each, str) for each in value)


def _are_types(value: Any) -> bool:
    kinds = as_list(value)
    return bool(kinds) and all(each in TYPES.values() for each in kinds)


_NEEDED: tuple[tuple[Collection[str], str, Callable[[Any], bool]], ...] = (
    (NAMED, "an object", is_object),
    (LISTED, "a list of schemas, one at least", lambda value: is_list(value) and bool(value)),
    ({"enum"}, "a list", is_list),
    (NESTED, "a schema", lambda value: isinstance(value, dict | bool)),
    (TEXTS, "a text", lambda value: isinstance(value, str)),
    (COUNTS, "a number of things", lambda value: type(value) is int and value >= 0),
    (NUMBERS, "a number", lambda value: type(value) in {int, float}),
    ({"required"}, "a list of names", _are_names),
    ({"type"}, "a type, or a list of types", _are_types),
)
"""The kind of value that keywords need, and its test."""
