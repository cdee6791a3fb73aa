"""The size of schemas against a provider's limits, and descriptions within a budget."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from copy import deepcopy
from typing import Any, NamedTuple, cast

from ujsx.errors import SchemaError, shown
from ujsx.schema._dialects import Loss, ProviderLimits, dialect_of, parameters_in
from ujsx.schema._keywords import Schema, everywhere, is_list, is_object, target
from ujsx.tokens import TokenCounter, estimate_tokens

# Descriptions within a budget of tokens: which stay, which go, in an order that is always the same.
#
# A schema is paid for on every turn, and most of it are descriptions. What a dialect says in words because
# it cannot enforce it is not counted here, and stays: leaving it out would change what the schema means.


class _Description(NamedTuple):
    pointer: str
    depth: int
    """Properties inside each other; a definition stands one level below."""
    is_required: bool
    place: int
    tokens: int


def within_budget(
    schema: Schema,
    budget: int | None,
    counter: TokenCounter | None = None,
    *,
    fixed: Collection[str] = (),
) -> tuple[Schema, tuple[Loss, ...]]:
    """Return a schema whose descriptions have ``budget`` tokens together at most, and what went.

    The deepest go first; of those on a level, what may be left out before what has to be given, and
    the last before the first. So the same schema and budget give the same bytes.

    :param budget: in tokens; all stay when ``None``.
    :param counter: counts the tokens of a text; :func:`ujsx.tokens.estimate_tokens` when ``None``.
    :param fixed: pointers of descriptions that stay and are not counted.
    :raises SchemaError: for a budget below 0.

    >>> said = {"type": "string", "description": "What it is called, in the words of its owner."}
    >>> schema, losses = within_budget({"type": "object", "properties": {"name": said}}, 3)
    >>> schema["properties"], [loss.pointer for loss in losses]
    ({'name': {'type': 'string'}}, ['/properties/name'])
    """
    if budget is None:
        return schema, ()
    if budget < 0:
        raise SchemaError(f"a budget of descriptions is 0 tokens at least, not {budget}")
    given = _descriptions(schema, counter or estimate_tokens, fixed)
    left = sum(each.tokens for each in given)
    gone: list[Loss] = []
    whole = deepcopy(schema)
    for each in sorted(given, key=lambda one: (-one.depth, one.is_required, -one.place)):
        if left <= budget:
            break
        left -= each.tokens
        text = target(whole, f"#{each.pointer}").pop("description")
        why = f"all descriptions together may take {budget:,} tokens"
        gone.append(Loss(each.pointer, "description", text, "dropped", why))
    return whole, tuple(gone)


def _descriptions(
    schema: Schema, count: TokenCounter, fixed: Collection[str]
) -> list[_Description]:
    required = {
        f"{pointer}/properties/{name}"
        for pointer, each in everywhere(schema)
        if is_object(each.get("properties"))
        for name in each.get("required", ())
    }
    return [
        _Description(
            pointer,
            pointer.count("/properties/") + pointer.startswith("/$defs/"),
            pointer in required,
            place,
            count(each["description"]),
        )
        for place, (pointer, each) in enumerate(everywhere(schema))
        if each.get("description") and pointer and pointer not in fixed
    ]


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


def excesses(schemas: Sequence[Schema], limits: ProviderLimits) -> Iterator[tuple[str, int, str]]:
    """Yield what is too large: its name, how large it is, and what is allowed.

    >>> list(excesses([{}] * 21, ProviderLimits(tools=20)))
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
