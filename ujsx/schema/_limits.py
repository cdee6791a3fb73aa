"""The size of a schema, and of all schemas of a request together, in what the providers count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from ujsx.errors import SchemaError, shown
from ujsx.schema._dialects import dialect_of, parameters_in
from ujsx.schema._keywords import Schema, everywhere, is_list, is_object
from ujsx.schema._limits_of_providers import Limits

LARGE_ENUM = 250
"""Values of an enum above which OpenAI counts the characters of its texts."""


def check_request(schemas: Sequence[Schema], dialect: str) -> None:
    """Check that the tools of one request together are not too much for a provider.

    :param schemas: the parameters of all tools of the request, in the dialect; or their definitions.
    :raises SchemaError: for an unknown dialect, what is no schema, or the first limit that is
        exceeded.

    >>> check_request([{"type": "object", "properties": {}}] * 21, "anthropic-strict")
    Traceback (most recent call last):
    ujsx.errors.SchemaError: anthropic-strict takes at most 20 tools in a request, not 21
    """
    limits = dialect_of(dialect).limits
    for place, each in enumerate(cast("Sequence[object]", schemas)):
        if not is_object(each):
            raise SchemaError(
                f"a schema is a dictionary, not {shown(each)}; write tool_schema(…, "
                f'dialect="{dialect}")',
                path=f"$[{place}]",
            )
    for _, size, limit in excesses([*map(parameters_in, schemas)], limits):
        raise SchemaError(f"{dialect} takes {limit}, not {size:,}")


def excesses(schemas: Sequence[Schema], limits: Limits) -> Iterator[tuple[str, int, str]]:
    """Yield what is too large: its name, how large it is, and what is allowed.

    >>> list(excesses([{}] * 21, Limits(tools=20)))
    [('tools', 21, 'at most 20 tools in a request')]
    """
    for name, what, count in (
        ("depth", "{} objects inside each other", _depth),
        ("properties", "{} properties", _properties),
        ("enum_values", "{} values in enums", _enum_values),
        (
            "enum_characters",
            f"{{}} characters in an enum of over {LARGE_ENUM} values",
            _enum_characters,
        ),
        ("name_characters", "{} characters of names and values", _name_characters),
        ("tools", "{} tools in a request", len),
        ("optional", "{} optional properties in a request", _optional),
        ("unions", "{} properties in a request that are unions", _unions),
    ):
        limit = getattr(limits, name)
        if limit is not None and (size := count(schemas)) > limit:
            yield name, size, f"at most {what.format(f'{limit:,}')}"


def _objects(schema: Any, depth: int = 1) -> Iterator[tuple[Schema, int]]:
    """Each object with properties and how deep it stands; references are not followed."""
    if not is_object(schema):
        return
    inner = [schema.get("items"), *schema.get("anyOf", ())]
    if "properties" in schema:
        yield schema, depth
        inner += schema["properties"].values()
        depth += 1
    for each in inner:
        yield from _objects(each, depth)


def _roots(schema: Schema) -> Iterator[Schema]:
    """The schema and its definitions: each is counted on its own."""
    yield schema
    yield from schema.get("$defs", {}).values()


def _depth(schemas: Sequence[Schema]) -> int:
    depths = (depth for schema in schemas for root in _roots(schema) for _, depth in _objects(root))
    return max(depths, default=0)


def _properties(schemas: Sequence[Schema]) -> int:
    roots = (root for schema in schemas for root in _roots(schema))
    return sum(len(each["properties"]) for root in roots for each, _ in _objects(root))


def _enum_values(schemas: Sequence[Schema]) -> int:
    return sum(len(each.get("enum", ())) for schema in schemas for _, each in everywhere(schema))


def _enum_characters(schemas: Sequence[Schema]) -> int:
    enums = (each.get("enum", ()) for schema in schemas for _, each in everywhere(schema))
    large = (values for values in enums if len(values) > LARGE_ENUM)
    return max((sum(len(str(each)) for each in values) for values in large), default=0)


def _name_characters(schemas: Sequence[Schema]) -> int:
    return sum(
        len(str(text))
        for schema in schemas
        for _, each in everywhere(schema)
        for text in (
            *each.get("properties", ()),
            *each.get("$defs", ()),
            *each.get("enum", ()),
            *([each["const"]] if "const" in each else ()),
        )
    )


def _optional(schemas: Sequence[Schema]) -> int:
    return sum(
        len(each["properties"].keys() - set(each.get("required", ())))
        for schema in schemas
        for each, _ in _objects(schema)
    )


def _unions(schemas: Sequence[Schema]) -> int:
    return sum(
        is_object(each) and ("anyOf" in each or is_list(each.get("type")))
        for schema in schemas
        for parent, _ in _objects(schema)
        for each in parent["properties"].values()
    )
