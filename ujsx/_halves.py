"""Many rows at once, where one that is different must not hold up the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


def in_halves(
    together: Callable[[Sequence[Sequence[Any]]], Sequence[T] | None],
    columns: Sequence[Sequence[Any]],
) -> Sequence[T | None]:
    """Return what ``together`` makes of rows, which are given as columns.

    Where it returns ``None``, each half of the rows is tried on its own, down to single ones.

    >>> def halved(columns):
    ...     return [n // 2 for n in columns[0]] if all(n % 2 == 0 for n in columns[0]) else None
    >>> in_halves(halved, [[2, 4, 5, 8]])
    [1, 2, None, 4]
    """
    made = together(columns)
    if made is not None:
        return made
    middle = len(columns[0]) // 2
    if not middle:
        return [None]
    return [
        *in_halves(together, [column[:middle] for column in columns]),
        *in_halves(together, [column[middle:] for column in columns]),
    ]
