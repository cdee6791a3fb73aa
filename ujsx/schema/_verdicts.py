"""What the dialects with a language of their own can say, keyword by keyword.

The other dialects (json-schema, openai, anthropic, mcp) take every keyword of draft 2020-12. A keyword
that is not in the table, such as one of an extension, is described.

Sources: OpenAI, "Structured outputs: supported schemas"; Anthropic, "Structured outputs: JSON Schema
limitations", and ``transform_schema`` of its SDK 2.12; ``Schema`` of google-genai 3.4 (OpenAPI 3.0's
subset). Where an SDK is stricter than its provider, the SDK counts, so that it has nothing to change.
"""

from __future__ import annotations

from enum import Enum, auto


class Verdict(Enum):
    """What a dialect does with a keyword."""

    KEEP = auto()
    """It takes it as it stands."""

    REWRITE = auto()
    """It says it in other words."""

    DESCRIBE = auto()
    """It cannot enforce it: the description says it."""

    DROP = auto()
    """It has no use for it, and nothing is lost."""

    REFUSE = auto()
    """It cannot take a schema that has it."""


KEEP, REWRITE = Verdict.KEEP, Verdict.REWRITE
DESCRIBE, DROP, REFUSE = Verdict.DESCRIBE, Verdict.DROP, Verdict.REFUSE

# fmt: off
VERDICTS: dict[str, tuple[Verdict, Verdict, Verdict]] = {
    #                         openai-strict  anthropic-strict  gemini
    "$ref":                  (KEEP,          KEEP,             REWRITE),
    "$defs":                 (KEEP,          KEEP,             REWRITE),
    "type":                  (KEEP,          REWRITE,          REWRITE),
    "allOf":                 (REWRITE,       REWRITE,          REWRITE),
    "anyOf":                 (KEEP,          KEEP,             REWRITE),
    "oneOf":                 (REWRITE,       REWRITE,          REWRITE),
    "not":                   (DESCRIBE,      DESCRIBE,         DESCRIBE),
    "const":                 (KEEP,          KEEP,             REWRITE),
    "enum":                  (KEEP,          KEEP,             REWRITE),
    "description":           (KEEP,          KEEP,             KEEP),
    "title":                 (DESCRIBE,      KEEP,             KEEP),
    "default":               (DESCRIBE,      DESCRIBE,         DESCRIBE),
    "examples":              (DESCRIBE,      DESCRIBE,         DESCRIBE),
    "discriminator":         (DROP,          DROP,             DROP),
    "$schema":               (DROP,          DROP,             DROP),
    "$comment":              (DROP,          DROP,             DROP),
    "nullable":              (DESCRIBE,      DESCRIBE,         KEEP),

    "properties":            (KEEP,          KEEP,             KEEP),
    "required":              (KEEP,          KEEP,             KEEP),
    "additionalProperties":  (KEEP,          KEEP,             DROP),
    "patternProperties":     (REFUSE,        REFUSE,           REFUSE),
    "minProperties":         (DESCRIBE,      DESCRIBE,         KEEP),
    "maxProperties":         (DESCRIBE,      DESCRIBE,         KEEP),

    "items":                 (KEEP,          KEEP,             KEEP),
    "prefixItems":           (REWRITE,       REWRITE,          REWRITE),
    "minItems":              (KEEP,          KEEP,             KEEP),
    "maxItems":              (KEEP,          DESCRIBE,         KEEP),
    "uniqueItems":           (DESCRIBE,      DESCRIBE,         DESCRIBE),

    "minLength":             (DESCRIBE,      DESCRIBE,         KEEP),
    "maxLength":             (DESCRIBE,      DESCRIBE,         KEEP),
    "pattern":               (KEEP,          DESCRIBE,         KEEP),
    "format":                (KEEP,          KEEP,             KEEP),

    "minimum":               (KEEP,          DESCRIBE,         KEEP),
    "maximum":               (KEEP,          DESCRIBE,         KEEP),
    "exclusiveMinimum":      (KEEP,          DESCRIBE,         REWRITE),
    "exclusiveMaximum":      (KEEP,          DESCRIBE,         REWRITE),
    "multipleOf":            (KEEP,          DESCRIBE,         DESCRIBE),
}
# fmt: on
"""The table. What is kept only for some values is in :data:`ujsx.schema.DIALECTS`, under ``only``."""


def column(place: int) -> dict[str, Verdict]:
    """Return one dialect's verdicts by keyword."""
    return {keyword: row[place] for keyword, row in VERDICTS.items()}
