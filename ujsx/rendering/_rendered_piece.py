"""The rendering of a piece of a tree on its rung: mdast nodes, blocks, and their text.

What its blocks and lists were written as is kept for the next rendering, in a :class:`Memory`.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, NamedTuple

import msgspec

from ujsx.components._component import as_element
from ujsx.components._context import DIFFERENT, SAME, RenderContext, SameContexts
from ujsx.components._element import Children
from ujsx.components._reads import Reads
from ujsx.errors import UjsxError
from ujsx.mdast import Html, Node
from ujsx.mdast.to_markdown._brackets import NO_LABELS, Labels, labels_in
from ujsx.mdast.to_markdown._document import DocumentWriter
from ujsx.rendering._origin import Origin
from ujsx.rendering._outline import Piece
from ujsx.rendering._rendered import CountedText
from ujsx.tokens import TokenCounter
from ujsx.transforms._content import is_inline, shares_its_line, to_blocks
from ujsx.transforms._kept import Kept
from ujsx.transforms._registry import TransformRegistry
from ujsx.transforms._to_mdast import section_heading
from ujsx.transforms._transform import OPEN, Transform
from ujsx.trees._resolve import expand, holds_ladders, place_of, resolve_all


class RenderedPiece(msgspec.Struct, eq=False):
    """A piece, and what became of it. Its text depends on what stands around it, and is asked for.

    :raises UjsxError: for a piece that cannot be rendered, with the path of the node.
    """

    piece: Piece
    registry: TransformRegistry
    nodes_kept: Kept | None = None
    """What the components in it became, from the second rendering on."""

    texts_kept: Memory | None = None
    """What its mdast nodes were written as."""

    tokens: int | None = None
    """Its tokens, with the blank line before it, once they are counted."""

    opened: int | None = None
    """What those would be if it showed all that there is, once that is known."""

    instead: RenderedPiece | None = None
    """What stands on the lowest rung, where the piece is hidden: it says what is missing."""

    nodes: list[Any] = []
    """Its mdast nodes, as they may stand anywhere."""

    blocks: Sequence[Any] = ()
    """Its mdast nodes as blocks."""

    labels: Labels = NO_LABELS
    """What its blocks define."""

    ends_in_line: bool | None = None
    """Whether its last node is inline; None where only what stands before it tells."""

    reads: Reads | None = None
    """What was read of the values of its context, by what was asked of it so far; None where none are bound."""

    _counted: CountedText | None = None
    _resolved: Children | None = None
    _expanded: tuple[Children, RenderContext] | None = None
    _written: _Written | None = None
    _holds_ladders: bool | None = None

    def __post_init__(self) -> None:
        try:
            self.nodes = self._transformed()
            blocks = to_blocks(self.nodes, trusts_text=self.piece.context.trusts_text)
        except UjsxError as error:
            self.piece.locate(error)
            raise
        self.blocks, self.labels = blocks, labels_in(blocks)
        self.ends_in_line = ends_in_line(self.nodes)

    @classmethod
    def after(
        cls,
        piece: Piece,
        registry: TransformRegistry,
        before: RenderedPiece,
        are_same: SameContexts,
    ) -> RenderedPiece:
        """Return the piece rendered in place of another, of which some may be the same."""
        kept = Kept(before.nodes_kept, are_same)
        return cls(piece, registry, kept, Memory(before.texts_kept))

    def standing_for(
        self, piece: Piece, are_same: SameContexts, reads: Reads | None = None
    ) -> RenderedPiece | None:
        """Return what another piece becomes, where it is the same as this one; None where it may be another.

        It is this very object where nothing differs, and a copy where something does that was not read: what is told
        of a piece is what it stands in.

        :param reads: what of its reads is not known to be the same; all of them when None.
        """
        found = are_same.compare(self.piece.context, piece.context)
        if found == DIFFERENT or not self.piece.is_like(piece):
            return None
        if found == SAME and self.piece.longest_text == piece.longest_text:
            return self
        if not are_same.read_alike(piece.context, self.reads if reads is None else reads):
            return None
        there = copy(self)
        there._move(piece)  # noqa: SLF001
        return there

    def _move(self, piece: Piece) -> None:
        """Stand in another piece's place, and forget what is not known to be the same there."""
        self.piece, self.reads = piece, None if self.reads is None else self.reads.copied()
        self.opened = self.instead = None  # other rungs may read more
        self._expanded = None  # as may what was not asked for yet
        if piece.is_hidden:
            self._resolved = None

    def counted_as(self, text: str, count: TokenCounter) -> CountedText:
        """Return the piece's text in a rendering; the same object as in the last, if it is the same."""
        if self._counted is None or self._counted.text != text:
            self._counted = CountedText(text, count)
        return self._counted

    @property
    def around(self) -> str:
        """The names of the composites around the piece."""
        return self.piece.around

    @property
    def origin(self) -> Origin:
        """The origin of the piece."""
        return Origin.of(self.piece)

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
        if not self._opens():
            return resolve_all(piece.nodes, self._context(), first=piece.first)
        return resolve_all(*self._open(), level=1)

    def _context(self) -> RenderContext:
        """The context that it stands in, which notes what is read of it."""
        context = self.piece.context
        if not context.values:
            return context
        if self.reads is None:
            self.reads = Reads()
        return self.reads.of(context)

    def _open(self) -> tuple[Children, RenderContext]:
        """What its component renders to, and the context in which that stands."""
        if self._expanded is None:
            element = as_element(self.piece.nodes[0])  # type: ignore[arg-type]
            self._expanded = expand(element, self._context())
        return self._expanded

    def _transformed(self) -> list[Any]:
        piece = self.piece
        context = self._context() if piece.context.values else piece.context
        if piece.heading is not None:
            return [section_heading(piece.heading, context)]
        if piece.is_hidden:
            return []
        nodes, first = piece.nodes, piece.first
        if not self._opens():
            return self._transform(context, nodes, first)
        element = as_element(nodes[0])  # type: ignore[arg-type]
        try:
            children, inner = self._expanded = expand(element, context)
            return self._transform(inner, children)
        except UjsxError as error:
            error.within(place_of(element, first))
            raise

    def _opens(self) -> bool:
        """Tell whether it is a component with a ladder that no rule makes something else of."""
        ladder = self.piece.ladder
        if ladder is None or ladder.is_primitive:
            return False
        return self.registry.find("ujsx -> mdast", type(ladder)) is OPEN

    def _transform(self, context: RenderContext, nodes: Children, first: int = 0) -> list[Any]:
        kept = None
        if self.nodes_kept is not None:
            inner = None  # what is in it may be the same where the component read something else
            if self.reads is not None:
                inner = Reads(around=self.reads)
                context = inner.of(context)
            kept = self.nodes_kept.within(context, inner)
        return Transform(self.registry, "ujsx -> mdast", context, kept).run(nodes, first=first)

    @property
    def holds_ladders(self) -> bool:
        """True if there are components with ladders inside of its component."""
        if self._holds_ladders is None:
            self._holds_ladders = (
                not self.piece.is_hidden and self._opens() and holds_ladders(*self._open())
            )
        return self._holds_ladders

    def text(self, blocks: Sequence[Node], document: DocumentWriter, *, is_last: bool) -> str:
        """Write blocks that stand in this piece's place, unless they were written there before.

        :param blocks: its own, or those with what goes on in the next piece.
        """
        surroundings = (document.place, document.labels, is_last)
        known = self._written
        if known is not None and known.blocks is blocks and known.surroundings == surroundings:
            document.skip(known.last, known.bullet)
            return known.text
        text = "".join(document.write(blocks, self.texts_kept, is_last=is_last))
        self._written = _Written(blocks, surroundings, text, document.previous, document.bullet)
        return text


