"""From a component, or any Pydantic model, to a tool."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel
from pydantic.errors import PydanticUserError

from ujsx._errors import SchemaError, shown
from ujsx.schema._dialects import Schema, dialect_of

_WORD_STARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

_NOT_FOR_A_MODEL = re.compile(r"^\s*(?:>>>|:(?:param|raises|returns?)\b)", re.MULTILINE)


def tool_schema(
    model: type[BaseModel] | Callable[..., BaseModel], *, dialect: str = "json-schema"
) -> Schema:
    """Return the parameters of the tool that ``model`` is: the JSON Schema of its fields.

    Descriptions come from docstrings and ``Field(description=…)``. Titles, which only repeat the
    names, are left out: they cost tokens. The order of keys is that of the declarations.

    :param model: a component class, or any Pydantic model.
    :param dialect: a name in :data:`DIALECTS`.
    :raises SchemaError: for an unknown dialect, or what is no model.

    >>> from ujsx.elements import Link
    >>> tool_schema(Link)["properties"]["url"]
    {'description': 'Where it leads.', 'type': 'string'}
    """
    dialect_of(dialect)
    cls = _as_model(model)
    try:
        schema = _without_titles(cls.model_json_schema())
    except PydanticUserError as error:
        reason = str(error).splitlines()[0]
        raise SchemaError(f"{cls.__name__} has no JSON Schema: {reason}") from error
    schema.pop("description", None)
    return schema


def tool_definition(
    model: type[BaseModel] | Callable[..., BaseModel],
    *,
    dialect: str,
    name: str | None = None,
) -> dict[str, Any]:
    """Return the tool that ``model`` is, in the shape that the provider's API takes.

    :param name: the tool's name; the class's in snake case when ``None``.
    :raises SchemaError: for an unknown dialect, or what is no model.

    >>> from ujsx.elements import ThematicBreak
    >>> tool_definition(ThematicBreak, dialect="mcp")["name"]
    'thematic_break'
    """
    cls = _as_model(model)
    name = name or _WORD_STARTS.sub("_", cls.__name__).lower()
    description = _for_a_model(inspect.cleandoc(cls.__doc__ or ""))
    return dialect_of(dialect).define(name, description, tool_schema(cls, dialect=dialect))


def _as_model(model: object) -> type[BaseModel]:
    if isinstance(model, type(BaseModel)):
        return model
    raise SchemaError(f"{shown(model)} is no component class and no Pydantic model")


def _without_titles(schema: Schema) -> Schema:
    return {
        key: _for_a_model(value) if key == "description" else _inside(key, value)
        for key, value in schema.items()
        if not (key == "title" and isinstance(value, str))
    }


def _for_a_model(docstring: str) -> str:
    """The part of a docstring that says what the thing is, without fields and examples."""
    return _NOT_FOR_A_MODEL.split(docstring, maxsplit=1)[0].rstrip()


def _inside(key: str, value: Any) -> Any:
    kind: type[Any] = value.__class__
    if kind is dict and key in _NAMED:
        return {name: _inside("", each) for name, each in value.items()}
    if kind is dict and key not in _DATA:
        return _without_titles(value)
    if kind is list and key not in _DATA:
        return [_inside("", each) for each in value]
    return value


_NAMED = frozenset({"properties", "$defs", "patternProperties", "dependentSchemas"})
"""Keywords whose keys are names, not keywords."""

_DATA = frozenset({"default", "const", "enum", "examples"})
"""Keywords whose values are data, not schemas."""
