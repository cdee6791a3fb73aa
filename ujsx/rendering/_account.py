"""The account of a rendering, taken from its pieces when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ujsx._density import Layer
from ujsx.components._element import Children, Element
from ujsx.elements import Omitted, Shortened
from ujsx.rendering._outline import Piece
from ujsx.rendering._piece_writer import lines
from ujsx.rendering._rendered import OmittedItems, RenderedNode, RenderedSection
from ujsx.rendering._rendered_piece import RenderedPiece
from ujsx.tokens import TokenCounter


@dataclass(frozen=True, eq=False)
class PiecesAccount:
    """The account of a text: its parts, and all that follows from them."""

    text: str

    pieces: Sequence[RenderedPiece]

    caps: Sequence[int | None]
    """Of each piece the component's own budget, where that alone kept it from a higher rung."""

    texts: Sequence[str]
    """The text of each piece, with the blank line before it."""

    count_tokens: TokenCounter

    cost: Callable[[Piece], int]
    """Counts the tokens of a piece, wherever it stands on its ladder."""

    saved: Callable[[RenderedPiece], int]
    """Counts the tokens that a piece has less than if it showed all that there is."""

    @cached_property
    def nodes(self) -> tuple[RenderedNode, ...]:
        """All of the text by the nodes it came from."""
        nodes: list[RenderedNode] = []
        going_on = {
            place
            for first, last in lines(self.pieces)
            for place in range(first + 1, last + 1)
            if self.pieces[place].nodes
        }
        end = 0
        parts = zip(self.pieces, self.caps, self.texts, strict=True)
        for place, (part, cap, text) in enumerate(parts):
            goes_on = place in going_on
            start, end = end, end + len(text)
            piece, counted = part.piece, part.counted_as(text, self.count_tokens)
            if piece.ladder is None:
                layer: Layer | None = "static" if piece.heading is None else None
                nodes.append(
                    RenderedNode(
                        piece.label, start, end, counted, part, goes_on=goes_on, layer=layer
                    )
                )
            else:
                layer = piece.ladder.disclosed().layer
                nodes.append(
                    RenderedSection(
                        piece.name,
                        start,
                        end,
                        counted,
                        part,
                        piece.rung,
                        cap,
                        goes_on=goes_on,
                        layer=layer,
                    )
                )
        return tuple(nodes)

    @cached_property
    def tokens(self) -> int:
        """The tokens of the text."""
        return self.count_tokens(self.text)

    @cached_property
    def budgeted(self) -> int:
        """The tokens that count against a budget."""
        if not any(map(_is_apart, self.pieces)):
            return self.tokens
        return self.count_tokens(budgeted_text(self.pieces, self.texts))

    @cached_property
    def omitted(self) -> tuple[OmittedItems, ...]:
        """The omissions of the sections."""
        omitted: list[OmittedItems] = []
        for part in self.pieces:
            piece = part.piece
            if piece.ladder is None:
                continue
            marks = list(_omitted_marks(part.resolved))
            if not marks and not piece.is_hidden:
                continue
            saved = self.saved(part)
            omitted += [
                OmittedItems(
                    piece.name,
                    mark.count,
                    tuple(mark.ids),
                    saved,
                    mark.handle,
                    "texts" if isinstance(mark, Shortened) else "items",
                )
                for mark in marks or (_WHOLE,)
            ]
        return tuple(omitted)


def _is_apart(part: RenderedPiece) -> bool:
    ladder = part.piece.ladder
    return ladder is not None and ladder.disclosed().is_apart


def budgeted_text(pieces: Sequence[RenderedPiece], texts: Sequence[str]) -> str:
    """Return the text of those pieces that a budget counts: all but what stands apart.

    :param texts: that of each piece, with the blank line before it.
    """
    parts = zip(pieces, texts, strict=True)
    text = "".join(text for piece, text in parts if not _is_apart(piece)).lstrip("\n")
    return f"{text}\n" if text else ""


_WHOLE = Omitted.model_construct(count=1)
"""What a section leaves out that a budget hid, and whose lowest rung leaves out nothing: itself."""


def _omitted_marks(nodes: Children) -> Iterator[Omitted]:
    for node in nodes:
        if isinstance(node, Omitted):
            yield node
        elif isinstance(node, Element):
            if isinstance(node.component, Omitted):
                yield node.component
            yield from _omitted_marks(node.children)
