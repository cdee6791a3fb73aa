"""The meaning of null for an argument: a value of its own, or that the argument is omitted."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError

from ujsx.errors import SchemaError
from ujsx.schema._generate import as_schema
from ujsx.schema._nulls import accepts_null
from ujsx.tools._names import names_by_field, variant_of
from ujsx.tools._validate import details, validated


def is_value(model: type[BaseModel], name: str) -> bool:
    """Tell whether null under ``name``, in any spelling, is a value that an argument can have.

    >>> class Page(BaseModel):
    ...     limit: int | None = 30
    ...     after: int = 0
    >>> [is_value(Page, name) for name in ("limit", "Limit", "after", "unknown")]
    [True, True, False, False]
    """
    nullable = _nulls_of(model).nullable
    if name in nullable:
        return True
    takes_any_name = model.model_config.get("extra") == "allow"
    return not takes_any_name and variant_of(name, nullable) is not None


def left_out(model: type[BaseModel], data: dict[str, Any]) -> list[str]:
    """Return the arguments whose null says that they are not given.

    Null for an argument that may be left out, and cannot be null itself, means that it is left out:
    schemas in which every argument is required, and flat ones, leave a model no other way to say so.
    Where null is a value of its own, it is that value.
    """
    nulls = [name for name, value in data.items() if value is None]
    if not nulls:
        return []
    required = _nulls_of(model).required
    return [name for name in nulls if name not in required and not is_value(model, name)]


class _Nulls(NamedTuple):
    nullable: frozenset[str]
    """Names under which null is a value."""

    required: frozenset[str]
    """Names of arguments that have to be given."""


@lru_cache(maxsize=1_024)
def _nulls_of(model: type[BaseModel]) -> _Nulls:
    try:
        schema = as_schema(model)
    except SchemaError:  # no dialect has a model that has no schema
        schema = {}
    known: dict[str, Any] = schema.get("properties", {})
    required = frozenset[str](schema.get("required", ()))
    nullable = [
        each
        for each in names_by_field(model).values()
        if any(name in known and accepts_null(known[name], schema) for name in each)
        or any(name in required and _takes_null(model, name) for name in each)
    ]
    return _Nulls(frozenset[str]().union(*nullable), required)


def _takes_null(model: type[BaseModel], name: str) -> bool:
    """Tell whether validation takes null where the schema has no word of it: a validator may."""
    try:
        validated(model, {name: None})
    except ValidationError as error:
        return not any(each["loc"][:1] in {(), (name,)} for each in details(error))
    except Exception:  # noqa: BLE001 - a model's own validators may raise anything
        return False
    return True
