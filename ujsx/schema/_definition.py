"""From a component, or any Pydantic model, to a tool; and what that costs in the prompt."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from pydantic import BaseModel, ValidationError

from ujsx.calls import resolving
from ujsx.components import Component, as_element, examples_of, has_examples
from ujsx.errors import SchemaError, shown
from ujsx.schema._depth import DEPTH
from ujsx.schema._dialects import Dialect, dialect_of
from ujsx.schema._generate import Model, as_model, as_schema, for_a_model, of_a_tool
from ujsx.schema._keywords import Schema
from ujsx.schema._lint import to_dialect
from ujsx.tokens import TokenCounter, estimate_tokens

_WORD_STARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

PROVIDER = "provider api format target"
"""Other names of ``dialect``."""

NO_STRICT = {"strict": 'write dialect="openai-strict", or "anthropic-strict"'}

_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9]+")


@resolving(dialect=PROVIDER, instead=NO_STRICT)
def tool_schema(
    model: Model,
    dialect: str = "json-schema",
    *,
    depth: int = DEPTH,
    description_budget: int | None = None,
    examples: bool = False,
) -> Schema:
    """Return the parameters of the tool that ``model`` is: the JSON Schema of its fields.

    Descriptions come from docstrings and ``Field(description=…)``. Titles that only repeat names are
    left out: they cost tokens. Keywords come in alphabetical order, properties in the order of their
    declaration. What the dialect cannot enforce is in the descriptions, and listed by :func:`lint`.

    :param model: a component class, or any Pydantic model.
    :param dialect: a name in :data:`DIALECTS`.
    :param depth: how deep recursive models are written out where the dialect has no recursion; see
        :func:`to_dialect`.
    :param description_budget: how many tokens the descriptions may take together; see
        :func:`to_dialect`.
    :param examples: whether the schema has the component's ``examples``, as calls of the tool; they cost tokens.
    :raises SchemaError: for an unknown dialect, what is no model, or a model that the dialect cannot
        take.
    :raises DefinitionError: for an example that the component does not take.

    >>> from ujsx.elements import Link
    >>> tool_schema(Link)["properties"]["url"]
    {'description': 'Where it leads.', 'type': 'string'}
    """
    dialect_of(dialect)
    given = as_model(model)
    cls = as_model(of_a_tool(given))
    calls = _example_calls(given, cls) if examples else ()
    return parameters_of(cls, cls.__name__, dialect, description_budget, depth, examples=calls)


def _example_calls(given: type[BaseModel], tool: type[BaseModel]) -> list[dict[str, Any]]:
    """The examples of a component as arguments of its tool: of their props those that a caller fills in."""
    if not (issubclass(given, Component) and has_examples(given)):
        return []
    found: list[dict[str, Any]] = []
    for node in examples_of(given).values():
        props = as_element(node).component.model_dump(
            mode="json", exclude_unset=True, by_alias=True
        )
        try:
            tool.model_validate(props)
        except ValidationError as error:
            for detail in error.errors(
                include_url=False, include_input=False, include_context=False
            ):
                if detail["type"] == "extra_forbidden":
                    _drop(props, detail["loc"])
        with suppress(ValidationError):  # a caller cannot make what it shows
            tool.model_validate(props)
            found.append(props)
    return found


def _drop(data: Any, place: tuple[int | str, ...]) -> None:
    with suppress(KeyError, IndexError, TypeError):  # of a union, the place names the branch, too
        for part in place[:-1]:
            data = data[part]
        del data[place[-1]]


def parameters_of(
    cls: type[BaseModel],
    name: str,
    dialect: str,
    description_budget: int | None,
    depth: int = DEPTH,
    *,
    examples: Sequence[Any] = (),
) -> Schema:
    """Return the parameters of the tool that a model is.

    :param name: what is refused, in the author's words: a class, or an operation.
    :param examples: values that the schema names as examples.
    :raises SchemaError: for an unknown dialect, and a model that the dialect cannot take.
    """
    schema = as_schema(of_a_tool(cls))
    schema.pop("description", None)
    if examples:
        schema["examples"] = [*schema.get("examples", ()), *examples]
    try:
        return to_dialect(schema, dialect, depth=depth, description_budget=description_budget)
    except SchemaError as error:
        error.within(name)
        raise


@resolving(dialect=PROVIDER, instead=NO_STRICT)
def tool_definition(
    model: Model,
    dialect: str = "json-schema",
    *,
    name: str | None = None,
    depth: int = DEPTH,
    description_budget: int | None = None,
    examples: bool = False,
) -> dict[str, Any]:
    """Return the tool that ``model`` is, in the shape that the provider's API takes.

    :param name: the tool's name; the class's in snake case when ``None``.
    :param depth: as :func:`tool_schema` takes it.
    :param description_budget: as :func:`tool_schema` takes it; what the tool is for always stays.
    :param examples: as :func:`tool_schema` takes it.
    :raises SchemaError: for an unknown dialect, a name that the provider does not take, what is no
        model, or a model that the dialect cannot take.

    >>> from ujsx.elements import ThematicBreak
    >>> tool_definition(ThematicBreak, dialect="mcp")["name"]
    'thematic_break'
    """
    cls = as_model(of_a_tool(as_model(model)))
    name = tool_name(cls) if name is None else name
    description = for_a_model(inspect.cleandoc(cls.__doc__ or ""))
    schema = tool_schema(
        model,
        dialect=dialect,
        depth=depth,
        description_budget=description_budget,
        examples=examples,
    )
    return define(name, description, schema, dialect_of(dialect))


def define(name: str, description: str, schema: Schema, dialect: Dialect) -> dict[str, Any]:
    """Return a tool in the shape that the provider's API takes, from its parts.

    :param schema: the parameters, in the dialect already.
    :raises SchemaError: for a name that the provider does not take.
    """
    if not dialect.tool_names.fullmatch(name):
        raise SchemaError(
            f'"{name}" is no name for a tool in {dialect.name}; it has to match '
            f"{dialect.tool_names.pattern}"
        )
    return dialect.define(name, description, schema)


def tool_name(cls: type[Any]) -> str:
    """Return the name of the tool that a class is: its own in snake case.

    >>> class HTMLPart: ...
    >>> tool_name(HTMLPart)
    'html_part'
    """
    words = _WORD_STARTS.sub("_", cls.__name__)
    return _NOT_IN_NAMES.sub("_", words).strip("_").lower()


def schema_tokens(schema: Mapping[str, Any], counter: TokenCounter | None = None) -> int:
    """Return how many tokens a schema or a tool definition is, as JSON without white space.

    Providers put definitions into words of their own, which they do not publish; the figure is for
    comparing, and for budgets.

    :param counter: counts the tokens of a text; :func:`ujsx.tokens.estimate_tokens` when ``None``.
    :raises SchemaError: for what is no schema and no definition.

    >>> schema_tokens({"type": "object", "properties": {}}, counter=len)
    33
    """
    given: object = schema
    if not isinstance(given, Mapping):
        raise SchemaError(
            f"a schema is a dictionary, not {shown(given)}; write tool_schema(…) or "
            "tool_definition(…) of a model"
        )
    text = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return (counter or estimate_tokens)(text)
