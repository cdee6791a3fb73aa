"""Descriptions within a budget of tokens: which stay, which go, in an order that is always the same.

A schema is paid for on every turn, and most of it are descriptions. What a dialect says in words because
it cannot enforce it is not counted here, and stays: leaving it out would change what the schema means.
"""

from __future__ import annotations

from collections.abc import Collection
from copy import deepcopy
from typing import NamedTuple

from ujsx.errors import SchemaError
from ujsx.schema._keywords import Schema, everywhere, is_object
from ujsx.schema._loss import Loss
from ujsx.schema._refs import target
from ujsx.tokens import TokenCounter, estimate_tokens


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
