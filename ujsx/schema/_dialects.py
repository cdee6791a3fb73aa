"""The dialects of providers: what each takes and what is lost on the way, the size of schemas, and budgets of descriptions."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from ujsx.errors import SchemaError, did_you_mean, shown
from ujsx.schema._keywords import Schema, everywhere, is_list, is_object, target
from ujsx.tokens import TokenCounter, estimate_tokens

# The limits of each provider: a table, with the source of each figure and its date.
#
# Providers raise and lower these without a version of anything to show for it. A row that no longer holds
# is one line to change; ``dataclasses.replace`` makes a dialect of your own with other limits.


@dataclass(frozen=True, slots=True)
class ProviderLimits:
    """The limits of a dialect; ``None`` where it sets no limit.

    The first six hold for one schema, the others for all tools of a request together. Properties
    and levels are counted as the providers do: what stands behind a ``$ref`` is not counted.
    """

    depth: int | None = None
    """Objects inside each other."""

    properties: int | None = None
    """Properties of all objects."""

    enum_values: int | None = None
    """Values of all enums."""

    enum_characters: int | None = None
    """Characters of the texts in one enum, if it has more than 250 values."""

    name_characters: int | None = None
    """Characters of all names of properties and definitions, and of all values of enums."""

    parts: int | None = None
    """Schemas inside the schema; ours, for what grows when references are written out."""

    tools: int | None = None
    """Tools in a request."""

    optional: int | None = None
    """Properties that may be left out."""

    unions: int | None = None
    """Properties that are unions."""


@dataclass(frozen=True, slots=True)
class ProviderLimit:
    """One figure of one provider."""

    dialect: str
    """The dialect that it holds for."""

    name: str
    """The field of :class:`ProviderLimits`."""

    value: int
    """The most that is taken."""

    source: str
    """Where it is said."""

    looked_up: str = field(default="2026-11")
    """The month in which that was read, as ISO 8601 writes it."""


_OPENAI = "OpenAI, Structured Outputs, Supported schemas"
_ANTHROPIC = "Anthropic, Structured outputs, Schema complexity limits"

PROVIDER_LIMITS: tuple[ProviderLimit, ...] = (
    ProviderLimit("openai-strict", "depth", 10, _OPENAI),
    ProviderLimit("openai-strict", "properties", 5_000, _OPENAI),
    ProviderLimit("openai-strict", "enum_values", 1_000, _OPENAI),
    ProviderLimit("openai-strict", "enum_characters", 15_000, _OPENAI),
    ProviderLimit("openai-strict", "name_characters", 120_000, _OPENAI),
    ProviderLimit("anthropic-strict", "tools", 20, _ANTHROPIC, "2026-07"),
    ProviderLimit("anthropic-strict", "optional", 24, _ANTHROPIC, "2026-07"),
    ProviderLimit("anthropic-strict", "unions", 16, _ANTHROPIC, "2026-07"),
    ProviderLimit("gemini", "parts", 10_000, "ours: references are written out"),
)
"""The limits of all dialects. One that is not named sets none that we know of."""


def limits_of(dialect: str) -> ProviderLimits:
    """Return what a dialect takes at most.

    >>> limits_of("anthropic-strict").tools, limits_of("mcp") == ProviderLimits()
    (20, True)
    """
    return ProviderLimits(
        **{each.name: each.value for each in PROVIDER_LIMITS if each.dialect == dialect}
    )


# The abilities of the dialects with a language of their own, keyword by keyword.
#
# The other dialects (json-schema, openai, anthropic, mcp) take every keyword of draft 2020-12. A keyword
# that is not in the table, such as one of an extension, is described.
#
# Sources: OpenAI, "Structured outputs: supported schemas"; Anthropic, "Structured outputs: JSON Schema
# limitations", and ``transform_schema`` of its SDK 2.12; ``Schema`` of google-genai 3.4 (OpenAPI 3.0's
# subset). Where an SDK is stricter than its provider, the SDK counts, so that it has nothing to change.


class KeywordVerdict(Enum):
    """What a dialect does with a keyword."""

    KEEP = auto()
    """It takes it as it stands."""

    REWRITE = auto()
    """It says it in other words."""

    DESCRIBE = auto()
    """It cannot enforce it: the description says it."""

    DROP = auto()
    """It has no use for it, and nothing is lost."""


KEEP, REWRITE = KeywordVerdict.KEEP, KeywordVerdict.REWRITE
DESCRIBE, DROP = KeywordVerdict.DESCRIBE, KeywordVerdict.DROP

# fmt: off
VERDICTS: dict[str, tuple[KeywordVerdict, KeywordVerdict, KeywordVerdict, KeywordVerdict, KeywordVerdict]] = {
    #                         openai-strict  anthropic-strict  gemini    gemini-json  open-engines
    "$ref":                 (KEEP,          KEEP,             REWRITE,  KEEP,        KEEP),
    "$defs":                (KEEP,          KEEP,             REWRITE,  KEEP,        KEEP),
    "type":                 (KEEP,          REWRITE,          REWRITE,  KEEP,        KEEP),
    "allOf":                (REWRITE,       REWRITE,          REWRITE,  REWRITE,     REWRITE),
    "anyOf":                (KEEP,          KEEP,             REWRITE,  KEEP,        KEEP),
    "oneOf":                (REWRITE,       REWRITE,          REWRITE,  REWRITE,     REWRITE),
    "not":                  (DESCRIBE,      DESCRIBE,         DESCRIBE, DESCRIBE,    DESCRIBE),
    "const":                (KEEP,          KEEP,             REWRITE,  REWRITE,     KEEP),
    "enum":                 (KEEP,          KEEP,             REWRITE,  KEEP,        KEEP),
    "description":          (KEEP,          KEEP,             KEEP,     KEEP,        KEEP),
    "title":                (DESCRIBE,      KEEP,             KEEP,     KEEP,        KEEP),
    "default":              (DESCRIBE,      DESCRIBE,         DESCRIBE, DESCRIBE,    KEEP),
    "examples":             (DESCRIBE,      DESCRIBE,         DESCRIBE, DESCRIBE,    KEEP),
    "discriminator":        (DROP,          DROP,             DROP,     DROP,        DROP),
    "$schema":              (DROP,          DROP,             DROP,     DROP,        DROP),
    "$comment":             (DROP,          DROP,             DROP,     DROP,        DROP),
    "nullable":             (DESCRIBE,      DESCRIBE,         KEEP,     DESCRIBE,    DESCRIBE),

    "properties":           (KEEP,          KEEP,             KEEP,     KEEP,        KEEP),
    "required":             (KEEP,          KEEP,             KEEP,     KEEP,        KEEP),
    "additionalProperties": (KEEP,          KEEP,             DROP,     KEEP,        KEEP),
    "patternProperties":    (REWRITE,       REWRITE,          REWRITE,  REWRITE,     REWRITE),
    "minProperties":        (DESCRIBE,      DESCRIBE,         KEEP,     DESCRIBE,    DESCRIBE),
    "maxProperties":        (DESCRIBE,      DESCRIBE,         KEEP,     DESCRIBE,    DESCRIBE),

    "items":                (KEEP,          KEEP,             KEEP,     KEEP,        KEEP),
    "prefixItems":          (REWRITE,       REWRITE,          REWRITE,  KEEP,        KEEP),
    "minItems":             (KEEP,          KEEP,             KEEP,     KEEP,        KEEP),
    "maxItems":             (KEEP,          DESCRIBE,         KEEP,     KEEP,        KEEP),
    "uniqueItems":          (DESCRIBE,      DESCRIBE,         DESCRIBE, DESCRIBE,    DESCRIBE),

    "minLength":            (DESCRIBE,      DESCRIBE,         KEEP,     DESCRIBE,    KEEP),
    "maxLength":            (DESCRIBE,      DESCRIBE,         KEEP,     DESCRIBE,    KEEP),
    "pattern":              (KEEP,          DESCRIBE,         KEEP,     DESCRIBE,    REWRITE),
    "format":               (KEEP,          KEEP,             KEEP,     KEEP,        KEEP),

    "minimum":              (KEEP,          DESCRIBE,         KEEP,     KEEP,        KEEP),
    "maximum":              (KEEP,          DESCRIBE,         KEEP,     KEEP,        KEEP),
    "exclusiveMinimum":     (KEEP,          DESCRIBE,         REWRITE,  REWRITE,     KEEP),
    "exclusiveMaximum":     (KEEP,          DESCRIBE,         REWRITE,  REWRITE,     KEEP),
    "multipleOf":           (KEEP,          DESCRIBE,         DESCRIBE, DESCRIBE,    DESCRIBE),
}
# fmt: on
"""The table. What is kept only for some values is in :data:`ujsx.schema.DIALECTS`, under ``only``."""


def column(place: int) -> dict[str, KeywordVerdict]:
    """Return one dialect's verdicts by keyword."""
    return {keyword: row[place] for keyword, row in VERDICTS.items()}


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

    verdicts: Mapping[str, KeywordVerdict] | None = None
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

    limits: ProviderLimits = field(default_factory=ProviderLimits)
    """How much it takes."""

    def verdict(self, keyword: str) -> KeywordVerdict:
        """Return what becomes of a keyword."""
        return (
            KeywordVerdict.KEEP
            if self.verdicts is None
            else self.verdicts.get(keyword, KeywordVerdict.DESCRIBE)
        )

    def takes(self, keyword: str, value: Any) -> bool:
        """Tell whether a keyword that is kept is kept with this value."""
        return keyword not in self.only or self.only[keyword](value)

    def says(self, keyword: str, value: Any) -> bool:
        """Tell whether a keyword is kept with this value."""
        return self.verdict(keyword) is KeywordVerdict.KEEP and self.takes(keyword, value)


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
    "anthropic-strict": "claude-strict",
    "open-engines": "vllm ollama llama llamacpp sglang outlines xgrammar local",
}
"""By dialect, the names of models, makers and engines whose tools take it."""


