"""Which piece of the last rendering a piece of this one is: by its kind, its rung, and its place among its like."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

from ujsx._density import Rung
from ujsx.components._context import SameContexts
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
