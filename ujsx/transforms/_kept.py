"""What one rendering leaves for the next: of a run of siblings, those that are equal stay what they became."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ujsx._renewed import Make, renewed


class Kept:
    """Runs of results, for one turn: what the next rendering does not ask for is forgotten.

    A run is what becomes of siblings of one kind; the n-th of a kind is taken for what was the n-th.

    >>> first = Kept()
    >>> first.made("number", [1, 2, 3], lambda new: [f"{each}." for each in new])
    ['1.', '2.', '3.']
    >>> Kept(first).made("number", [1, 5, 3], lambda new: [f"{each}!" for each in new])
    ['1.', '5!', '3.']
    """

    __slots__ = ("_before", "_deeper", "_deeper_before", "_now")

    def __init__(self, before: Kept | None = None) -> None:
        self._now: dict[Any, list[tuple[Sequence[Any], Sequence[Any]]]] = {}
        self._deeper: Kept | None = None
        self._before: dict[Any, list[tuple[Sequence[Any], Sequence[Any]]]] = {}
        self._deeper_before: Kept | None = None
        if before is not None:
            self._before, self._deeper_before = before._now, before._deeper  # noqa: SLF001

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
