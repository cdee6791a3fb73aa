"""Batches: many rows are handled together, a column at a time, as the items of a list mostly are alike.

Rows are grouped by their shape, so that one check of a column serves all of them. Where a check fails, the
batch is halved until the rows that differ are found; the others stay in a batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")


class Alike(NamedTuple):
    """Rows of one shape."""

    shape: tuple[Any, ...]
    """What stands in each of their columns."""

    places: Sequence[int]
    """Which of all rows they are."""

    columns: Sequence[Sequence[Any]]


def by_shape(
    rows: Sequence[Sequence[Any]], kinds: Callable[[Sequence[Any]], Iterable[Any]]
) -> Iterator[Alike]:
    """Yield rows by their shape.

    :param kinds: tells of the cells of a column what each is.

    >>> for each in by_shape(["a1", "b2", "c", "3d"], lambda column: map(str.isdigit, column)):
    ...     print(each)
    Alike(shape=(False, True), places=[0, 1], columns=[('a', 'b'), ('1', '2')])
    Alike(shape=(True, False), places=[3], columns=[('3',), ('d',)])
    Alike(shape=(False,), places=[2], columns=[('c',)])
    """
    lengths = list(map(len, rows))
    of_length: dict[int, Sequence[int]] = {}
    if len(set(lengths)) == 1:
        of_length[lengths[0]] = range(len(rows))
    else:
        for place, length in enumerate(lengths):
            of_length.setdefault(length, []).append(place)  # type: ignore[attr-defined]
    for places in of_length.values():
        given = rows if len(places) == len(rows) else [rows[place] for place in places]
        columns: list[Sequence[Any]] = list(zip(*given, strict=True))
        shapes = list(zip(*map(kinds, columns), strict=True))
        if not shapes or shapes.count(shapes[0]) == len(shapes):  # as mostly
            yield Alike(shapes[0] if shapes else (), places, columns)
            continue
        found_by: dict[tuple[Any, ...], list[int]] = {}
        for at, shape in enumerate(shapes):
            found_by.setdefault(shape, []).append(at)
        for shape, found in found_by.items():
            columns = list(zip(*[given[at] for at in found], strict=True))
            yield Alike(shape, [places[at] for at in found], columns)


def is_one(values: Sequence[Any]) -> bool:
    """Tell whether all values of a column are equal, as those are that an author wrote.

    >>> is_one([" - ", " - "]), is_one(["a", "b"])
    (True, False)
    """
    return values.count(values[0]) == len(values)


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
