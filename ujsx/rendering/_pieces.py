"""The pieces of a rendering: rendered, written, cached, and accounted for."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import cached_property, partial
from itertools import islice
from typing import Any, TypeAlias

import msgspec

from ujsx import mdast
from ujsx._density import Layer
from ujsx.components._component import as_element
from ujsx.components._context import (
    DIFFERENT,
    SAME,
    Read,
    Reads,
    RenderContext,
    SameContexts,
    outer_values,
    read_of,
)
from ujsx.components._element import Children, Element
from ujsx.elements import Omitted, Shortened
from ujsx.errors import MdastError, UjsxError
from ujsx.mdast import Node
from ujsx.mdast._nodes import refuses_depth
from ujsx.mdast._normalize import canonical_blocks, with_answers
from ujsx.mdast.to_markdown import DocumentWriter
from ujsx.mdast.to_markdown._phrasing import (
    NO_LABELS,
    Labels,
    Unwritable,
    is_defined,
    labels_in,
    mdast_error,
)
from ujsx.rendering._rendered import (
    CountedText,
    OmittedItems,
    PartOrigin,
    Piece,
    RenderedNode,
    RenderedSection,
)
from ujsx.tokens import TokenCounter
from ujsx.transforms._content import ends_in_line, is_inline, settle, shares_its_line, to_blocks
from ujsx.transforms._mdast import section_heading
from ujsx.transforms._registry import OPEN, SiblingResults, Transform, TransformRegistry
from ujsx.trees import RenderCache, expand, holds_ladders, place_of, resolve_all

# The rendering of a piece of a tree on its rung: mdast nodes, blocks, and their text.
#
# The texts of blocks and lists are cached for the next rendering.


class RenderedPiece(msgspec.Struct, eq=False):
    """A rendered piece. Its text depends on the pieces around it, and is computed on demand.

    :raises UjsxError: for a piece that cannot be rendered, with the path of the node.
    """

    piece: Piece
    registry: TransformRegistry
    nodes_kept: SiblingResults | None = None
    """The results of its components, from the second rendering on."""

    texts_kept: TurnMemory | None = None
    """The texts of its mdast nodes."""

    cache: RenderCache | None = None
    """The results of its components, which the renderings of a piece on its rungs share."""

    tokens: int | None = None
    """Its tokens, with the blank line before it, once counted."""

    opened: int | None = None
    """Its tokens if it showed everything, once counted."""

    instead: RenderedPiece | None = None
    """The piece on its lowest rung, if this one is hidden: it tells what is missing."""

    nodes: list[Any] = []
    """Its mdast nodes, valid in any place."""

    blocks: Sequence[Any] = ()
    """Its mdast nodes as blocks."""

    labels: Labels = NO_LABELS
    """The definitions in its blocks."""

    ends_in_line: bool | None = None
    """True if its last node is inline; None if this depends on the pieces before it."""

    reads: Reads | None = None
    """The reads of its context's values so far; None if no values are bound."""

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
        cache: RenderCache | None = None,
    ) -> RenderedPiece:
        """Return the rendered piece, reusing equal parts of the previous one."""
        kept = SiblingResults(before.nodes_kept, are_same)
        made = cls(piece, registry, kept, TurnMemory(before.texts_kept), cache)
        trusts_alike = piece.context.trusts_text == before.piece.context.trusts_text
        if trusts_alike and made.blocks == before.blocks:  # their text exists already
            made.blocks, made.texts_kept = before.blocks, before.texts_kept
            made._written, made._counted = before._written, before._counted
        return made

    def standing_for(
        self, piece: Piece, are_same: SameContexts, reads: Reads | None = None
    ) -> RenderedPiece | None:
        """Return the rendering of another piece, if it is the same as this one's; None if it may differ.

        It is this object if nothing differs, and a copy if only unread values differ: the account of a piece names its
        own context.

        :param reads: the reads not known to be the same; all of them when None.
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
        """Take another piece's place, and drop results that may differ there."""
        self.piece, self.reads = piece, None if self.reads is None else self.reads.copied()
        self.opened = self.instead = None  # other rungs may read more
        self._expanded = None  # as may results not computed yet
        if piece.is_hidden:
            self._resolved = None

    def counted_as(self, text: str, count: TokenCounter) -> CountedText:
        """Return the piece's text in a rendering; the same object as in the last one, if equal."""
        if self._counted is None or self._counted.text != text:
            self._counted = CountedText(text, count)
        return self._counted

    @property
    def around(self) -> str:
        """The names of the composites around the piece."""
        return self.piece.around

    @property
    def origin(self) -> PartOrigin:
        """The origin of the piece."""
        return PartOrigin.of(self.piece)

    @property
    def resolved(self) -> Children:
        """The primitives and texts that the piece resolved to."""
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
            return resolve_all(piece.nodes, self._context(), first=piece.first, cache=self.cache)
        return resolve_all(*self._open(), level=1, cache=self.cache)

    def _context(self) -> RenderContext:
        """The context of the piece, which records reads."""
        context = self.piece.context
        if not context.values:
            return context
        if self.reads is None:
            self.reads = Reads()
        return self.reads.of(context)

    def _open(self) -> tuple[Children, RenderContext]:
        """The rendering of its component, and the context for it."""
        if self._expanded is None:
            element = as_element(self.piece.nodes[0])  # type: ignore[arg-type]
            self._expanded = expand(element, self._context(), self.cache)
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
            children, inner = self._expanded = expand(element, context, self.cache)
            return self._transform(inner, children)
        except UjsxError as error:
            error.within(place_of(element, first))
            raise

    def _opens(self) -> bool:
        """Tell whether it is a component with a ladder and without a rule of its own."""
        ladder = self.piece.ladder
        if ladder is None or ladder.is_primitive:
            return False
        return self.registry.find("ujsx -> mdast", type(ladder)) is OPEN

    def _transform(self, context: RenderContext, nodes: Children, first: int = 0) -> list[Any]:
        kept = None
        if self.nodes_kept is not None:
            inner = (
                None  # nested components may be the same even if the component read something else
            )
            if self.reads is not None:
                inner = Reads(self.reads)
                context = inner.of(context)
            kept = self.nodes_kept.within(context, inner)
        transform = Transform(self.registry, "ujsx -> mdast", context, kept, self.cache)
        return transform.run(nodes, first=first)

    @property
    def holds_ladders(self) -> bool:
        """True if its component contains components with ladders."""
        if self._holds_ladders is None:
            self._holds_ladders = (
                not self.piece.is_hidden
                and self._opens()
                and holds_ladders(*self._open(), self.cache)
            )
        return self._holds_ladders

    def text(self, blocks: Sequence[Node], document: DocumentWriter, *, is_last: bool) -> str:
        """Return the text of blocks in this piece's place, from the cache if they were written there before.

        :param blocks: its own, or those with content that continues in the next piece.
        """
        writing = document.writing
        surroundings = (document.place, writing.labels(), is_last)
        known = self._written
        if known is not None and known.blocks is blocks and known.surroundings == surroundings:
            document.previous, writing.bullet = known.last, known.bullet
            return known.text
        text = "".join(document.write(blocks, self.texts_kept, is_last=is_last))
        self._written = _Written(blocks, surroundings, text, document.previous, writing.bullet)
        return text


