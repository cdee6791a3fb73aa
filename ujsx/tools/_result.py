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
    "boolean",  # true or false came as text
    "text",  # a number came where text is meant, or a boolean where the choices are texts
    "item",  # a text stood for an object: for the first text that it requires
    "entries",  # a list of keys and values came for a dictionary, as some dialects have it
    "list",  # a single value came where a list is meant, or the other way round
]
"""What :meth:`Toolset.call` mends before it validates: what models really send."""


ErrorKind: TypeAlias = Literal[
    "not understood",  # no operation could be made out
    "bad arguments",  # they do not fit the operation's model
    "refused",  # the handler raised an error of this library
    "broken",  # the handler raised anything else
]
"""What :meth:`Toolset.call` says went wrong, in the ``error`` of the result's data."""


@dataclass(frozen=True, slots=True)
class Repair:
    """Something that was mended in a call before it was validated."""

    kind: RepairKind
    """What was wrong with it."""

    path: str
    """Where, in the arguments as they stood then: ``$.limit``."""


@dataclass(frozen=True, slots=True)
class ToolResult(WithText):
    """The answer to a call. An error is an answer too: it says what to send instead.

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
    """What the model reads."""

    is_error: bool = False
    """Whether the call failed. Then nothing was done, unless the text says otherwise."""

    data: Any = None
    """The same as JSON data, for a host. An error has ``error``, an :data:`ErrorKind`,
    ``problems``, each with its ``path`` where it has one, ``more`` where that many are not told one by one, and ``schema``
    where one would help."""

    operation: str | None = None
    """The operation that was called, or ``None`` where none could be made out."""

    repairs: tuple[Repair, ...] = ()
    """What was mended before the call could be validated."""

    exception: Exception | None = field(default=None, compare=False, repr=False)
    """What the handler raised, where it did: a host may log it."""

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
    """Return the answer: text as it is, a node rendered, anything else as JSON data.

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
        from ujsx.rendering._render import render  # answers in JSON need no writer

        return ToolResult(render(cast("Component | Element", value)).rstrip("\n"))
    data: Any = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
    data = to_jsonable_python(data)
    return ToolResult(json.dumps(data, ensure_ascii=False, separators=(",", ":")), data=data)


# The result of a handler as data of a type: the schema that a program is given, and answers that hold to it.

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
