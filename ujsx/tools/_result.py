"""The result of a call: text for the model, data for the host; made of what a handler returns."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, cast

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

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
class ToolResult:
    """The answer to a call. An error is an answer too: it says what to send instead.

    >>> print(ToolResult("Added n-4."))
    Added n-4.
    """

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

    def __str__(self) -> str:
        return self.text


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