def dialect_of(name: str) -> Dialect:
    """Return the dialect of that name, or of a model, maker or engine that takes it.

    :raises SchemaError: if there is none; the message names the nearest.
    """
    if name in DIALECTS:
        return DIALECTS[name]
    said = str(name).lower().replace("_", "-")
    makers = {other: each for each, others in MAKERS.items() for other in others.split()}
    meant = makers.get(said) or makers.get(said.partition("-")[0], said)  # "gpt-4o" is a "gpt"
    if meant not in DIALECTS:
        raise SchemaError(f'"{name}" is not a dialect; {did_you_mean(meant, DIALECTS)}')
    return DIALECTS[meant]


# The loss of a keyword on its way into a dialect, and its reason.

Outcome: TypeAlias = Literal["kept", "described", "dropped", "refused", "missing", "unsaid"]
"""What became of a keyword.

``kept``: said in other words, which mean the same. ``described``: in the description, where the model
reads it and nothing enforces it. ``dropped``: gone, for the reason given, or what it allowed is. ``refused``: the dialect
cannot take the schema. ``missing``: it was never there, and should be. ``unsaid``: the model demands
it, and no JSON Schema of the model says so, in any dialect.
"""


@dataclass(frozen=True, slots=True)
class Loss:
    """One keyword of a schema that a dialect does not take as it stands.

    ``pointer`` is the place in the schema as it was given, or behind a reference there (a JSON pointer,
    RFC 6901; empty for the root), ``keyword`` and ``value`` what stands there, ``outcome`` what became
    of it, ``reason`` why. A keyword that is not there means something too: an object without
    ``additionalProperties`` has the value ``True``, a property that may be left out is ``required``
    with the value ``False``, a place without a ``type`` has ``None``.

    >>> print(Loss("/properties/name", "minLength", 1, "described", "gemini has no minLength"))
    /properties/name: minLength 1 described: gemini has no minLength
    """

    pointer: str
    keyword: str
    value: Any
    outcome: Outcome
    reason: str

    def __str__(self) -> str:
        value = "" if self.outcome == "missing" else f" {shown(self.value)}"
        return f"{self.pointer or '(root)'}: {self.keyword}{value} {self.outcome}: {self.reason}"


