"""The demands of a model that its JSON Schema does not state: constraints that Pydantic leaves out.

For each kind of core schema a table has the keys that its JSON Schema says, or that refuse nothing.
Whatever else is set is unsaid. A new key of Pydantic's is unsaid until it is known here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from ujsx.errors import shown
from ujsx.schema._keywords import Schema

UNSAID = "\0unsaid"
"""The keyword under which the generator notes what is unsaid, until its place is known."""

ALWAYS = frozenset(
    {"type", "ref", "metadata", "serialization", "cls", "cls_name", "schema", "config"}
)
"""Keys of every kind of core schema that demand nothing."""

BOUNDS = frozenset({"ge", "gt", "le", "lt", "multiple_of"})
LENGTHS = frozenset({"min_length", "max_length"})

SAID: Mapping[str, frozenset[str]] = {
    "str": LENGTHS | {"pattern", "regex_engine", "strict", "strip_whitespace", "to_lower", "to_upper",
                      "coerce_numbers_to_str"},
    "int": BOUNDS,
    "float": BOUNDS | {"strict", "allow_inf_nan"},
    "decimal": frozenset({"strict", "allow_inf_nan"}),
    "bool": frozenset({"strict"}),
    "bytes": LENGTHS | {"strict"},
    "date": frozenset({"strict", "now_utc_offset"}),
    "time": frozenset({"strict", "microseconds_precision"}),
    "datetime": frozenset({"strict", "microseconds_precision", "now_utc_offset"}),
    "timedelta": frozenset({"strict", "microseconds_precision"}),
    "uuid": frozenset({"strict", "version"}),
    "complex": frozenset({"strict"}),
    "list": LENGTHS | {"items_schema", "strict", "fail_fast"},
    "set": LENGTHS | {"items_schema", "strict", "fail_fast"},
    "frozenset": LENGTHS | {"items_schema", "strict", "fail_fast"},
    "generator": LENGTHS | {"items_schema"},
    "tuple": LENGTHS | {"items_schema", "variadic_item_index", "strict", "fail_fast"},
    "dict": LENGTHS | {"keys_schema", "values_schema", "strict", "fail_fast"},
    "url": frozenset({"max_length", "strict", "preserve_empty_path"}),
    "multi-host-url": frozenset({"max_length", "strict", "preserve_empty_path"}),
    "model": frozenset({"custom_init", "root_model", "revalidate_instances", "strict", "frozen",
                        "extra_behavior", "generic_origin", "fields_set", "root"}),
    "dataclass": frozenset({"fields", "slots", "strict", "frozen", "revalidate_instances",
                            "generic_origin"}),
    "enum": frozenset({"members", "sub_type", "missing", "strict"}),
    "tagged-union": frozenset({"choices", "custom_error_type", "custom_error_message",
                               "custom_error_context", "strict", "from_attributes"}),
}  # fmt: skip
"""The keys of the kinds of core schemas that are said, or refuse nothing; all of other kinds are."""

KINDS: Mapping[str, str] = {
    "json": "the text has to be JSON that fits",
    "complex": "the text has to be a complex number",
    "is-subclass": "JSON has no classes",
    "is-instance": "JSON has no instances of classes",
    "callable": "JSON has no functions",
}
"""Kinds of core schemas of which JSON Schema says next to nothing, and what is unsaid."""

NO_KEYS = frozenset({"tuple", "frozenset", "model", "dataclass"})
"""Kinds of core schemas that no name of a member fits."""

CONFIG: frozenset[str] = frozenset({"str_max_length", "str_min_length"})
"""Keys of a model's configuration that constrain its fields."""

UUIDS = frozenset(f"uuid{version}" for version in range(1, 9))
"""Pydantic's names of UUIDs of a version; the generator says the version as a pattern."""

FORMATS = frozenset(
    {
        "binary", "date", "date-time", "duration", "email", "hostname", "idn-email", "ipv4", "ipv6",
        "json-pointer", "password", "path", "time", "uri", "uri-reference", "uuid", *UUIDS,
    }
)  # fmt: skip
"""Formats that JSON Schema defines, or that hold of any text."""

SILENT = ("ujsx.components._frozen", "pydantic.networks", "pydantic._internal._generate_schema")
"""Modules whose functions only convert what their schema has admitted."""

WHY = "JSON Schema has no word for it; validation holds it"


