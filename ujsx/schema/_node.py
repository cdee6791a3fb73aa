"""One place of a schema on its way into a dialect, and what its description says in words.

What a dialect cannot enforce, a model can still read.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ujsx.schema._keywords import Schema

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


@dataclass(slots=True)
class Node:
    """The keywords at a place that are still to be said, and those that have been."""

    pointer: str
    """Where it is in the schema that was given: a JSON pointer."""

    rest: Schema
    """The keywords that are still to be said."""

    said: Schema = field(default_factory=dict[str, Any])
    """The keywords of the dialect."""

    notes: list[str] = field(default_factory=list[str])
    """What the description says in place of keywords."""

    def take_over(self, other: Node) -> None:
        """Say here what was said there."""
        self.said.update(other.said)
        self.notes.extend(other.notes)

    def finished(self) -> Schema:
        """Return what was said, with the notes in its description."""
        text = described(self.said.pop("description", ""), self.notes)
        if "$ref" in self.said and (len(self.said) > 1 or text):  # a reference stands alone
            self.said["anyOf"] = [{"$ref": self.said.pop("$ref")}]
        if text:
            self.said["description"] = text
        return {key: self.said[key] for key in sorted(self.said)}
