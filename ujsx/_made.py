"""What a piece of a tree became: its text where the short way leads there, else its nodes."""

from __future__ import annotations

from typing import Any

import msgspec

from ujsx._component import as_element
from ujsx._context import RenderContext
from ujsx._element import Children
from ujsx._errors import UjsxError
from ujsx._outline import Piece
from ujsx._registry import Transform, TransformRegistry
from ujsx._rendered import CountedText
from ujsx._resolve import expand, place_of, resolve_all
from ujsx._short_way import heading_text, short_way
from ujsx.mdast.to_markdown._brackets import NO_LABELS, Labels, labels_in
from ujsx.tokens import TokenCounter
from ujsx.transforms._content import to_blocks
from ujsx.transforms._to_mdast import section_heading


class Made(msgspec.Struct, eq=False):
    """What a piece became. Nodes that no text needs are made when they are asked for.

    :raises UjsxError: for a piece that cannot be rendered, with the path of the node.
    """

    piece: Piece
    registry: TransformRegistry
    is_short: bool
    """Whether the short way is open."""

    short: str | None = None
    """The piece as Markdown blocks, where the short way led there."""

    below: str | None = None
    """The same with the blank line that parts it from what stands before it."""

    tokens: int | None = None
    """Its tokens, with the blank line before it, once they are counted."""

    weighed: str | None = None
    """The text whose tokens were estimated last."""

    weight: int = 0
    """That estimate, in thousandths of a token."""

    instead: Made | None = None
    """What stands on the lowest rung, where the piece is hidden: it says what is missing."""

    _counted: CountedText | None = None
    _resolved: Children | None = None
    _nodes: list[Any] | None = None
    _blocks: list[Any] | None = None
    _labels: Labels | None = None
    _expanded: tuple[Children, RenderContext] | None = None

    def __post_init__(self) -> None:
        piece = self.piece
        if piece.is_hidden:
            self.short = ""
        elif piece.heading is not None:
            if self.is_short:
                ctx = piece.context
                title = piece.heading.title
                self.short = heading_text(title, ctx.depth, trusts_text=ctx.trusts_text)
        elif piece.ladder is not None and not piece.ladder.is_primitive:
            children, inner = self._expanded = self._expand()
            if self.is_short:
                self.short = short_way(children, inner, self.registry) if children else ""
        if self.short is None:
            _ = self.nodes
        else:
            self.below = f"\n\n{self.short}" if self.short else ""

    def counted_as(self, text: str, count: TokenCounter) -> CountedText:
        """Return the piece's text in a rendering; the same object as in the last, if it is the same."""
        if self._counted is None or self._counted.text != text:
            self._counted = CountedText(text, count)
        return self._counted

    def _expand(self) -> tuple[Children, RenderContext]:
        element = as_element(self.piece.nodes[0])  # type: ignore[arg-type]
        try:
            return expand(element, self.piece.context)
        except UjsxError as error:
            error.within(place_of(element, self.piece.first))
            self.piece.locate(error)
            raise

    @property
    def resolved(self) -> Children:
        """The primitives and texts that the piece resolved into."""
        if self._resolved is None:
            self._resolved = self._resolve()
        return self._resolved

    def _resolve(self) -> Children:
        piece = self.piece
        if piece.is_hidden:
            return () if self.instead is None else self.instead.resolved
        if piece.heading is not None:
            return ()
        try:
            if self._expanded is None:
                return resolve_all(piece.nodes, piece.context, first=piece.first)
            try:
                return resolve_all(*self._expanded, level=1)
            except UjsxError as error:
                error.within(place_of(as_element(piece.nodes[0]), piece.first))  # type: ignore[arg-type]
                raise
        except UjsxError as error:
            piece.locate(error)
            raise

    @property
    def nodes(self) -> list[Any]:
        """Its mdast nodes, as they may stand anywhere."""
        if self._nodes is None:
            self._nodes = self._transform()
        return self._nodes

    def _transform(self) -> list[Any]:
        piece = self.piece
        if piece.heading is not None:
            return [section_heading(piece.heading, piece.context)]
        if piece.is_hidden:
            return []
        resolved = self.resolved
        try:
            return Transform(self.registry, "ujsx -> mdast", piece.context).all(resolved)
        except UjsxError as error:
            piece.locate(error)
            raise

    @property
    def blocks(self) -> list[Any]:
        """Its mdast nodes as blocks."""
        if self._blocks is None:
            try:
                self._blocks = to_blocks(self.nodes, trusts_text=self.piece.context.trusts_text)
            except UjsxError as error:
                self.piece.locate(error)
                raise
        return self._blocks

    @blocks.setter
    def blocks(self, blocks: list[Any]) -> None:
        self._blocks, self._labels = blocks, None

    @property
    def labels(self) -> Labels:
        """What its blocks define; nothing where the short way led."""
        if self.short is not None:
            return NO_LABELS
        if self._labels is None:
            self._labels = labels_in(self.blocks)
        return self._labels
