"""In which shape each provider takes a tool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from ujsx._errors import SchemaError, did_you_mean

Schema: TypeAlias = dict[str, Any]
"""A JSON Schema, draft 2020-12."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a provider takes a tool: from name, description and parameters to its definition."""

    name: str
    define: Callable[[str, str, Schema], dict[str, Any]]


def _plain(parameters: str) -> Callable[[str, str, Schema], dict[str, Any]]:
    """A flat object; ``parameters`` is what the provider calls the parameters' schema."""
    return lambda name, description, schema: {
        "name": name,
        "description": description,
        parameters: schema,
    }


def _openai(name: str, description: str, schema: Schema) -> dict[str, Any]:
    function = {"name": name, "description": description, "parameters": schema}
    return {"type": "function", "function": function}


DIALECTS: dict[str, Dialect] = {
    dialect.name: dialect
    for dialect in (
        Dialect("json-schema", _plain("parameters")),
        Dialect("openai", _openai),
        Dialect("anthropic", _plain("input_schema")),
        Dialect("mcp", _plain("inputSchema")),
    )
}
"""The dialects by name. These four take the schema as Pydantic states it."""


def dialect_of(name: str) -> Dialect:
    """Return the dialect of that name.

    :raises SchemaError: if there is none; the message names the nearest.
    """
    if name not in DIALECTS:
        raise SchemaError(f'"{name}" is no dialect; {did_you_mean(name, DIALECTS)}')
    return DIALECTS[name]
