"""Why a dialect does not take a keyword, in words."""

from __future__ import annotations

from ujsx.schema._dialects import Dialect

REASONS: dict[str, str] = {
    "additionalProperties": "{dialect} has no open dictionaries; make it a list of entries, each with a key and a value",
    "patternProperties": "{dialect} has no open dictionaries; make it a list of entries, each with a key and a value",
    "$ref": "{dialect} has no recursion; export it to another dialect, or bound its depth",
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
