"""The context of a rendering component: one explicit, typed, immutable argument."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar

import msgspec
from msgspec.structs import force_setattr, replace

from ujsx._density import WIDTHS, Density, DensityLike, Rung, longest_text
from ujsx.components._hashable import are_same
from ujsx.components._reads import (
    ReadInParts,
    Reads,
    inner_values,
    outer_values,
    with_bound,
)
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

    longest_text: int | None = None
    """How many characters any text may have at most: a longer one cannot fit the budget, so it is cut
    before it is rendered. ``None`` without a budget."""

    detailed: int | None = None
    """How many items to show at ``density``, those that this would be the limit of, and the others as
    :meth:`in_short` says; ``None`` for all."""

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
        """The number of characters of an item's text to show; ``None`` for all."""
        width = WIDTHS[self.density] if self.text_width is None else self.text_width
        return self.longest_text if width is None else width

    @property
    def shows_whole_texts(self) -> bool:
        """True if an item's text is shown in full, as far as any budget could show it."""
        return self.width == self.longest_text

    def with_value(self, value: object) -> RenderContext:
        """Return a context in which ``get(type(value))`` is ``value``.

        So is ``get`` of each class that it is derived from: what is bound nearer stands before
        what is bound around it.
        """
        return replace(self, values=with_bound(self.values, type(value), value))

    def with_density(self, density: DensityLike, limit: int | None = None) -> RenderContext:
        """Return a context of that density and item limit."""
        density = Density.of(density)
        return replace(
            self,
            density=density,
            limit=limit,
            rung=None,
            inside=None,
            text_width=None,
            detailed=None,
        )

    def within_budget(self, tokens: int | None) -> RenderContext:
        """Return a context in which no text is longer than a budget of so many tokens could show.

        >>> RenderContext().within_budget(500).longest_text
        4096
        """
        if tokens is None:
            return self
        longest = longest_text(tokens)
        if self.longest_text is not None and self.longest_text <= longest:
            return self
        return replace(self, longest_text=longest)

    def in_full(self) -> RenderContext:
        """Return this context at full density, with twice the width for texts.

        >>> RenderContext(density="minimal").width, RenderContext(density="minimal").in_full().width
        (80, 160)
        """
        width = None if self.width is None else 2 * self.width
        return replace(self.with_density(Density.FULL), text_width=width)

    def in_short(self) -> RenderContext:
        """Return the context of items that are not shown in detail: that of the next lower density.

        >>> RenderContext(limit=5, detailed=2).in_short().density
        <Density.COMPACT: 'compact'>
        """
        lower = [*Density][max(self.density.rank - 1, 0)]
        return replace(self, density=lower, rung=None, detailed=None)

    def on_rung(self, rung: Rung) -> RenderContext:
        """Return the context of a component that stands on that rung."""
        return replace(
            self,
            density=rung.density,
            limit=rung.limit,
            rung=None,
            inside=rung.inside,
            text_width=self.text_width if rung.width is None else rung.width,
            detailed=rung.detailed,
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

    __slots__ = ("_known", "_values")

    def __init__(self) -> None:
        self._known: _Compared = {}
        self._values: _Compared = {}

    def __call__(self, left: RenderContext, right: RenderContext) -> bool:
        return self.compare(left, right) == SAME

    def compare(self, left: RenderContext, right: RenderContext) -> int:
        """Return whether contexts differ, are alike but for what their values are, or are the same."""
        if left is right:
            return SAME
        pair = id(left), id(right)
        known = self._known.get(pair)
        if known is None:  # both are kept, so that their ids stay their own
            known = self._known[pair] = left, right, self._compared(left, right)
        return known[2]

    def as_read(self, left: RenderContext, right: RenderContext, reads: Reads | None) -> bool:
        """Tell whether what was made in one context becomes the same in the other.

        :param reads: what it read of the values; others may differ. None where that was not noted, so that all have to be the same.
        """
        found = self.compare(left, right)
        return found == SAME or (
            found == ALIKE and reads is not None and self.read_alike(right, reads)
        )

    def read_alike(self, context: RenderContext, reads: Reads | None) -> bool:
        """Tell whether all that was read is the same in a context that is alike."""
        return reads is None or reads.are_same(context, self._are_same)

    def _compared(self, left: RenderContext, right: RenderContext) -> int:
        if _beside_values(left) != _beside_values(right):
            return DIFFERENT
        if left.values is right.values:  # as a rule; the very same values are the same
            return SAME
        ours, theirs = outer_values(left), outer_values(right)
        own, other = inner_values(left), inner_values(right)
        if ours.keys() != theirs.keys() or own.keys() != other.keys():
            return DIFFERENT
        if not all(self._are_same(value, other[kind]) for kind, value in own.items()):
            return DIFFERENT
        are_same = all(self._are_same_whole(value, theirs[kind]) for kind, value in ours.items())
        return SAME if are_same else ALIKE

    def _are_same_whole(self, left: object, right: object) -> bool:
        # what is read in parts is compared in parts; all of a state is long
        return left is right or (not isinstance(left, ReadInParts) and self._are_same(left, right))

    def _are_same(self, left: object, right: object) -> bool:
        if left is right:
            return True
        pair = id(left), id(right)
        known = self._values.get(pair)
        if known is None:
            known = self._values[pair] = left, right, are_same(left, right)
        return bool(known[2])


DIFFERENT, ALIKE, SAME = range(3)
"""How contexts compare: alike are those that differ in no more than what their values are."""

_Compared: TypeAlias = dict[tuple[int, int], tuple[object, object, int]]
"""What was compared, by the ``id`` of both, which are kept so that these stay their own."""

_beside_values = attrgetter(*(name for name in RenderContext.__struct_fields__ if name != "values"))
"""All of a context but its values."""