def from_the_top(losses: Iterable[Loss], root: Schema) -> tuple[Loss, ...]:
    """Return losses in the order of their places in the schema ``root``, definitions last."""
    last = {key: root[key] for key in sorted(root, key="$defs".__eq__)}
    places = {pointer: place for place, (pointer, _) in enumerate(everywhere(last))}
    return tuple(sorted(losses, key=lambda loss: places.get(loss.pointer, len(places))))


REASONS: dict[str, str] = {
    "additionalProperties": "{dialect} has no open dictionaries, and these values are of just any type; say which types they may have",
    "patternProperties": "{dialect} has no dictionaries whose names have several patterns; make it one with one pattern",
    "$ref": "{dialect} has no recursion, and no value of this ends within its depth; give a property on the way a default",
    "$comment": "it is for readers of the schema",
    "$schema": "every dialect has one draft",
    "allOf": "{dialect} has no allOf, and these cannot be said as one schema",
    "discriminator": "the constants in the branches say which applies",
    "properties": "{dialect} takes no object without properties inside another",
    "root": "the parameters of a tool are one object; put the union, or the value, in a property of one",
    "type": "{dialect} takes no value of just any type; say which types it may have",
}
"""Reasons by keyword, where there is more to say than that the dialect has no such keyword."""


def reason(dialect: Dialect, keyword: str) -> str:
    """Return why ``dialect`` does not take ``keyword``."""
    known = REASONS.get(keyword)
    if known is not None:
        return known.replace("{dialect}", dialect.name)
    if keyword in dialect.only:
        return f"{dialect.name} does not take this value of {keyword}"
    return f"{dialect.name} does not enforce {keyword}"


def why_no_recursion(dialect: Dialect) -> str:
    """Return why ``dialect`` does not take a reference that leads back to where it stands."""
    if not dialect.recursion:
        return reason(dialect, "$ref")
    if not dialect.required_recursion:
        return (
            f"{dialect.name} has recursion only inside properties that may be left out; "
            "give one on the way a default"
        )
    return (
        f"{dialect.name} has recursion only by way of $defs; put the schema there, and nothing "
        "beside the reference"
    )


