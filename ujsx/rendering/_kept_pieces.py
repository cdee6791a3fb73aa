"""Which piece that was rendered before a piece is: of the last rendering by its kind, its rung, and its place among
its like; of all before it by the values that its component was made of.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Sequence
from typing import TypeAlias

from ujsx._density import Rung
from ujsx.components._context import SameContexts
from ujsx.components._element import Element
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
        if there.piece.is_like(piece, are_same):
            return there, there
    if from_first < len(kept) and from_first - from_last != len(kept):  # or before it
        there = kept[from_first]
        if there.piece.is_like(piece, are_same):
            return there, there
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

    One is found by the very objects that its component was made of, and then compared as any other. States that follow one
    another share what did not change, so a turn that is shown again, or that lies between two that were shown, is found
    in parts.

    :param most: how many pieces are kept.
    """

    __slots__ = ("_most", "_pieces")

    def __init__(self, most: int) -> None:
        self._most = most
        self._pieces: OrderedDict[tuple[object, ...], RenderedPiece] = OrderedDict()

    def find(self, piece: Piece, are_same: SameContexts) -> RenderedPiece | None:
        """Return the kept piece that is the same, if one is."""
        if piece.ladder is None:
            return None
        key = _made_of(piece)
        found = self._pieces.get(key)
        if found is None or not found.piece.is_like(piece, are_same):
            return None
        self._pieces.move_to_end(key)
        return found

    def keep(self, rendered: RenderedPiece) -> None:
        """Keep a piece, in place of those that were not used for the longest time."""
        if rendered.piece.ladder is None:
            return
        self._pieces[_made_of(rendered.piece)] = rendered
        while len(self._pieces) > self._most:
            self._pieces.popitem(last=False)


def _made_of(piece: Piece) -> tuple[object, ...]:
    """The identities of what a piece consists of; while it is kept, they are of nothing else."""
    (node,) = piece.nodes
    children = node.children if isinstance(node, Element) else ()
    return (
        type(piece.ladder),
        id(piece.context.rung),
        id(piece.context.density),
        piece.is_hidden,
        *map(id, vars(piece.ladder).values()),
        *map(id, children),
    )
