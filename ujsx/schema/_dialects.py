"""The dialects: in which shape and in which words each provider takes a tool."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ujsx.errors import SchemaError, did_you_mean
from ujsx.schema._keywords import Schema, is_object
from ujsx.schema._limits_of_providers import Limits, limits_of
from ujsx.schema._verdicts import Verdict, column

Define: TypeAlias = Callable[[str, str, Schema], dict[str, Any]]
"""From a tool's name, description and parameters to its definition."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """The form in which a provider takes a tool."""

    name: str

    define: Define
    """Makes the definition."""

    tool_names: re.Pattern[str]
    """What a tool may be called."""

    property_names: re.Pattern[str] | None = None
    """What a property may be called; ``None`` where anything is taken."""

    verdicts: Mapping[str, Verdict] | None = None
    """What becomes of each keyword; ``None`` where all are taken."""

    only: Mapping[str, Callable[[Any], bool]] = field(default_factory=dict[str, Any])
    """For keywords that are kept for some values only: for which. Others are described."""

    object_root: bool = True
    """Whether the root has to be an object, and no union."""

    root_unions: bool = False
    """Whether the root, an object, may be a union of objects too."""

    all_required: bool = False
    """Whether every property is required, so that null stands for leaving it out."""

    nullable: bool = False
    """Whether null is allowed by ``nullable: true`` instead of a type."""

    unions_alone: bool = False
    """Whether nothing stands beside a union, so that its branches say what is said of it."""

    empty_objects: bool = True
    """Whether an object may have no properties."""

    recursion: bool = True
    """Whether a schema may refer to itself."""

    required_recursion: bool = True
    """Whether it may do so by way of properties that have to be given."""

    open_objects: bool = False
    """Whether an object that declares no members may have any: a dictionary."""

    any_values: bool = False
    """Whether a place may take any value: one of all types."""

    number_bounds: bool = True
    """Whether numbers that are not whole may have bounds, or whole ones alone."""

    required_children: bool = False
    """Whether nodes of a tree have to have their members written out, empty or not."""

    limits: Limits = field(default_factory=Limits)
    """How much it takes."""

    def verdict(self, keyword: str) -> Verdict:
        """Return what becomes of a keyword."""
        return (
            Verdict.KEEP if self.verdicts is None else self.verdicts.get(keyword, Verdict.DESCRIBE)
        )

    def takes(self, keyword: str, value: Any) -> bool:
        """Tell whether a keyword that is kept is kept with this value."""
        return keyword not in self.only or self.only[keyword](value)

    def says(self, keyword: str, value: Any) -> bool:
        """Tell whether a keyword is kept with this value."""
        return self.verdict(keyword) is Verdict.KEEP and self.takes(keyword, value)


def _plain(parameters: str, **more: Any) -> Define:
    """A flat object; ``parameters`` is what the provider calls the parameters' schema."""
    return lambda name, description, schema: {
        "name": name,
        "description": description,
        **more,
        parameters: schema,
    }


def _openai(**more: Any) -> Define:
    return lambda name, description, schema: {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": schema, **more},
    }


def _gemini(name: str, description: str, schema: Schema) -> dict[str, Any]:
    """A function declaration; without parameters where there are none, as the API wants it."""
    parameters = {"parameters": schema} if schema.get("properties") else {}
    return {"name": name, "description": description, **parameters}


def _gemini_json(name: str, description: str, schema: Schema) -> dict[str, Any]:
    """A function declaration with JSON Schema in place of OpenAPI's."""
    parameters = {"parametersJsonSchema": schema} if schema.get("properties") else {}
    return {"name": name, "description": description, **parameters}


PARAMETERS = ("parameters", "input_schema", "inputSchema", "parametersJsonSchema")
"""Where definitions of tools have their parameters: the last word of each function above."""


def parameters_in(given: Schema) -> Schema:
    """Return the parameters in a tool's definition, of whatever provider; what is no definition stays as it is.

    No schema has a text under ``name`` at its root: as a keyword there is none of that name.

    >>> parameters_in({"name": "add", "description": "Add.", "input_schema": {"type": "object"}})
    {'type': 'object'}
    >>> parameters_in({"type": "function", "function": {"name": "now"}})
    {'type': 'object', 'properties': {}}
    """
    function: object = given.get("function")
    inner = function if is_object(function) else given
    if not isinstance(inner.get("name"), str):
        return given
    found = next((inner[each] for each in PARAMETERS if each in inner), None)
    if found is None and inner.keys() <= {"type", "name", "description", "strict"}:
        return (
            {"type": "object", "properties": {}}
            if inner.get("type") in (None, "function")
            else given
        )
    return given if found is None else found


def _one_of(*values: str) -> Callable[[Any], bool]:
    return frozenset(values).__contains__


