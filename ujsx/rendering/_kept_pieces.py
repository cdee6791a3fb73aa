"""The earlier piece that equals a piece: of the last rendering by its kind, its rung, and its place among its like;
of all before it by the values that its component was made of.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Sequence
from itertools import islice
from typing import TypeAlias

from ujsx._density import Rung
from ujsx.components._context import SameContexts
from ujsx.components._element import Element
from ujsx.components._reads import Read, Reads, outer_values, read_of
from ujsx.rendering._outline import Piece
from ujsx.rendering._rendered_piece import RenderedPiece

Key: TypeAlias = tuple[type, Rung | None, bool]
"""The kind of a piece, its rung, and whether a budget hid it."""

Kept: TypeAlias = dict[Key, list[RenderedPiece]]
"""Pieces in their order."""

Place: TypeAlias = tuple[int, int]
"""Which of its kind a piece is, counted from the first, and from the last."""


def like(
    piece: Piece, kept: Sequence[RenderedPiece], place: Place, are_same: SameContexts
) -> tuple[RenderedPiece | None, RenderedPiece | None]:
    """Return the kept piece that is the same, if one is, and one that stood where this one stands."""
    from_first, from_last = place
    there = None
    if -from_last <= len(kept):  # as many of its kind stood behind it
        there = kept[from_last]
        if (same := there.standing_for(piece, are_same)) is not None:
            return same, there
    if from_first < len(kept) and from_first - from_last != len(kept):  # or before it
        there = kept[from_first]
        if (same := there.standing_for(piece, are_same)) is not None:
            return same, there
    return None, there


def placed(pieces: Sequence[Piece]) -> list[tuple[Place, Piece]]:
    """Each piece with what it is known by from one rendering to the next, beside its kind."""
    kinds = [type(piece.ladder) for piece in pieces]
    totals = Counter(kinds)
    counts = dict.fromkeys(kinds, 0)
    found: list[tuple[Place, Piece]] = []
    for kind, piece in zip(kinds, pieces, strict=True):
        place = counts[kind]
        counts[kind] += 1
        found.append(((place, place - totals[kind]), piece))
    return found


class KeptForLater:
    """The pieces that were used last, whichever rendering they were of.

    One is found by the very objects that its component was made of and that it read of its context, and then compared
    as any other. States that follow one another share what did not change, so a turn that is shown again, or that lies
    between two that were shown, is found in parts.

    :param most: how many pieces are kept.
    """

    __slots__ = ("_most", "_pieces", "_ways")

    def __init__(self, most: int) -> None:
        self._most = most
        self._pieces: OrderedDict[_Key, RenderedPiece] = OrderedDict()
        self._ways: dict[_Ids, dict[_Names, int]] = {}

    def find(self, piece: Piece, are_same: SameContexts) -> RenderedPiece | None:
        """Return the kept piece that is the same, if one is."""
        if piece.heading is not None:
            return None
        made_of, values = _made_of(piece), outer_values(piece.context)
        for names in [*islice(reversed(self._ways.get(made_of, {})), WAYS)]:
            key = made_of, names, tuple([id(read_of(values, name)) for name in names])
            found = self._pieces.get(key)
            if found is None:
                continue
            is_read = found.reads is None or len(found.reads.found) == len(names)
            same = found.standing_for(piece, are_same, _NOTHING if is_read else None)
            if same is not None:
                self._pieces[key] = same
                self._pieces.move_to_end(key)
                return same
        return None

    def keep(self, rendered: RenderedPiece) -> None:
        """Keep a piece, in place of those that were not used for the longest time."""
        if rendered.piece.heading is not None:
            return
        made_of = _made_of(rendered.piece)
        found = {} if rendered.reads is None else rendered.reads.found
        names = tuple(found)
        key = made_of, names, tuple(map(id, found.values()))
        if key not in self._pieces:
            ways = self._ways.setdefault(made_of, {})
            ways[names] = ways.get(names, 0) + 1
        self._pieces[key] = rendered
        while len(self._pieces) > self._most:
            self._drop()

    def _drop(self) -> None:
        (made_of, names, _), _ = self._pieces.popitem(last=False)
        ways = self._ways[made_of]
        ways[names] -= 1
        if not ways[names]:
            del ways[names]
        if not ways:
            del self._ways[made_of]


_NOTHING = Reads()

_Ids: TypeAlias = tuple[object, ...]

_Names: TypeAlias = tuple[Read, ...]

_Key: TypeAlias = tuple[_Ids, _Names, _Ids]
"""What a piece is made of, what it read, and what that was."""

WAYS = 8
"""How many sets of reads are looked for of one component: one that reads other fields of each state is found in none."""


def _made_of(piece: Piece) -> _Ids:
    """The rung and the place of a piece, and the identities of what it consists of; while it is kept, they are of nothing else."""
    if piece.ladder is None:
        return (None, *map(id, piece.nodes))
    (node,) = piece.nodes
    children = node.children if isinstance(node, Element) else ()
    return (
        type(piece.ladder),
        piece.context.rung,
        piece.is_hidden,
        piece.context.depth,
        piece.context.longest_text,
        piece.sections,
        *map(id, vars(piece.ladder).values()),
        *map(id, children),
    )
