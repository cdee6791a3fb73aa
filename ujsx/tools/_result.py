"""The result of a call: text for the model, data for the host."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from inspect import Signature, signature
from types import NoneType, UnionType
from typing import Any, ClassVar, Literal, TypeAlias, Union, cast, get_args, get_origin

from pydantic import BaseModel, TypeAdapter
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticUserError
from pydantic_core import to_jsonable_python

from ujsx.calls import WithText
from ujsx.components._component import Component
from ujsx.components._element import Element

RepairKind: TypeAlias = Literal[
    "json text",  # JSON as text was read as data
    "code fence",  # a code fence around JSON was removed
    "prose",  # words around JSON were passed over
    "byte order mark",  # one stood before JSON
    "quotes",  # a text stood in other quotes than JSON's
    "bare name",  # a name of a member stood in none
    "literal",  # True, False or None, as Python writes them
    "comma",  # one too many, or one too few at the end of a line
    "brace",  # one too many, or one too few where nothing more can have been meant
    "comment",  # a comment stood in JSON
    "control character",  # a line break or the like stood in a text as it is
    "escape",  # a backslash stood before a quote that needs none, or a \n between values
    "duplicate",  # a member was given twice, with the same value
    "wrapper",  # the call stood in an envelope: {"name": …, "arguments": …} and the like
    "layout",  # operation and arguments stood elsewhere than in the schema
    "name",  # an operation, argument or choice was written in another way
    "null",  # null stood for an argument that is not given
    "number",  # a number came as text, or a whole one as 3.0
    "time",  # a time came as on a twelve-hour clock
    "boolean",  # true or false came as text
    "text",  # a number came where text is meant, or a boolean where the choices are texts
    "item",  # a text stood for an object: for the first text that it requires
    "entries",  # a list of keys and values came for a dictionary, as some dialects have it
    "list",  # a single value came where a list is meant, or the other way round
]
"""The mistakes that :meth:`Toolset.call` repairs before validation, as models make them."""


ErrorKind: TypeAlias = Literal[
    "not understood",  # the operation could not be determined
    "bad arguments",  # they do not fit the operation's model
    "refused",  # the handler raised an error of this library
    "broken",  # the handler raised anything else
]
"""The kinds of errors of :meth:`Toolset.call`, in the ``error`` of the result's data."""


@dataclass(frozen=True, slots=True)
class Repair:
    """A repair of a call before validation."""

    kind: RepairKind
    """The kind of mistake."""

    path: str
    """The place in the arguments at that time: ``$.limit``."""


@dataclass(frozen=True, slots=True)
class ToolResult(WithText):
    """The answer to a call. An error is an answer too, with the call to send instead.

    >>> print(ToolResult("Added n-4."))
    Added n-4.
    """

    _instead: ClassVar[Mapping[str, str]] = {
        "result.data": "json dict todict structured modeldump asdict",
        "json.dumps(result.data)": "tojson asjson modeldumpjson dumps",
    }

    _also: ClassVar[Mapping[str, str]] = {
        "text": "content output message answer result value",
        "is_error": "iserr failed haserror",
        "_is_ok": "ok success succeeded successful issuccess isok",
        "_error": "error errors errormessage",
    }

    text: str
    """The text for the model."""

    is_error: bool = False
    """True if the call failed. Then nothing was done, unless the text says otherwise."""

    data: Any = None
    """The answer as JSON data, for a host. An error has ``error``, an :data:`ErrorKind`; ``problems``, each with its
    ``path`` if it has one; ``more``, the number of other problems; and ``schema`` if it would help.
    """

    operation: str | None = None
    """The operation that was called, or ``None`` if it could not be determined."""

    repairs: tuple[Repair, ...] = ()
    """The repairs made before validation."""

    exception: Exception | None = field(default=None, compare=False, repr=False)
    """The handler's exception, if any, for the host's log."""

    @property
    def _is_ok(self) -> bool:
        return not self.is_error

    @property
    def _error(self) -> str | None:
        return self.text if self.is_error else None

    def __bool__(self) -> bool:
        return True


DONE = "Done."
"""The answer of a handler that returns nothing."""


def answered(value: object) -> ToolResult:
    """Return the result for a value: text unchanged, a node rendered, anything else as JSON data.

    >>> answered({"open": 3}).text
    '{"open":3}'
    """
    if isinstance(value, ToolResult):
        return value
    if value is None:
        return ToolResult(DONE)
    if isinstance(value, str):
        return ToolResult(value)
    if isinstance(value, Component | Element):
        from ujsx.rendering._render import render  # JSON answers need no Markdown writer

        return ToolResult(render(cast("Component | Element", value)).rstrip("\n"))
    data: Any = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
    data = to_jsonable_python(data)
    return ToolResult(json.dumps(data, ensure_ascii=False, separators=(",", ":")), data=data)


# Typed results of handlers: the schema for programs, and answers validated against it.

RESULT = "result"
"""The member for an answer that is not an object, as the root of an output schema must be one."""

_ANYTHING: tuple[Any, ...] = (Any, object, Signature.empty)
_NOTHING: tuple[Any, ...] = (None, NoneType)


def returns_of(function: Callable[..., object]) -> Any:
    """Return the type of the data in a function's return annotation; None for results that are only read.

    Those are text, components, a whole :class:`ToolResult`, and types without a schema.

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
        # A custom type, or one that is not hashable.
        return None
    return said


def _is_read(said: Any) -> bool:
    return isinstance(said, type) and issubclass(said, Component | Element | ToolResult)


def output_schema(returns: Any) -> dict[str, Any] | None:
    """Return the JSON Schema of an answer's data, or None.

    Its root is an object: other values are in its ``result``.

    >>> output_schema(list[int])["properties"]
    {'result': {'items': {'type': 'integer'}, 'type': 'array'}}
    """
    schema = None if returns is None else _schema(returns)
    if schema is None or schema.get("type") == "object":
        return schema
    inner = {name: value for name, value in schema.items() if name != "$defs"}
    whole = {"type": "object", "properties": {RESULT: inner}, "required": [RESULT]}
    return {**whole, "$defs": schema["$defs"]} if "$defs" in schema else whole


def structured(returns: Any, data: Any) -> Any:
    """Return an answer's data in the form of :func:`output_schema`, or None without a schema.

    >>> structured(list[int], [1, 2]), structured(dict[str, int], {"a": 1})
    ({'result': [1, 2]}, {'a': 1})
    """
    schema = None if returns is None else _schema(returns)
    if schema is None:
        return None
    return data if schema.get("type") == "object" else {RESULT: data}


def data_of(returns: Any, value: object) -> Any:
    """Return a handler's result as JSON data of its type.

    :raises pydantic.ValidationError: if it does not have that type.

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