class TurnMemory:
    """Results by key, for one turn: those not used in the next turn are dropped.

    >>> first = TurnMemory()
    >>> first["a"], first["b"] = 1, 2
    >>> second = TurnMemory(first)
    >>> second.get("a"), TurnMemory(second).get("a"), TurnMemory(second).get("b")
    (1, 1, None)
    """

    __slots__ = ("_before", "_now")

    def __init__(self, before: TurnMemory | None = None) -> None:
        self._now: dict[Any, Any] = {}
        self._before: dict[Any, Any] = {} if before is None else before._now  # noqa: SLF001

    def __setitem__(self, key: Any, result: Any) -> None:
        self._now[key] = result

    def get(self, key: Any) -> Any:
        """Return a cached result and keep it for the next turn, or ``None``."""
        result = self._now.get(key)
        if result is None:
            result = self._before.get(key)
            if result is not None:
                self._now[key] = result
        return result


class _Written(msgspec.Struct, eq=False):
    """A text, its dependencies, the last block, and the bullet of the last list in it or before it."""

    blocks: Sequence[Node]
    surroundings: tuple[Any, ...]
    text: str
    last: Node | None
    bullet: str


# The pieces of a rendering as text: one document, written piece by piece.


class PieceWriter:
    """Writes pieces.

    :param normalizes: whether content that Markdown cannot represent is written in its canonical form; otherwise it is
        an error.
    """

    def __init__(self, writer: mdast.Writer, *, normalizes: bool) -> None:
        self._writer = writer
        self._normalizes = normalizes
        self._labels = NO_LABELS

    @refuses_depth
    def texts(self, pieces: Sequence[RenderedPiece]) -> list[str]:
        """Return the text of each piece, with the separator before it.

        :raises MdastError: for a node that Markdown cannot represent, with its path in the piece.
        """
        try:
            return self._written(pieces)
        except MdastError:  # for content that depends on its place: front matter, HTML
            if not self._normalizes:
                raise
        return self._written_in_canonical_form(pieces)

    def _written(self, pieces: Sequence[RenderedPiece]) -> list[str]:
        # The definitions of all pieces: text in brackets could refer to them.
        labels = NO_LABELS.union(*[each.labels for each in pieces])
        if labels != self._labels:
            self._labels = labels
        # The same object while they are equal: each piece checks whether they changed.
        document = self._writer.document(self._labels)
        parts = assembled(pieces)
        last = max((place for place, part in enumerate(parts) if part), default=None)
        texts: list[str] = []
        trusted: bool | None = None
        for place, (piece, part) in enumerate(zip(pieces, parts, strict=True)):
            if self._normalizes and piece.piece.context.trusts_text is not trusted:
                trusted = piece.piece.context.trusts_text
                document.writing.mend = partial(_canonical, self._labels, trusts_text=trusted)
            try:
                texts.append(piece.text(part, document, is_last=place == last) if part else "")
            except Unwritable as error:
                raise mdast_error(error, mdast.Root(tuple(part))) from None
        return texts

    def _written_in_canonical_form(self, pieces: Sequence[RenderedPiece]) -> list[str]:
        parts = [list(filter(_says_something, part)) for part in assembled(pieces, anew=True)]
        blocks = [block for part in parts for block in part]
        made = _canonical(labels_in(blocks), blocks, trusts_text=_trusts_text(pieces))
        return _shared_out(self._writer.blocks(made, labels=labels_in(made)), parts)


