"""From a tree to Markdown, keeping what did not change.

A renderer takes the pieces of a tree through the registry and the writer. What a piece became is
kept until the next rendering, and used again when the piece is the same by value. The same nodes
in the same context give the same text, so a rendering never depends on what was rendered before.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

from ujsx import mdast
from ujsx._budget import Offer, Step, rungs_within
from ujsx._climb import Climb, Ladder
from ujsx._context import RenderContext
from ujsx._density import Density, DensityLike, Rung
from ujsx._element import Child, Children, Element, Node, is_node, normalize_children
from ujsx._errors import RenderError, shown
from ujsx._fragment import Fragment
from ujsx._outline import Piece, opens_alike, outline
from ujsx._piece_writer import PieceWriter
from ujsx._registry import TransformRegistry
from ujsx._rendered import Rendered
from ujsx._rendered_piece import RenderedPiece
from ujsx._resolve import first_place
from ujsx.tokens import TokenCounter
from ujsx.transforms import registry as default_registry

_Kept: TypeAlias = dict[tuple[type, int, Rung | None], RenderedPiece]


class _Last(msgspec.Struct, eq=False):
    """The last rendering, and what it was made of."""

    node: Child
    asked: tuple[Any, ...]
    made: list[RenderedPiece]
    rendered: Rendered


class _Choice(msgspec.Struct, eq=False, gc=False):
    """What a piece becomes on the rungs that a budget may choose."""

    piece: Piece
    place: tuple[type, int]
    made: dict[Rung | None, RenderedPiece]


class _Maker(NamedTuple):
    """Makes pieces and counts them: all that a :class:`Rendered` needs of its renderer."""

    registry: TransformRegistry
    writer: PieceWriter
    count_tokens: TokenCounter

    def make(self, piece: Piece, before: RenderedPiece | None = None) -> RenderedPiece:
        """Render a piece; ``before`` is what stood there before, of which some may be the same."""
        if before is None:
            return RenderedPiece(piece, self.registry)
        return RenderedPiece.after(piece, self.registry, before)

    def tokens(self, made: RenderedPiece) -> int:
        """The tokens of a piece with the blank line before it."""
        if made.tokens is None:
            (text,) = self.writer.texts([made])
            made.tokens = self.count_tokens(f"\n\n{text}") if text else 0
        return made.tokens

    def cost(self, piece: Piece) -> int:
        """The tokens of a piece, wherever it stands on its ladder."""
        return self.tokens(self.make(piece))


class Renderer:
    """Renders trees, and keeps what the next rendering can use.

    :param context: what components know beside the density; see :class:`RenderContext`.
    :param registry: the rules; the default registry when ``None``.
    :param on_unwritable: what becomes of a piece that Markdown cannot represent: it is written in
        its canonical form, or it is an error.
    :param markdown: options of :func:`ujsx.mdast.to_markdown`.

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
        on_unwritable: Literal["normalize", "error"] = "normalize",
        **markdown: Any,
    ) -> None:
        self._registry = registry or default_registry
        self._writer = mdast.Writer(**markdown) if markdown else _default_writer()
        self._pieces = PieceWriter(self._writer, normalizes=on_unwritable == "normalize")
        self._context = RenderContext() if context is None else _checked(context)
        self._contexts: dict[Density, RenderContext] = {self._context.density: self._context}
        self._kept: _Kept
        self._last: _Last | None
        self._follow_rules()

    def render(
        self,
        node: Child,
        *,
        density: DensityLike | None = None,
        budget: int | None = None,
        previous: Rendered | None = None,
        context: RenderContext | None = None,
    ) -> Rendered:
        r"""Return ``node`` as Markdown, with an account of it.

        :param density: how much to show; the context's density when ``None``. With a budget it is
            a ceiling, and there is none when ``None``.
        :param budget: how many tokens the text may have. The ladders of the tree are climbed as
            far as it reaches; when even their floors exceed it, they are what is shown, and the
            result says so: ``over_budget``.
        :param previous: an earlier rendering of the tree, whose rungs are held within a budget. A
            section keeps its rung while the steps up to it fit, together with all such steps that
            come before them in the order of value. Only when all of those fit do sections climb
            higher, and only so far that a twelfth of the budget stays free. The budget is never
            exceeded for it; sections are known by name and key. Without a budget nothing is held.
        :param context: the context from now on, such as the one with this turn's state; as it was
            when ``None``.
        :raises UjsxError: for a tree that cannot be rendered, with the path of the node.

        >>> from ujsx import Component, Density, Disclosure, Rung
        >>> class Names(Component):
        ...     disclosure = Disclosure((Rung(Density.MINIMAL, 1), Rung(Density.FULL)))
        ...     names: tuple[str, ...]
        ...     def render(self, ctx, children):
        ...         return ", ".join(self.names[: ctx.limit])
        >>> names = Names(names=("Ada", "Grace", "Edith", "Joan"))
        >>> Renderer().render(names, budget=9).text, Renderer().render(names, budget=4).text
        ('Ada, Grace, Edith, Joan\n', 'Ada\n')
        """
        if budget is not None:
            _check_budget(budget)
        if context is not None and context is not self._context:
            self._adopt(_checked(context))
        at = self._at(density)
        if self._registry.revision != self._revision:
            self._follow_rules()
        asked = (at, budget, density is None, previous)
        last = self._last
        made: list[RenderedPiece] | None = None
        if last is not None and all(map(operator.is_, asked, last.asked)):
            if is_node(node) and node is last.node:
                return last.rendered
            if budget is None:
                made = self._reframed(node, last)
            if made is None and _are_alike(node, last.node):
                return last.rendered
        over = False
        if made is None:
            made, over = self._made_anew(node, at, density, budget, previous)
        if last is not None and over is last.rendered.over_budget and _same(made, last.made):
            rendered = last.rendered
        else:
            rendered = self._write(made, over)
        self._last = _Last(node, asked, made, rendered)
        return rendered

    def _reframed(self, node: Child, last: _Last) -> list[RenderedPiece] | None:
        """What the last rendering was made of, with the sections that are others made anew.

        ``None`` where that cannot be told without opening the tree.
        """
        before = last.node
        if (
            type(node) is not Element
            or type(before) is not Element
            or node.component is not before.component
            or node.key != before.key
            or not node.component.is_frame
            or not before.children
            or not node.children
        ):
            return None
        first = len(last.made) - len(before.children)
        if len(node.children) != len(before.children):
            return self._reframed_at_length(node.children, before.children, last.made, first)
        made = [*last.made]
        for place, (child, known) in enumerate(
            zip(node.children, before.children, strict=True), first
        ):
            if child is not known:
                if place < 0 or not _holds(made[place], known):
                    return None
                other = made[place].piece.of(child)
                if other is None:
                    return None
                if other.nodes != made[place].piece.nodes:
                    made[place] = self._maker.make(other, made[place])
        return made

    def _reframed_at_length(
        self, children: Children, before: Children, made: Sequence[RenderedPiece], first: int
    ) -> list[RenderedPiece] | None:
        """The same where there are more sections now, or fewer."""
        known = dict(zip(map(id, before), made[first:], strict=False))
        if first < 0 or not all(map(_holds, made[first:], before)):
            return None
        result = [*made[:first]]
        for place, child in enumerate(children):
            each = known.get(id(child))
            if each is None:
                piece = made[-1].piece.of(child)
                if piece is None:
                    return None
                piece.first = place
                each = self._maker.make(piece)
            result.append(each)
        return result

    def _made_anew(
        self,
        node: Child,
        context: RenderContext,
        density: DensityLike | None,
        budget: int | None,
        previous: Rendered | None,
    ) -> tuple[list[RenderedPiece], bool]:
        """What each piece of a tree became, and whether a budget was exceeded."""
        roots = normalize_children(node, _ROOT)
        pieces = outline(roots, context, first=first_place(roots))
        if budget is None:
            return self._make_all(pieces), False
        choices, climb, kept = self._offers(pieces, context.density, density is not None)
        taken = climb.within(budget, previous)
        return self._climb(choices, climb, taken, budget, kept)

    def _follow_rules(self) -> None:
        """Forget what other rules made, and see whether the usual ones still hold."""
        self._revision = self._registry.revision
        self._maker = self._made_by()
        self._last, self._kept = None, {}

    def _made_by(self) -> _Maker:
        return _Maker(self._registry, self._pieces, self._context.count_tokens)

    def _adopt(self, context: RenderContext) -> None:
        """Render in another context from now on; what was counted otherwise is forgotten."""
        counts_alike = context.count_tokens is self._context.count_tokens
        self._context = context
        if not counts_alike:
            self._maker = self._made_by()
            self._last, self._kept = None, {}
        self._contexts = {context.density: context}

    def _at(self, density: DensityLike | None) -> RenderContext:
        if density is None:
            return self._context
        wanted = Density.of(density)
        if wanted not in self._contexts:
            self._contexts[wanted] = self._context.at(wanted, self._context.limit)
        return self._contexts[wanted]

    def _make_all(self, pieces: Sequence[Piece]) -> list[RenderedPiece]:
        """What each piece became, taken from the last rendering where the piece is the same."""
        last = self._last
        if last is None or len(last.made) != len(pieces):
            kept = self._take_kept()
            if not kept:
                return list(map(self._maker.make, pieces))
            return [self._made(piece, place, kept) for place, piece in _placed(pieces)]
        self._kept = {}
        result: list[RenderedPiece] = []
        same: tuple[Any, Any] = (None, None)  # most pieces share a context: compared once
        for piece, made in zip(pieces, last.made, strict=True):
            contexts = made.piece.context, piece.context
            if contexts[0] is not same[0] or contexts[1] is not same[1]:
                same = contexts if contexts[0] == contexts[1] else (None, None)
            is_same = same[1] is piece.context and made.piece.holds_like(piece)
            result.append(made if is_same else self._maker.make(piece, made))
        return result

    def _take_kept(self) -> _Kept:
        """Return what was kept, and start anew."""
        kept, self._kept = self._kept, {}
        if not kept and self._last is not None:
            pieces = [made.piece for made in self._last.made]
            for (place, piece), made in zip(_placed(pieces), self._last.made, strict=True):
                kept[(*place, piece.context.rung)] = made
        return kept

    def climb(self, node: Child, *, density: DensityLike | None = None) -> Climb:
        """Return the ladders of a tree with what each of their rungs costs, and their steps."""
        context = self._at(density)
        roots = normalize_children(node, _ROOT)
        pieces = outline(roots, context, first=first_place(roots))
        _, climb, _ = self._offers(pieces, context.density, density is not None)
        return climb

    def _offers(
        self, pieces: Iterable[Piece], density: Density, is_ceiling: bool
    ) -> tuple[list[_Choice], Climb, _Kept]:
        """What each piece becomes on each of its rungs, what that costs, and what was kept before.

        A density that an ancestor gave a piece is its ceiling.

        Pieces are counted one by one, each with the blank line before it, which is no less than
        the whole.
        """
        kept = self._take_kept()
        choices: list[_Choice] = []
        ladders: list[Ladder] = []
        contexts: dict[tuple[int, int], RenderContext] = {}
        for place, piece in _placed(pieces):
            offers: list[Offer] = []
            choice = _Choice(piece, place, {})
            if piece.ladder is None:
                choice.made[None] = made = self._made(piece, place, kept)
                offers.append(Offer(None, self._maker.tokens(made)))
            else:
                own = piece.context.density
                ceiling = own if is_ceiling or own is not density else None
                for rung in rungs_within(piece.ladder.disclosed(), ceiling):
                    if rung is None:
                        offers.append(_HIDDEN)
                        continue
                    known_as = id(piece.context), id(rung)
                    if known_as not in contexts:  # pieces side by side share theirs
                        contexts[known_as] = piece.context.on(rung)
                    there = msgspec.structs.replace(piece, context=contexts[known_as])
                    choice.made[rung] = made = self._made(there, place, kept)
                    offers.append(Offer(rung, self._maker.tokens(made)))
            choices.append(choice)
            ladders.append(Ladder.of(piece, offers))
        return choices, Climb.of(ladders), kept

    def _climb(
        self, choices: Sequence[_Choice], climb: Climb, taken: list[Step], budget: int, kept: _Kept
    ) -> tuple[list[RenderedPiece], bool]:
        """What each piece became on the rung that the budget reaches, and whether it was exceeded.

        What the counter makes of the whole decides.
        """
        while True:
            made = [
                choice.made[rung] if rung in choice.made else self._hidden(choice, kept)
                for choice, rung in zip(choices, climb.reached(taken), strict=True)
            ]
            over = self._context.count_tokens(_whole(self._pieces.texts(made))) > budget
            if not over or not taken:
                return made, over
            taken.pop()

    def _hidden(self, choice: _Choice, kept: _Kept) -> RenderedPiece:
        """What is hidden is accounted for as on the lowest rung."""
        made = self._made(choice.piece.on(None), choice.place, kept)
        made.instead = next(iter(choice.made.values()))
        return made

    def _made(self, piece: Piece, place: tuple[type, int], kept: _Kept) -> RenderedPiece:
        key = (*place, piece.context.rung)
        made = kept.get(key) if kept else None
        if made is None or not made.piece.renders_like(piece):
            made = self._maker.make(piece, made)
        self._kept[key] = made
        return made

    def _write(self, made: Sequence[RenderedPiece], over_budget: bool) -> Rendered:
        texts = self._pieces.texts(made)
        maker = self._maker
        return Rendered(_whole(texts), made, texts, maker.count_tokens, maker.cost, over_budget)


