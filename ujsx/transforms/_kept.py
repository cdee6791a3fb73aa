"""What one rendering leaves for the next: of a run of siblings, those that are equal stay what they became."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ujsx._renewed import Make, renewed
from ujsx.components._context import RenderContext, SameContexts
from ujsx.components._reads import Reads


class Kept:
    """Runs of results, for one turn: what the next rendering does not ask for is forgotten.

    A run is what becomes of siblings of one kind; the n-th of a kind is taken for what was the n-th. What
    was made in another context is forgotten, as it may become something else in this one.

    >>> here = RenderContext()
    >>> first = Kept().within(here)
    >>> first.made("number", [1, 2, 3], lambda new: [f"{each}." for each in new])
    ['1.', '2.', '3.']
    >>> Kept(first).within(here).made("number", [1, 5, 3], lambda new: [f"{each}!" for each in new])
    ['1.', '5!', '3.']
    >>> Kept(first).within(here.deeper()).made("number", [1], lambda new: [f"{each}!" for each in new])
    ['1!']
    """

    __slots__ = (
        "_are_same",
        "_before",
        "_context",
        "_context_before",
        "_deeper",
        "_deeper_before",
        "_now",
        "_reads",
        "_reads_before",
    )

    def __init__(self, before: Kept | None = None, are_same: SameContexts | None = None) -> None:
        self._are_same = are_same
        self._now: dict[Any, list[tuple[Sequence[Any], Sequence[Any]]]] = {}
        self._deeper: Kept | None = None
        self._before: dict[Any, list[tuple[Sequence[Any], Sequence[Any]]]] = {}
        self._deeper_before: Kept | None = None
        self._context: RenderContext | None = None
        self._context_before: RenderContext | None = None
        self._reads: Reads | None = None
        self._reads_before: Reads | None = None
        if before is not None:
            self._before, self._deeper_before = before._now, before._deeper  # noqa: SLF001
            self._context_before = before._context  # noqa: SLF001
            self._reads_before = before._reads  # noqa: SLF001

    def within(self, context: RenderContext, reads: Reads | None = None) -> Kept:
        """Return it for what stands in that context, and forget what was made in another.

        :param reads: what is read of the context from now on; what was read for what is kept is noted there, too.
        """
        before, self._context_before = self._context_before, None
        are_same, self._are_same = self._are_same or SameContexts(), None
        if before is None or not are_same.as_read(before, context, self._reads_before):
            self._before, self._deeper_before = {}, None
        elif reads is not None and self._reads_before is not None:
            reads.again(self._reads_before)
        self._context = context
        self._reads, self._reads_before = reads, None
        return self

    def made(self, kind: Any, given: Sequence[Any], make: Make) -> Sequence[Any]:
        """Return what siblings become; those that were there before are not made again.

        :param kind: what they are, and whatever else their results depend on.
        """
        runs = self._now.setdefault(kind, [])
        before = self._before.get(kind, ())
        made = renewed(*before[len(runs)], given, make) if len(runs) < len(before) else make(given)
        runs.append((given, made))
        return made

    def deeper(self) -> Kept:
        """Return what is kept for a section's content, where the same may become something else."""
        if self._deeper is None:
            self._deeper, self._deeper_before = Kept(self._deeper_before), None
        return self._deeper