def _shared_out(written: Sequence[str], parts: Sequence[Sequence[Any]]) -> list[str]:
    """Return the text of each part, from the texts of all their blocks.

    Each block has its own text, in order, or none. If one has none, the texts cannot be assigned: the first part has
    all of them, as for a line that continues in others.

    >>> _shared_out(["a", "b", "c"], [["a"], [], ["b", "c"]])
    ['a', '', 'bc']
    >>> _shared_out(["b"], [[], ["a"], ["b"]])
    ['', 'b', '']
    """
    if len(written) == sum(map(len, parts)):
        texts = iter(written)
        return ["".join(islice(texts, len(part))) for part in parts]
    first = next(place for place, part in enumerate(parts) if part)
    return ["".join(written) if place == first else "" for place in range(len(parts))]


def _says_something(block: Any) -> bool:
    """Tell whether a block has a canonical form."""
    return bool(canonical_blocks([block], complete=False))


def _canonical(labels: Labels, blocks: Sequence[Any], *, trusts_text: bool) -> list[Any]:
    """Return the canonical form of a part of a document; references to none of its labels become text."""
    root = mdast.Root(canonical_blocks(blocks, complete=False))
    found = with_answers(root, lambda node: is_defined(node, labels))
    made = root.children if found is root else canonical_blocks(found.children, complete=False)
    return list(made) if trusts_text else settle(made, blocks)


def _trusts_text(pieces: Sequence[RenderedPiece]) -> bool:
    """Tell whether all content that may meet in these pieces is trusted."""
    return all(each.piece.context.trusts_text for each in pieces)


def assembled(pieces: Sequence[RenderedPiece], *, anew: bool = False) -> list[Sequence[Any]]:
    """The blocks of each piece.

    Adjacent inline content of two pieces in the same section, or paragraphs that share a line, becomes one paragraph of
    the first piece.

    :param anew: use the blocks from the tree, and not the form that a piece has by itself.
    """
    parts: list[Sequence[Any]] = []
    for index, last in lines(pieces):
        own = pieces[index].blocks
        if last > index or anew:
            line = pieces[index : last + 1]
            nodes = [node for each in line for node in each.nodes]
            own = to_blocks(nodes, trusts_text=_trusts_text(line))
        parts += [own, *[()] * (last - index)]
    return parts


