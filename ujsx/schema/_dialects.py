"""The dialects of providers: their supported keywords, losses, size limits, and budgets of descriptions."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
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
    """The limits of a dialect; ``None`` means no limit.

    The first six apply to one schema, the others to all tools of a request together. Properties and levels are counted
    as providers do: the targets of ``$ref`` are not counted.
    """

    depth: int | None = None
    """The maximum nesting of objects."""

    properties: int | None = None
    """Properties of all objects."""

    enum_values: int | None = None
    """Values of all enums."""

    enum_characters: int | None = None
    """Characters of the texts in one enum, if it has more than 250 values."""

    name_characters: int | None = None
    """Characters of all names of properties and definitions, and of all values of enums."""

    parts: int | None = None
    """Schemas inside the schema; our own limit, for schemas that grow when references are expanded."""

    tools: int | None = None
    """Tools in a request."""

    optional: int | None = None
    """Optional properties."""

    unions: int | None = None
    """Properties that are unions."""


@dataclass(frozen=True, slots=True)
class ProviderLimit:
    """One figure of one provider."""

    dialect: str
    """The dialect."""

    name: str
    """The field of :class:`ProviderLimits`."""

    value: int
    """The maximum."""

    source: str
    """Its source."""

    looked_up: str = field(default="2026-11")
    """The month of the look-up, in ISO 8601."""


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
"""The limits of all dialects; others have no known limits."""


def limits_of(dialect: str) -> ProviderLimits:
    """Return the limits of a dialect.

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
    """The treatment of a keyword by a dialect."""

    KEEP = auto()
    """The keyword is kept unchanged."""

    REWRITE = auto()
    """The keyword is expressed by others."""

    DESCRIBE = auto()
    """The keyword cannot be enforced and moves to the description."""

    DROP = auto()
    """The keyword is dropped without a loss."""


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
"""The table. Keywords that are kept only for some values are in :data:`ujsx.schema.DIALECTS`, under ``only``."""


def column(place: int) -> dict[str, KeywordVerdict]:
    """Return one dialect's verdicts by keyword."""
    return {keyword: row[place] for keyword, row in VERDICTS.items()}


Define: TypeAlias = Callable[[str, str, Schema], dict[str, Any]]
"""From a tool's name, description and parameters to its definition."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """A provider's form of a tool."""

    name: str

    define: Define
    """Creates the definition."""

    tool_names: re.Pattern[str]
    """The pattern of tool names."""

    property_names: re.Pattern[str] | None = None
    """The pattern of property names; ``None`` for any name."""

    verdicts: Mapping[str, KeywordVerdict] | None = None
    """The treatment of each keyword; ``None`` if all are kept."""

    only: Mapping[str, Callable[[Any], bool]] = field(default_factory=dict[str, Any])
    """The values of keywords that are kept for some values only; others move to the description."""

    object_root: bool = True
    """True if the root must be an object, and not a union."""

    root_unions: bool = False
    """True if the root may also be a union of objects."""

    all_required: bool = False
    """True if every property is required, so that null means omitted."""

    nullable: bool = False
    """True if null is allowed by ``nullable: true`` instead of a type."""

    unions_alone: bool = False
    """True if a union has no other keywords beside it, so that its branches repeat them."""

    empty_objects: bool = True
    """True if an object may have no properties."""

    recursion: bool = True
    """True if a schema may refer to itself."""

    required_recursion: bool = True
    """True if it may do so through required properties."""

    open_objects: bool = False
    """True if an object without declared members may have any: a dictionary."""

    any_values: bool = False
    """True if a place may allow values of all types."""

    number_bounds: bool = True
    """True if all numbers may have bounds, and not only integers."""

    required_children: bool = False
    """True if nodes of a tree must have all members, even if empty."""

    limits: ProviderLimits = field(default_factory=ProviderLimits)
    """Its limits."""

    def verdict(self, keyword: str) -> KeywordVerdict:
        """Return the treatment of a keyword."""
        return (
            KeywordVerdict.KEEP
            if self.verdicts is None
            else self.verdicts.get(keyword, KeywordVerdict.DESCRIBE)
        )

    def takes(self, keyword: str, value: Any) -> bool:
        """Tell whether a kept keyword is kept with this value."""
        return keyword not in self.only or self.only[keyword](value)

    def says(self, keyword: str, value: Any) -> bool:
        """Tell whether a keyword is kept with this value."""
        return self.verdict(keyword) is KeywordVerdict.KEEP and self.takes(keyword, value)


