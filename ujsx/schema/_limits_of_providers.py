"""The limits of each provider: a table, with the source of each figure and its date.

Providers raise and lower these without a version of anything to show for it. A row that no longer holds
is one line to change; ``dataclasses.replace`` makes a dialect of your own with other limits.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Limits:
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
    """The field of :class:`Limits`."""

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


def limits_of(dialect: str) -> Limits:
    """Return what a dialect takes at most.

    >>> limits_of("anthropic-strict").tools, limits_of("mcp") == Limits()
    (20, True)
    """
    return Limits(**{each.name: each.value for each in PROVIDER_LIMITS if each.dialect == dialect})
