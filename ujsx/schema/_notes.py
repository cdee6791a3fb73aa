"""Keywords in words, for descriptions: what a dialect cannot enforce, a model can still read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

PHRASES: dict[str, str] = {
    "const": "always {}",
    "default": "default {}",
    "enum": "one of {}",
    "examples": "such as {}",
    "exclusiveMaximum": "less than {}",
    "exclusiveMinimum": "more than {}",
    "maxItems": "items at most {}",
    "maxLength": "length at most {}",
    "maxProperties": "entries at most {}",
    "maximum": "at most {}",
    "minItems": "items at least {}",
    "minLength": "length at least {}",
    "minProperties": "entries at least {}",
    "minimum": "at least {}",
    "multipleOf": "a multiple of {}",
}
"""How a description says a keyword; ``{}`` is its value."""

BARE = frozenset({"format", "pattern", "title"})
"""Keywords whose value, a text, is shown without quotes."""

MEANINGS: dict[tuple[str, object], str] = {
    ("pattern", r"\S"): "not blank",
    ("uniqueItems", True): "no item twice",
    ("deprecated", True): "deprecated",
}
"""What a keyword means with one value in particular."""


def phrase(keyword: str, value: Any) -> str:
    """Return a keyword in words.

    >>> phrase("minLength", 3), phrase("format", "ipv4"), phrase("enum", [1, "x"])
    ('length at least 3', 'format ipv4', 'one of 1, "x"')
    """
    if isinstance(value, str | bool) and (keyword, value) in MEANINGS:
        return MEANINGS[keyword, value]
    if isinstance(value, list) and keyword in {"enum", "examples"}:
        shown = ", ".join(map(_json, value))  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]
    else:
        shown = value if isinstance(value, str) and keyword in BARE else _json(value)
    return PHRASES.get(keyword, f"{keyword} {{}}").replace("{}", shown, 1)


def described(text: str, notes: Sequence[str]) -> str:
    """Return a description with notes behind it.

    >>> described("How many.", ["at least 1", "default 5"])
    'How many. (at least 1; default 5)'
    """
    joined = "; ".join(notes)
    return f"{text} ({joined})" if text and joined else text or joined


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
