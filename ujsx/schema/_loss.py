"""What becomes of a keyword on its way into a dialect."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from ujsx.errors import shown
from ujsx.schema._keywords import Schema, everywhere

Outcome: TypeAlias = Literal["kept", "described", "dropped", "refused", "missing", "unsaid"]
"""What became of a keyword.

``kept``: said in other words, which mean the same. ``described``: in the description, where the model
reads it and nothing enforces it. ``dropped``: gone, for the reason given. ``refused``: the dialect
cannot take the schema. ``missing``: it was never there, and should be. ``unsaid``: the model demands
it, and no JSON Schema of the model says so, in any dialect.
"""


@dataclass(frozen=True, slots=True)
class Loss:
    """One keyword of a schema that a dialect does not take as it stands.

    ``pointer`` is the place in the schema as it was given (a JSON pointer, RFC 6901; empty for the
    root), ``keyword`` and ``value`` what stands there, ``outcome`` what became of it, ``reason`` why.

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