def _placed(pieces: Iterable[Piece]) -> Iterator[tuple[tuple[type, int], Piece]]:
    """Each piece with what it is known by from one rendering to the next: its kind and number."""
    counts: dict[type, int] = {}
    for piece in pieces:
        kind = type(piece.ladder)
        counts[kind] = counts.get(kind, -1) + 1
        yield (kind, counts[kind]), piece


def _holds(made: RenderedPiece, node: Node) -> bool:
    """Tell whether a piece is that very node alone."""
    nodes = made.piece.nodes
    return len(nodes) == 1 and nodes[0] is node


def _same(left: Sequence[RenderedPiece], right: Sequence[RenderedPiece]) -> bool:
    return len(left) == len(right) and all(map(operator.is_, left, right))


def _check_budget(budget: object) -> None:
    if not isinstance(budget, int) or isinstance(budget, bool):
        raise RenderError(f"a budget is a number of tokens, not {shown(budget)}")


def _checked(context: object) -> RenderContext:
    if not isinstance(context, RenderContext):
        raise RenderError(
            f"a context is a RenderContext, not {shown(context)}; to bind a value, give "
            "RenderContext().having(value)"
        )
    return context


def _are_alike(left: Child, right: Child) -> bool:
    return is_node(left) and is_node(right) and opens_alike(left, right)


def _whole(texts: Iterable[str]) -> str:
    text = "".join([*texts, "\n"])
    return "" if text == "\n" else text


_HIDDEN = Offer(None, 0)


@cache
def _default_writer() -> mdast.Writer:
    return mdast.Writer()


_ROOT = Fragment()
