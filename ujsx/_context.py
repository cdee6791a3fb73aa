"""What a component knows when it renders: one explicit, typed, immutable argument."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, TypeVar

from ujsx._density import Density, DensityLike
from ujsx.tokens import TokenCounter, estimate_tokens

T = TypeVar("T")

_NOTHING: Mapping[Any, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class RenderContext:
    """The context of a rendering. Nothing in it is global, and nothing changes it in place.

    >>> ctx = RenderContext(density=Density.COMPACT).having(3)
    >>> ctx.get(int), ctx.get(str)
    (3, None)
    """

    density: Density = Density.FULL
    """How much to show."""

    limit: int | None = None
    """How many items to show; ``None`` for all."""

    depth: int = 0
    """How many sections stand around this place."""

    count_tokens: TokenCounter = estimate_tokens
    """How tokens are counted."""

    texts: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    """Fixed texts by name, where they differ from a component's own: another language, no emoji."""

    _values: Mapping[type[Any], Any] = field(default_factory=lambda: _NOTHING, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "density", Density.of(self.density))

    def get(self, kind: type[T]) -> T | None:
        """Return the value of that class that an ancestor or the caller gave, or ``None``."""
        value: T | None = self._values.get(kind)
        return value

    def having(self, value: object) -> RenderContext:
        """Return a context in which ``get(type(value))`` is ``value``."""
        return replace(self, _values=MappingProxyType({**self._values, type(value): value}))

    def at(self, density: DensityLike, limit: int | None = None) -> RenderContext:
        """Return a context of that density and item limit."""
        return RenderContext(
            Density.of(density), limit, self.depth, self.count_tokens, self.texts, self._values
        )

    def deeper(self) -> RenderContext:
        """Return the context of a section's children."""
        return replace(self, depth=self.depth + 1)
