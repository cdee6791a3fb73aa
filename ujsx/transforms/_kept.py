"""Results that one rendering leaves for the next: equal siblings keep what they became."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from ujsx._renewed import renewed
from ujsx.components._context import RenderContext, SameContexts
from ujsx.components._element import Element
from ujsx.components._hashable import kinds_in
from ujsx.components._reads import Reads
from ujsx.elements._for_each import item_of


class Kept:
    """The results of siblings, each with those of its children, for one turn.

    What the next rendering does not ask for is forgotten. What was made in another context is forgotten,
    too, as it may become something else in this one.

    >>> here = RenderContext()
    >>> first = Kept().within(here)
    >>> first.made([1, 2, 3], lambda new, inner: f"{new}.")
    ['1.', '2.', '3.']
    >>> Kept(first).within(here).made([1, 5, 3], lambda new, inner: f"{new}!")
    ['1.', '5!', '3.']
    >>> Kept(first).within(here.deeper()).made([1], lambda new, inner: f"{new}!")
    ['1!']
    """

    __slots__ = ("_are_same", "_before", "_by", "_context", "_given", "_made", "_reads")

    def __init__(self, before: Kept | None = None, are_same: SameContexts | None = None) -> None:
        self._are_same = are_same
        self._before = before if before is not None and before._made else None  # noqa: SLF001
        self._given: Sequence[Any] = ()
        self._made: Sequence[_Made] = ()
        self._by: object = None
        self._context: RenderContext | None = None
        self._reads: Reads | None = None

    def within(self, context: RenderContext, reads: Reads | None = None) -> Kept:
        """Return it for what stands in that context, and forget what was made in another.

        :param reads: what is read of the context from now on; what was read for what is kept is noted there, too.
        """
        before = self._before
        are_same, self._are_same = self._are_same or SameContexts(), None
        if before is not None:
            known, read = before._context, before._reads  # noqa: SLF001
            if known is None or not are_same.as_read(known, context, read):
                self._before = None
            elif reads is not None and read is not None:
                reads.again(read)
        self._context, self._reads = context, reads
        return self

    def made(
        self,
        given: Sequence[Any],
        make: Callable[[Any, Kept | None], Any],
        of: Callable[[Any], Any] | None = None,
        depth: int = 0,
    ) -> list[Any]:
        """Return what siblings become; those that were there before are not made again.

        :param make: makes one, with what is kept of its children.
        :param of: makes the node of what is given, where that is none itself.
        :param depth: how many sections are around them.
        """
        before, self._before = self._before, None
        if before is not None and before._by != (of, depth):  # noqa: SLF001
            before = None
        known: Sequence[Any] = []
        results: Sequence[_Made] = []
        if before is not None:
            known, results = before._given, before._made  # noqa: SLF001
        # Where only one stands there and stood there, what is in it tells how far it is the same.
        is_one = of is None and len(given) == 1 == len(known) and type(given[0]) is Element
        # Rows of a template are texts; others may be equal and show something else.
        are_values = of is not None and of is not item_of

        def anew(new: Any, old: _Made | None) -> _Made:
            if of is not None:
                new = of(new[0] if are_values else new)
            kind = kind_of(new)
            inner = None
            if kind is not str:
                inner = Kept(old[2] if old is not None and old[1] is kind else None)
            return make(new, inner), kind, inner

        if is_one:
            results = [anew(given[0], results[0])]
        else:
            if are_values:
                given = [*zip(given, map(kinds_in, given), strict=True)]
            results = renewed(known, results, given, anew)
        self._given, self._made, self._by = given, results, (of, depth)
        return [result for result, _, _ in results]


def kind_of(node: Any) -> type[Any]:
    """Return the class that a node's rule is for: an element's is its component's."""
    one: Any = node.component if type(node) is Element else node
    kind: type[Any] = one.__class__
    return kind


_Made: TypeAlias = tuple[Any, type[Any], Kept | None]
"""A node's result, its class, and the results of its children."""
