"""The result of a handler as data of a type: the schema that a program is given, and answers that hold to it."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from inspect import Signature, signature
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from pydantic import TypeAdapter
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticUserError

from ujsx.components._component import Component
from ujsx.components._element import Element
from ujsx.tools._result import ToolResult

RESULT = "result"
"""The member that holds an answer which is no object: the root of an output schema is one."""

_ANYTHING: tuple[Any, ...] = (Any, object, Signature.empty)
_NOTHING: tuple[Any, ...] = (None, NoneType)


def returns_of(function: Callable[..., object]) -> Any:
    """Return the type of the data that a function says it returns; None where that is to be read alone.

    Text, a component and a whole :class:`ToolResult` are; so is a type that has no schema.

    >>> def price(order: str) -> dict[str, float]: ...
    >>> returns_of(price)
    dict[str, float]
    """
    said = signature(function, eval_str=True).return_annotation
    members = get_args(said) if get_origin(said) in {Union, UnionType} else (said,)
    if any(each in _ANYTHING or _is_read(each) for each in members):
        return None
    if all(each in _NOTHING or each is str for each in members):
        return None
    try:
        _adapter(said)
    except (PydanticUserError, TypeError):
        # It is of a type of somebody's own, or of one that is no dict key.
        return None
    return said


def _is_read(said: Any) -> bool:
    return isinstance(said, type) and issubclass(said, Component | Element | ToolResult)


def output_schema(returns: Any) -> dict[str, Any] | None:
    """Return the JSON Schema of an answer's data; None for what has none.

    It is that of an object: what is none stands in its ``result``.

    >>> output_schema(list[int])["properties"]
    {'result': {'items': {'type': 'integer'}, 'type': 'array'}}
    """
    schema = None if returns is None else _schema(returns)
    if schema is None or schema.get("type") == "object":
        return schema
    inner = {name: value for name, value in schema.items() if name != "$defs"}
    return {
        "type": "object",
        "properties": {RESULT: inner},
        "required": [RESULT],
        **({"$defs": schema["$defs"]} if "$defs" in schema else {}),
    }


def structured(returns: Any, data: Any) -> Any:
    """Return an answer's data as :func:`output_schema` has it; None where that has nothing.

    >>> structured(list[int], [1, 2]), structured(dict[str, int], {"a": 1})
    ({'result': [1, 2]}, {'a': 1})
    """
    schema = None if returns is None else _schema(returns)
    if schema is None:
        return None
    return data if schema.get("type") == "object" else {RESULT: data}


def data_of(returns: Any, value: object) -> Any:
    """Return what a handler returned as JSON data of its type.

    :raises pydantic.ValidationError: if it is something else.

    >>> data_of(list[float], (1, 2.5))
    [1.0, 2.5]
    """
    adapter = _adapter(returns)
    return adapter.dump_python(adapter.validate_python(value, from_attributes=True), mode="json")


@lru_cache(maxsize=512)
def _adapter(returns: Any) -> TypeAdapter[Any]:
    return TypeAdapter(returns)


@lru_cache(maxsize=512)
def _schema(returns: Any) -> dict[str, Any] | None:
    try:
        return _adapter(returns).json_schema(mode="serialization", by_alias=False)
    except PydanticInvalidForJsonSchema:
        return None