def ends_in_line(nodes: Sequence[Any]) -> bool | None:
    """Tell whether nodes end in inline content, or in a paragraph that shares its line; None where HTML
    alone is there, which is what is before it.
    """
    if nodes and shares_its_line(nodes[-1]):
        return True
    for node in reversed(nodes):
        if type(node) is not Html:
            return is_inline(node)
    return None


class Memory:
    """Results by key, for one turn: what the next one does not ask for is forgotten.

    >>> first = Memory()
    >>> first["a"], first["b"] = 1, 2
    >>> second = Memory(first)
    >>> second.get("a"), Memory(second).get("a"), Memory(second).get("b")
    (1, 1, None)
    """

    __slots__ = ("_before", "_now")

    def __init__(self, before: Memory | None = None) -> None:
        self._now: dict[Any, Any] = {}
        self._before: dict[Any, Any] = {} if before is None else before._now  # noqa: SLF001

    def __setitem__(self, key: Any, result: Any) -> None:
        self._now[key] = result

    def get(self, key: Any) -> Any:
        """Return what is known, and keep it on; ``None`` where nothing is."""
        result = self._now.get(key)
        if result is None:
            result = self._before.get(key)
            if result is not None:
                self._now[key] = result
        return result


class _Written(NamedTuple):
    """A text, what it depended on, the last block, and the bullet of the last list in it or before it."""

    blocks: Sequence[Node]
    surroundings: tuple[Any, ...]
    text: str
    last: Node | None
    bullet: str