# Descriptions within a budget of tokens: which stay, which go, in an order that is always the same.
#
# A schema is paid for on every turn, and most of it are descriptions. What a dialect says in words because
# it cannot enforce it is not counted here, and stays: leaving it out would change what the schema means.


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


LARGE_ENUM = 250
"""Values of an enum above which OpenAI counts the characters of its texts."""


def check_request(schemas: Sequence[Schema], dialect: str) -> None:
    """Check that the tools of one request together are not too much for a provider.

    :param schemas: the parameters of all tools of the request, in the dialect; or their definitions.
    :raises SchemaError: for an unknown dialect, what is no schema, or the first limit that is
        exceeded.

    >>> check_request([{"type": "object", "properties": {}}] * 21, "anthropic-strict")
    Traceback (most recent call last):
    ujsx.errors.SchemaError: anthropic-strict takes at most 20 tools in a request, not 21
    """
    limits = dialect_of(dialect).limits
    for place, each in enumerate(cast("Sequence[object]", schemas)):
        if not is_object(each):
            raise SchemaError(
                f"a schema is a dictionary, not {shown(each)}; write tool_schema(…, "
                f'dialect="{dialect}")',
                path=f"$[{place}]",
            )
    for _, size, limit in excesses([*map(parameters_in, schemas)], limits):
        raise SchemaError(f"{dialect} takes {limit}, not {size:,}")


def excesses(schemas: Sequence[Schema], limits: ProviderLimits) -> Iterator[tuple[str, int, str]]:
    """Yield what is too large: its name, how large it is, and what is allowed.

    >>> list(excesses([{}] * 21, ProviderLimits(tools=20)))
    [('tools', 21, 'at most 20 tools in a request')]
    """
    for name, what, count in (
        ("depth", "{} objects inside each other", _depth),
        ("properties", "{} properties", _properties),
        ("enum_values", "{} values in enums", _enum_values),
        (
            "enum_characters",
            f"{{}} characters in an enum of over {LARGE_ENUM} values",
            _enum_characters,
        ),
        ("name_characters", "{} characters of names and values", _name_characters),
        ("tools", "{} tools in a request", len),
        ("optional", "{} optional properties in a request", _optional),
        ("unions", "{} properties in a request that are unions", _unions),
    ):
        limit = getattr(limits, name)
        if limit is not None and (size := count(schemas)) > limit:
            yield name, size, f"at most {what.format(f'{limit:,}')}"


def _objects(schema: Any, depth: int = 1) -> Iterator[tuple[Schema, int]]:
    """Each object with properties and how deep it stands; references are not followed."""
    if not is_object(schema):
        return
    inner = [schema.get("items"), *schema.get("anyOf", ())]
    if "properties" in schema:
        yield schema, depth
        inner += schema["properties"].values()
        depth += 1
    for each in inner:
        yield from _objects(each, depth)


def _roots(schema: Schema) -> Iterator[Schema]:
    """The schema and its definitions: each is counted on its own."""
    yield schema
    yield from schema.get("$defs", {}).values()


def _depth(schemas: Sequence[Schema]) -> int:
    depths = (depth for schema in schemas for root in _roots(schema) for _, depth in _objects(root))
    return max(depths, default=0)


def _properties(schemas: Sequence[Schema]) -> int:
    roots = (root for schema in schemas for root in _roots(schema))
    return sum(len(each["properties"]) for root in roots for each, _ in _objects(root))


def _enum_values(schemas: Sequence[Schema]) -> int:
    return sum(len(each.get("enum", ())) for schema in schemas for _, each in everywhere(schema))


def _enum_characters(schemas: Sequence[Schema]) -> int:
    enums = (each.get("enum", ()) for schema in schemas for _, each in everywhere(schema))
    large = (values for values in enums if len(values) > LARGE_ENUM)
    return max((sum(len(str(each)) for each in values) for values in large), default=0)


def _name_characters(schemas: Sequence[Schema]) -> int:
    return sum(
        len(str(text))
        for schema in schemas
        for _, each in everywhere(schema)
        for text in (
            *each.get("properties", ()),
            *each.get("$defs", ()),
            *each.get("enum", ()),
            *([each["const"]] if "const" in each else ()),
        )
    )


def _optional(schemas: Sequence[Schema]) -> int:
    return sum(
        len(each["properties"].keys() - set(each.get("required", ())))
        for schema in schemas
        for each, _ in _objects(schema)
    )


def _unions(schemas: Sequence[Schema]) -> int:
    return sum(
        is_object(each) and ("anyOf" in each or is_list(each.get("type")))
        for schema in schemas
        for parent, _ in _objects(schema)
        for each in parent["properties"].values()
    )
