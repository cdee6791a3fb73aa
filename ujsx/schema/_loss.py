"""The loss of a keyword on its way into a dialect, and its reason."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from ujsx.errors import shown
from ujsx.schema._dialects import Dialect
from ujsx.schema._keywords import Schema, everywhere

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