def lines(pieces: Sequence[RenderedPiece]) -> list[tuple[int, int]]:
    """Return the first and last place of each line that pieces share; for any other piece, its own place twice."""
    found: list[tuple[int, int]] = []
    index = 0
    while index < len(pieces):
        last = index
        in_line = pieces[index].ends_in_line
        following = index + 1
        while in_line and following < len(pieces):
            piece = pieces[following]
            if piece.nodes:  # an empty piece separates nothing
                if not _goes_on(pieces[last], piece):
                    break
                last, in_line = following, piece.ends_in_line is not False
            following += 1
        found.append((index, last))
        index = last + 1
    return found


def _goes_on(left: RenderedPiece, right: RenderedPiece) -> bool:
    """Tell whether ``right`` may continue the line that ``left`` ends in."""
    first = right.nodes[0]
    goes_on = (
        _shares(right.nodes, 0)
        if _shares(left.nodes, -1)
        else is_inline(first) or type(first) is mdast.Html
    )
    return goes_on and left.piece.sections == right.piece.sections


def _shares(nodes: list[Any], place: int) -> bool:
    return bool(nodes) and shares_its_line(nodes[place])


# The account of a rendering, computed from its pieces on demand.


class PiecesAccount(msgspec.Struct, frozen=True, eq=False, dict=True):
    """The account of a text: its parts, and everything derived from them."""

    text: str

    pieces: Sequence[RenderedPiece]

    caps: Sequence[int | None]
    """For each piece, the component's own budget if that alone kept it from a higher rung."""

    texts: Sequence[str]
    """The text of each piece, with the blank line before it."""

    count_tokens: TokenCounter

    cost: Callable[[Piece], int]
    """Counts the tokens of a piece on any rung."""

    saved: Callable[[RenderedPiece], int]
    """Counts the tokens that a piece saves against showing everything."""

    @cached_property
    def nodes(self) -> tuple[RenderedNode, ...]:
        """The whole text, divided by its source nodes."""
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
        if not any(part.piece.is_apart for part in self.pieces):
            return self.tokens
        return self.count_tokens(self.budgeted_text)

    @cached_property
    def budgeted_text(self) -> str:
        """The text that counts against a budget."""
        return budgeted_text(self.pieces, self.texts)

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


def budgeted_text(pieces: Sequence[RenderedPiece], texts: Sequence[str]) -> str:
    """Return the text that a budget counts: all pieces except those apart.

    :param texts: the text of each piece, with the blank line before it.
    """
    parts = zip(pieces, texts, strict=True)
    text = "".join(text for part, text in parts if not part.piece.is_apart).lstrip("\n")
    return f"{text}\n" if text else ""


_WHOLE = Omitted.model_construct(count=1)
"""The omission of a hidden section whose lowest rung omits nothing: the section itself."""


def _omitted_marks(nodes: Children) -> Iterator[Omitted]:
    for node in nodes:
        if isinstance(node, Omitted):
            yield node
        elif isinstance(node, Element):
            if isinstance(node.component, Omitted):
                yield node.component
            yield from _omitted_marks(node.children)


# A cache of earlier pieces, found by the values of their components.


class KeptForLater:
    """The most recently used pieces, of any rendering.

    A piece is found by the identity of the objects in its component and of those read from its context, and then
    compared as usual. Successive states share unchanged objects, so parts of a turn are found if it, or its neighbors,
    were shown before.

    :param most: the most pieces in the cache.
    """

    __slots__ = ("_most", "_pieces", "_ways")

    def __init__(self, most: int) -> None:
        self._most = most
        self._pieces: OrderedDict[_Key, RenderedPiece] = OrderedDict()
        self._ways: dict[_Ids, dict[_Names, int]] = {}

    def find(self, piece: Piece, are_same: SameContexts) -> RenderedPiece | None:
        """Return the cached piece that is the same, if there is one."""
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
        """Cache a piece, and evict the least recently used ones."""
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
"""The objects of a piece, its reads, and the objects that were read."""

WAYS = 8
"""The most sets of reads tried for one component: one that reads different fields of each state is never found."""


def _made_of(piece: Piece) -> _Ids:
    """Return the rung and the place of a piece, and the ids of its objects; they stay unique while it is cached."""
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