@dataclass(frozen=True, slots=True)
class Unsaid:
    """One demand of a model that its JSON Schema does not make."""

    keyword: str
    """What Pydantic calls it: ``max_digits``, ``now_op``, ``function-after``."""

    value: Any
    """What is demanded: a plain value, or the name of a function."""

    reason: str = WHY


def unsaid(schema: Mapping[str, Any], said: Schema) -> Iterator[Unsaid]:
    """Yield what a core schema demands by itself, and ``said``, its JSON Schema, does not.

    >>> [each.keyword for each in unsaid({"type": "decimal", "max_digits": 3}, {"type": "number"})]
    ['max_digits']
    """
    kind: str = schema["type"]
    if kind.startswith("function-"):
        yield from _function(schema, said)
        return
    if kind in KINDS:
        yield Unsaid(kind, kind, KINDS[kind])
    if kind == "dict" and (keys := schema.get("keys_schema", {}).get("type")) in NO_KEYS:
        yield Unsaid("keys_schema", keys, "names of members are texts, which it never is")
    if kind.endswith("-field") and (path := _deep_alias(schema.get("validation_alias"))):
        yield Unsaid("validation_alias", path, "it is looked for elsewhere; give it a name as well")
    known = SAID.get(kind)
    for key, value in schema.items():
        if known is None or key in known or key in ALWAYS or value is None or value is False:
            continue
        if (kind, key, value) == ("datetime", "tz_constraint", "aware"):
            continue  # as the format demands
        if key == "discriminator" and isinstance(value, str):
            continue  # the branches say it
        yield Unsaid(key, _plain(value), _why(kind, key))
    if kind == "str" and "pattern" in said and "pattern" in schema:
        for key in ("strip_whitespace", "to_lower", "to_upper"):
            if schema.get(key):
                yield Unsaid(key, True, "the pattern is looked for after it")
    config = cast("Mapping[str, Any]", schema.get("config") or {})
    for key in sorted(CONFIG & config.keys()):
        if config[key]:
            yield Unsaid(
                key, config[key], "it holds for every text of the model; validation holds it"
            )
    yield from _format(said)


def _function(schema: Mapping[str, Any], said: Schema) -> Iterator[Unsaid]:
    function: Any = schema["function"]["function"]
    # Pydantic's own constraint, where the type has none of its own.
    if isinstance(function, partial):
        bound: Mapping[str, Any] = function.keywords
        yield from (
            Unsaid(key, _plain(value))
            for key, value in bound.items()
            if {"min_length": "minLength", "max_length": "maxLength"}.get(key, "") not in said
        )
        return
    module = getattr(function, "__module__", type(function).__module__)
    silent = module in SILENT or (module == "pydantic.types" and "format" in said)
    if not silent:
        yield Unsaid(schema["type"], _name_of(function), "what it refuses is its own affair")
    inner = cast("Mapping[str, Any]", schema.get("schema") or {})
    if silent and inner.get("type") in {"url", "multi-host-url"}:  # made in its stead
        yield from unsaid(inner, said)
    else:
        yield from _format(said)


def _format(said: Schema) -> Iterator[Unsaid]:
    text = said.get("format")
    if isinstance(text, str) and text not in FORMATS:
        yield Unsaid("format", text, "JSON Schema knows no such format; validation holds it")


def _why(kind: str, key: str) -> str:
    if kind == "decimal" and key in BOUNDS:
        return "it is said of the number, and not of the text that may stand for it"
    if kind == "int":
        return "for JSON Schema 1.0 is an integer too"
    if kind == "datetime" and key == "tz_constraint":
        return "the pattern lets days through that a month has not"
    return WHY


def _deep_alias(alias: Any) -> str:
    """The first path that an alias looks for, where all of them lead deeper than a name does."""
    if not isinstance(alias, list):
        return ""
    paths = cast("list[list[Any]]", alias if isinstance(alias[0], list) else [alias])
    return "" if any(len(path) == 1 for path in paths) else ".".join(map(str, paths[0]))


def _plain(value: object) -> Any:
    """A value that can be shown and compared, whatever it was: of a function, its name."""
    if callable(value):
        return _name_of(value)
    return value if isinstance(value, str | int | float) else shown(value)


def _name_of(function: Any) -> str:
    name: str = getattr(function, "__qualname__", None) or type(function).__name__
    return name.replace("<locals>.", "")
