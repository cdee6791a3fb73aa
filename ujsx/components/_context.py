"""What a component knows when it renders: one explicit, typed, immutable argument."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeVar

import msgspec
from msgspec.structs import force_setattr, replace

from ujsx._density import WIDTHS, Density, DensityLike, Rung
from ujsx.components._hashable import are_same
from ujsx.tokens import TokenCounter, estimate_tokens

T = TypeVar("T")

_NOTHING: Mapping[Any, Any] = MappingProxyType({})


class RenderContext(msgspec.Struct, frozen=True):
    """The context of a rendering. Nothing in it is global, and nothing changes it in place.

    >>> ctx = RenderContext(density=Density.COMPACT).with_value(3)
    >>> ctx.get(int), ctx.get(str)
    (3, None)
    """

    density: Density = Density.FULL
    """How much to show."""

    limit: int | None = None
    """How many items to show; ``None`` for all."""

    rung: Rung | None = None
    """The rung that a budget chose for what is rendered next; ``None`` where the density picks."""

    depth: int = 0
    """How many sections stand around this place."""

    count_tokens: TokenCounter = estimate_tokens
    """How tokens are counted."""

    texts: Mapping[str, str] = _NOTHING
    """Fixed texts by name, where they differ from a component's own: another language, no emoji."""

    values: Mapping[type[Any], Any] = _NOTHING
    """What ``with_value`` was given, by class."""

    inside: Density | None = None
    """The density of the next components with a ladder, where that is not ``density``: they stand
    inside of one that shows more of itself than of them."""

    trusts_text: bool = False
    """Whether texts keep what they hide: invisible characters, and models' special tokens. Else
    these are shown in forms that are seen, and read back as what they were."""

    text_width: int | None = None
    """How many characters of an item's text to show, where that is not for the density to say."""

    def __post_init__(self) -> None:
        if type(self.density) is not Density:
            force_setattr(self, "density", Density.of(self.density))

    def get(self, kind: type[T]) -> T | None:
        """Return the value of that class that an ancestor or the caller gave, or ``None``.

        A value of a subclass is one of that class. Of several the one that is derived least is
        returned, and of those of equal distance the first by the names of their classes.

        >>> class Usual: ...
        >>> class Own(Usual): ...
        >>> type(RenderContext().with_value(Own()).get(Usual)).__name__
        'Own'
        """
        value: T | None = self.values.get(kind)
        if value is not None or not self.values:
            return value
        fitting = [each for each in self.values if kind in each.__mro__]
        if not fitting:
            return None
        found: T = self.values[min(fitting, key=lambda each: _distance(each, kind))]
        return found

    @property
    def width(self) -> int | None:
        """How many characters of an item's text to show; ``None`` for all."""
        return WIDTHS[self.density] if self.text_width is None else self.text_width

    def with_value(self, value: object) -> RenderContext:
        """Return a context in which ``get(type(value))`` is ``value``.

        So is ``get`` of each class that it is derived from: what is bound nearer stands before
        what is bound around it.
        """
        kind = type(value)
        values = {each: held for each, held in self.values.items() if each not in kind.__mro__}
        return replace(self, values=MappingProxyType({**values, kind: value}))

    def with_density(self, density: DensityLike, limit: int | None = None) -> RenderContext:
        """Return a context of that density and item limit."""
        density = Density.of(density)
        return replace(self, density=density, limit=limit, rung=None, inside=None, text_width=None)

    def on_rung(self, rung: Rung) -> RenderContext:
        """Return the context of a component that stands on that rung."""
        return replace(
            self,
            density=rung.density,
            limit=rung.limit,
            rung=None,
            inside=rung.inside,
            text_width=self.text_width if rung.width is None else rung.width,
        )

    def with_rung(self, rung: Rung) -> RenderContext:
        """Return a context in which the next component with a ladder stands on that rung."""
        return replace(self, rung=rung)

    def deeper(self) -> RenderContext:
        """Return the context of a section's children."""
        return replace(self, depth=self.depth + 1)


def _distance(kind: type[Any], base: type[Any]) -> tuple[int, str, str]:
    """How far a class is derived from a base of it; its name, where two are as far."""
    return kind.__mro__.index(base), kind.__module__, kind.__qualname__


class SameContexts:
    """Tells whether in two contexts the same becomes the same: their values are not only equal.

    It looks once at each pair of contexts, and of values, which many contexts share. It is for one
    rendering, while all of them live.

    >>> one, other = RenderContext().with_value((1,)), RenderContext().with_value((True,))
    >>> SameContexts()(one, RenderContext().with_value((1,))), SameContexts()(one, other)
    (True, False)
    """

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], bool] = {}

    def __call__(self, left: RenderContext, right: RenderContext) -> bool:
        if left is right:
            return True
        pair = id(left), id(right)
        known = self._known.get(pair)
        if known is None:
            known = self._known[pair] = self._compared(left, right)
        return known

    def _compared(self, left: RenderContext, right: RenderContext) -> bool:
        ours, theirs = left.values, right.values
        if ours is theirs:  # as a rule; the very same values are the same
            return left == right
        return (
            ours.keys() == theirs.keys()
            and all(self._are_same(value, theirs[kind]) for kind, value in ours.items())
            and replace(left, values=_NOTHING) == replace(right, values=_NOTHING)
        )

    def _are_same(self, left: object, right: object) -> bool:
        if left is right:
            return True
        pair = id(left), id(right)
        known = self._known.get(pair)
        if known is None:
            known = self._known[pair] = are_same(left, right)
        return known