def _is_exchanged(bound: Any) -> bool:
    """Tell whether all who read JSON read the same whole number (RFC 8259, section 6)."""
    return isinstance(bound, int | float) and abs(bound) < 2**53


def _may_be_listed(value: Any) -> bool:
    """Tell whether engines compile a value of a list: llguidance 1.9.1 ends the process at -2⁶³."""
    return not isinstance(value, int) or _is_exchanged(value)


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float)


def _is_text_or_number(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


_LOOKAROUND = re.compile(r"(?<!\\)(?:\\\\)*\(\?<?[=!]")

DIALECTS: dict[str, Dialect] = {
    dialect.name: dialect
    for dialect in (
        Dialect(
            "json-schema",
            _plain("parameters"),
            re.compile(r".+"),
            object_root=False,
        ),
        Dialect("openai", _openai(), re.compile(r"[a-zA-Z0-9_-]{1,64}")),
        Dialect(
            "openai-strict",
            _openai(strict=True),
            re.compile(r"[a-zA-Z0-9_-]{1,64}"),
            verdicts=column(0),
            only={
                "format": _one_of(
                    "date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"
                ),
                "pattern": lambda pattern: not _LOOKAROUND.search(pattern),
            },
            all_required=True,
            required_children=True,
            limits=limits_of("openai-strict"),
        ),
        Dialect(
            "anthropic",
            _plain("input_schema"),
            re.compile(r"[a-zA-Z0-9_-]{1,128}"),
            property_names=re.compile(r"[a-zA-Z0-9_.-]{1,64}"),
        ),
        Dialect(
            "anthropic-strict",
            _plain("input_schema", strict=True),
            re.compile(r"[a-zA-Z0-9_-]{1,128}"),
            property_names=re.compile(r"[a-zA-Z0-9_.-]{1,64}"),
            verdicts=column(1),
            only={
                "format": _one_of(
                    "date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6",
                    "uuid",
                ),
                "minItems": lambda count: count in {0, 1},
                "enum": lambda values: all(map(_is_scalar, values)),
                "const": _is_scalar,
            },
            recursion=False,
            required_children=True,
            limits=limits_of("anthropic-strict"),
        ),
        Dialect(
            "gemini",
            _gemini,
            re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}"),
            verdicts=column(2),
            only={
                "format": _one_of("date-time", "enum"),
                "enum": lambda values: all(isinstance(each, str) and each for each in values),
                **dict.fromkeys(
                    ("minimum", "maximum"),
                    lambda bound: isinstance(bound, float) or _is_exchanged(bound),
                ),
            },
            nullable=True,
            unions_alone=True,
            empty_objects=False,
            recursion=False,
            required_children=True,
            limits=limits_of("gemini"),
        ),
        Dialect(
            "gemini-json",
            _gemini_json,
            re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}"),
            verdicts=column(3),
            only={
                "format": _one_of("date-time", "date", "time"),
                "enum": lambda values: all(map(_is_text_or_number, values)),
            },
            required_recursion=False,
            open_objects=True,
        ),
        Dialect(
            "open-engines",
            _openai(),
            re.compile(r"[a-zA-Z0-9_-]{1,64}"),
            property_names=re.compile(r'[^"\\\x00-\x1f]+'),
            verdicts=column(4),
            only={
                "format": _one_of("date-time", "date", "time", "uuid"),
                **dict.fromkeys(
                    ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
                    lambda bound: _is_exchanged(bound) and bound == int(bound),
                ),
                "enum": lambda values: all(map(_may_be_listed, values)),
                "const": _may_be_listed,
            },
            open_objects=True,
            any_values=True,
            number_bounds=False,
        ),
        Dialect(
            "mcp", _plain("inputSchema"), re.compile(r"[a-zA-Z0-9_.-]{1,128}"), root_unions=True
        ),
    )
}  # fmt: skip
"""The dialects by name: json-schema, openai, openai-strict, anthropic, anthropic-strict, gemini,
gemini-json, open-engines, mcp."""


MAKERS: Mapping[str, str] = {
    "anthropic": "claude bedrock sonnet opus haiku",
    "openai": "gpt chatgpt azure responses openrouter",
    "gemini": "google vertex vertexai genai",
    "openai-strict": "strict gpt-strict",
    "open-engines": "vllm ollama llama llamacpp sglang outlines xgrammar local",
}
"""By dialect, the names of models, makers and engines whose tools take it."""


def dialect_of(name: str) -> Dialect:
    """Return the dialect of that name.

    :raises SchemaError: if there is none; the message names the nearest.
    """
    if name not in DIALECTS:
        meant = next(
            (each for each, others in MAKERS.items() if str(name).lower() in others.split()), name
        )
        known = DIALECTS if meant is name else (meant,)
        raise SchemaError(f'"{name}" is no dialect; {did_you_mean(meant, known)}')
    return DIALECTS[name]
