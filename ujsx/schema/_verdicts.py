"""The abilities of the dialects with a language of their own, keyword by keyword.

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


KEEP, REWRITE = Verdict.KEEP, Verdict.REWRITE
DESCRIBE, DROP = Verdict.DESCRIBE, Verdict.DROP

# fmt: off
VERDICTS: dict[str, tuple[Verdict, Verdict, Verdict, Verdict, Verdict]] = {
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


def column(place: int) -> dict[str, Verdict]:
    """Return one dialect's verdicts by keyword."""
    return {keyword: row[place] for keyword, row in VERDICTS.items()}