def _plain(parameters: str, **more: Any) -> Define:
    """Return a flat definition; ``parameters`` is the provider's name of the parameters' schema."""
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


def _gemini(parameters: str) -> Define:
    """Return a function declaration; without parameters if there are none, as the API requires."""
    return lambda name, description, schema: {
        "name": name,
        "description": description,
        **({parameters: schema} if schema.get("properties") else {}),
    }


PARAMETERS = ("parameters", "input_schema", "inputSchema", "parametersJsonSchema")
"""The members of tool definitions with the parameters: one for each function above."""


def parameters_in(given: Schema) -> Schema:
    """Return the parameters in a tool definition of any provider; anything else unchanged.

    No schema has a text under ``name`` at its root, as it is not a keyword.

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
    is_without = inner.keys() <= {"type", "name", "description", "strict"}
    if found is None and is_without and inner.get("type") in (None, "function"):
        return {"type": "object", "properties": {}}
    return given if found is None else found


def _one_of(*values: str) -> Callable[[Any], bool]:
    return frozenset(values).__contains__


def _is_exchanged(bound: Any) -> bool:
    """Tell whether all JSON readers read the same integer (RFC 8259, section 6)."""
    return isinstance(bound, int | float) and abs(bound) < 2**53


def _may_be_listed(value: Any) -> bool:
    """Tell whether engines compile a value of an enum: llguidance 1.9.1 crashes at -2⁶³."""
    return not isinstance(value, int) or _is_exchanged(value)


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float)


def _is_text_or_number(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


_LOOKAROUND = re.compile(r"(?<!\\)(?:\\\\)*\(\?<?[=!]")

DIALECTS: dict[str, Dialect] = {
    dialect.name: replace(dialect, limits=limits_of(dialect.name))
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
        ),
        Dialect(
            "gemini",
            _gemini("parameters"),
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
        ),
        Dialect(
            "gemini-json",
            _gemini("parametersJsonSchema"),  # JSON Schema instead of OpenAPI's
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
    "openai": "gpt chatgpt azure chat chatcompletions openrouter",
    "gemini": "google vertex vertexai genai",
    "openai-strict": "strict gpt-strict",
    "anthropic-strict": "claude-strict",
    "open-engines": "vllm ollama llama llamacpp sglang outlines xgrammar local",
}
"""The names of models, makers and engines with each dialect."""


def dialect_of(name: str) -> Dialect:
    """Return the dialect of that name, or of a model, maker or engine.

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


# The loss of a keyword in a conversion to a dialect, and its reason.

Outcome: TypeAlias = Literal["kept", "described", "dropped", "refused", "missing", "unsaid"]
"""The outcome for a keyword.

``kept``: said in other words, which mean the same. ``described``: in the description, where the model
reads it and nothing enforces it. ``dropped``: gone, for the reason given, or what it allowed is. ``refused``: the dialect
cannot take the schema. ``missing``: it was never there, and should be. ``unsaid``: the model demands
it, and no JSON Schema of the model says so, in any dialect.
"""


@dataclass(frozen=True, slots=True)
class Loss:
    """A keyword of a schema that a dialect does not support unchanged.

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
"""Reasons by keyword, other than that the dialect lacks the keyword."""


def reason(dialect: Dialect, keyword: str) -> str:
    """Return the reason that ``dialect`` does not support ``keyword``."""
    known = REASONS.get(keyword)
    if known is not None:
        return known.replace("{dialect}", dialect.name)
    if keyword in dialect.only:
        return f"{dialect.name} does not take this value of {keyword}"
    return f"{dialect.name} does not enforce {keyword}"


def why_no_recursion(dialect: Dialect) -> str:
    """Return the reason that ``dialect`` does not support a recursive reference."""
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


# Descriptions within a token budget, dropped in a fixed order.
#
# A schema costs tokens on every turn, mostly for descriptions. Constraints that a dialect can only describe are not
# counted, and stay: dropping them would change the schema's meaning.


class _Description(NamedTuple):
    pointer: str
    depth: int
    """The nesting of properties; a definition is one level below."""
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
    """Return a schema whose descriptions have at most ``budget`` tokens together, and the dropped ones.

    The deepest are dropped first; on a level, optional before required, and the last before the first. So the same
    schema and budget give the same bytes.

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
    """Check that the tools of one request together are within a provider's limits.

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
    """Yield the exceeded limits: name, actual value, and maximum.

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
    """Yield each object with properties, and its depth; references are not followed."""
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
    """Return the schema and its definitions, each counted separately."""
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
