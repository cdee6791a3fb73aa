"""From a tree to Markdown, keeping what did not change.

A renderer takes the pieces of a tree through the registry and the writer. What a piece became is
kept until the next rendering, and used again when the piece is the same by value. The same nodes
in the same context give the same text, so a rendering never depends on what was rendered before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from ujsx import mdast
from ujsx._context import RenderContext
from ujsx._density import Density, DensityLike
from ujsx._element import Child, Children, is_node, normalize_children
from ujsx._errors import MdastError, UjsxError
from ujsx._fragment import Fragment
from ujsx._outline import Piece, outline
from ujsx._registry import Transform, TransformRegistry
from ujsx._rendered import CountedText, Rendered, RenderedPart
from ujsx._resolve import first_place, resolve_all
from ujsx.transforms import registry as default_registry
from ujsx.transforms._to_mdast import is_inline, section_heading, to_blocks


@dataclass(slots=True, eq=False)
class _Made:
    """What a piece became: its nodes as they may stand anywhere, and as blocks."""

    piece: Piece
    resolved: Children
    nodes: list[Any]
    blocks: list[Any]


@dataclass(slots=True, eq=False)
class _Last:
    """The last rendering, and what it was made of."""

    node: Child
    context: RenderContext
    made: list[_Made]
    rendered: Rendered


class Renderer:
    """Renders trees, and keeps what the next rendering can use.

    :param context: what components know beside the density; see :class:`RenderContext`.
    :param registry: the rules; the default registry when ``None``.
    :param markdown: options of :func:`ujsx.mdast.to_markdown`. What Markdown cannot represent is
        written in its canonical form; with ``on_unwritable="error"`` it is an error.

    It keeps one rendering. It is not to be shared between threads.

    >>> from ujsx.elements import Paragraph
    >>> renderer = Renderer()
    >>> first = renderer.render(Paragraph()["hello"])
    >>> renderer.render(Paragraph()["hello"]) is first
    True
    """

    def __init__(
        self,
        *,
        context: RenderContext | None = None,
        registry: TransformRegistry | None = None,
        **markdown: Any,
    ) -> None:
        self._registry = registry or default_registry
        options = {"on_unwritable": "normalize", **markdown}
        self._writer = mdast.Writer(**options) if markdown else _default_writer()
        self._context = context or RenderContext()
        self._contexts: dict[Density, RenderContext] = {self._context.density: self._context}
        self._kept: dict[tuple[type, int], _Made] = {}
        self._texts: dict[str, CountedText] = {}
        self._memo: Any = {}
        self._last: _Last | None = None

    def render(self, node: Child, *, density: DensityLike | None = None) -> Rendered:
        """Return ``node`` as Markdown, with an account of it.

        :param density: how much to show; the context's density when ``None``.
        :raises UjsxError: for a tree that cannot be rendered, with the path of the node.
        """
        context = self._at(density)
        last = self._last
        if last is not None and last.context is context and last.node is node and is_node(node):
            return last.rendered
        made = self._make_all(normalize_children(node, _ROOT), context)
        if last is not None and _same_objects(made, last.made):
            rendered = last.rendered
        else:
            rendered = self._write(made)
        self._last = _Last(node, context, made, rendered)
        return rendered

    def _at(self, density: DensityLike | None) -> RenderContext:
        if density is None:
            return self._context
        wanted = Density.of(density)
        if wanted not in self._contexts:
            self._contexts[wanted] = self._context.at(wanted, self._context.limit)
        return self._contexts[wanted]

    def _make_all(self, roots: Children, ctx: RenderContext) -> list[_Made]:
        """What each piece became, taken from the last rendering where the piece is the same."""
        kept, self._kept = self._kept, {}
        counts: dict[type, int] = {}
        made: list[_Made] = []
        for piece in outline(roots, ctx, first=first_place(roots)):
            kind = type(piece.ladder)
            counts[kind] = nth = counts.get(kind, -1) + 1
            each = kept.get((kind, nth))
            if each is None or not each.piece.renders_like(piece):
                each = self._make(piece)
            self._kept[kind, nth] = each
            made.append(each)
        return made

    def _make(self, piece: Piece) -> _Made:
        if piece.heading is not None:
            heading = [section_heading(piece.heading, piece.context.depth)]
            return _Made(piece, (), heading, heading)
        transform = Transform(self._registry, "ujsx -> mdast", piece.context)
        try:
            resolved = resolve_all(piece.nodes, piece.context, first=piece.first)
            nodes = transform.all(resolved)
        except UjsxError as error:
            piece.locate(error)
            raise
        return _Made(piece, resolved, nodes, to_blocks(nodes))

    def _write(self, made: Sequence[_Made]) -> Rendered:
        written = [""] * len(made)
        for owner, text in self._blocks(made):
            written[owner] += text
        texts, self._texts = self._texts, {}
        parts: list[RenderedPart] = []
        for each, text in zip(made, written, strict=True):
            counted = texts.get(text)
            if counted is None:
                counted = CountedText(text, self._context.count_tokens)
            self._texts[text] = counted
            parts.append((each.piece, each.resolved, counted))
        whole = "".join(written)
        return Rendered(f"{whole}\n" if whole else "", parts, self._context.count_tokens)

    def _blocks(self, made: Sequence[_Made]) -> Iterator[tuple[int, str]]:
        """The text of each block, with the index of the piece that it belongs to."""
        blocks, owners = _assembled(made)
        try:
            texts = self._writer.blocks(blocks, self._memo)
        except MdastError:
            if self._writer.on_unwritable == "error":
                raise
            self._make_writable(made)
            blocks, owners = _assembled(made)
            texts = self._writer.blocks(blocks, self._memo)
        if len(self._memo) > 2 * len(blocks):
            used = {id(block) for block in blocks}
            self._memo = {key: kept for key, kept in self._memo.items() if key in used}
        return zip(owners, texts, strict=True)

    def _make_writable(self, made: Sequence[_Made]) -> None:
        """Put the pieces that Markdown cannot represent in canonical form."""
        refused = [each for each in made if not self._can_write(each.blocks)]
        for each in refused or made:
            root: Any = mdast.Root(tuple(each.blocks))
            each.nodes = each.blocks = list(mdast.normalize(root).children)

    def _can_write(self, blocks: list[Any]) -> bool:
        try:
            self._writer.blocks(blocks)
        except MdastError:
            return False
        return True


def _assembled(made: Sequence[_Made]) -> tuple[list[Any], list[int]]:
    """All blocks in order, and for each the index of the piece that it belongs to.

    Where inline content of two pieces meets at the same depth, it is one paragraph.
    """
    blocks: list[Any] = []
    owners: list[int] = []
    index = 0
    while index < len(made):
        last = index
        while last + 1 < len(made) and _meet_inline(made[last], made[last + 1]):
            last += 1
        own = made[index].blocks
        if last > index:
            own = to_blocks([node for each in made[index : last + 1] for node in each.nodes])
        blocks += own
        owners += [index] * len(own)
        index = last + 1
    return blocks, owners


def _meet_inline(left: _Made, right: _Made) -> bool:
    return (
        bool(left.nodes and right.nodes)
        and is_inline(left.nodes[-1])
        and is_inline(right.nodes[0])
        and left.piece.context.depth == right.piece.context.depth
    )


def _same_objects(left: Sequence[_Made], right: Sequence[_Made]) -> bool:
    return len(left) == len(right) and all(a is b for a, b in zip(left, right, strict=True))


@cache
def _default_writer() -> mdast.Writer:
    return mdast.Writer(on_unwritable="normalize")


_ROOT = Fragment()
