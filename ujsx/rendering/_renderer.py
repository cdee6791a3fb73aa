"""The renderer: from a tree to Markdown, reusing unchanged parts.

A renderer passes the pieces of a tree through the registry and the writer. It caches each result until the next
rendering, and reuses it if the piece is equal. Equal nodes in equal contexts give the same text, so a rendering never
depends on earlier ones.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Literal, TypeAlias, cast

import msgspec

from ujsx import mdast
from ujsx._density import Density, DensityLike, Rung, longest_text
from ujsx.components._component import Component, Fragment
from ujsx.components._context import RenderContext, SameContexts
from ujsx.components._element import Child, Element, is_node, normalize_children
from ujsx.errors import RenderError, shown
from ujsx.rendering._budget import Alternative, BudgetPlan, Forecast, Ladder, rungs_within
from ujsx.rendering._pieces import (
    KeptForLater,
    PiecesAccount,
    PieceWriter,
    RenderedPiece,
    assembled,
    budgeted_text,
)
from ujsx.rendering._rendered import Contexts, Expansion, Expansions, Piece, Rendered, outline
from ujsx.tokens import TokenCounter
from ujsx.transforms import registry as default_registry
from ujsx.transforms._content import shares_its_line
from ujsx.transforms._registry import TransformRegistry
from ujsx.trees import RenderCache, first_place, h


class _Last(msgspec.Struct, eq=False):
    """The last rendering, and its source."""

    node: Child
    asked: tuple[Any, ...]
    shown: _Shown
    rendered: Rendered


class _Standing(msgspec.Struct, eq=False):
    """A piece in its place in a tree, and its rendering on each rung used."""

    piece: Piece
    before: Sequence[_Standing]
    """The pieces in its place in the last rendering: counted from the last of its kind, and from the first."""

    contexts: Contexts
    """The contexts of pieces on their rungs, shared by the whole tree."""

    cache: RenderCache | None
    """The results of its components, where several rungs may be asked for."""

    twin: _Standing | None = None
    """The one of them that is the same piece, if any: its renderings are reused."""

    on: dict[Rung | None, RenderedPiece] = {}
    """Its rendering on each rung; on None if it has no ladder."""

    hidden: RenderedPiece | None = None
    """The rendering that reports its omissions, if a budget hides it."""

    choice: _Choice | None = None

    def found(self, piece: Piece, rung: Rung | None, are_same: SameContexts) -> _Found:
        """Return the earlier rendering of the piece on a rung, or hidden, if it is the same; and the previous one in
        its place.
        """
        there = None
        for each in self.before:
            known = each.hidden if piece.is_hidden else each.on.get(rung)
            if known is not None:
                there = known
                if each is not self.twin and each.stands_as(self.piece, are_same):
                    continue  # it was compared, and has other nodes
                same = known.standing_for(piece, are_same)
                if same is not None:
                    return same, there
        return None, there

    def is_same(self, piece: Piece, are_same: SameContexts) -> bool:
        """Tell whether another piece renders the same on every rung."""
        return self.stands_as(piece, are_same) and self.piece.is_like(piece)

    def stands_as(self, piece: Piece, are_same: SameContexts) -> bool:
        """Tell whether the context of another piece is the same."""
        own = self.piece
        return are_same(own.context, piece.context) and own.longest_text == piece.longest_text


_Found: TypeAlias = tuple[RenderedPiece | None, RenderedPiece | None]


class _Choice(msgspec.Struct, eq=False):
    """The renderings of a piece on the rungs that a budget may choose, and their cost."""

    asked: tuple[Density | None, int | None, bool]
    """The ceiling and the budget, and whether all rungs are counted."""

    on: dict[Rung | None, RenderedPiece]
    ladder: Ladder
    opened: int | None
    """The tokens of the piece showing everything, once known."""


class _Shown(msgspec.Struct, eq=False):
    """The shown part of a tree."""

    pieces: list[RenderedPiece]

    caps: list[int | None]
    """For each piece, the component's own budget if that alone kept it from a higher rung."""

    is_over: bool = False
    """True if the tree's shortest form exceeds the budget."""


class _PieceRenderer(msgspec.Struct, eq=False):
    """The rendering and counting of pieces: the part of a renderer that a :class:`Rendered` needs."""

    registry: TransformRegistry
    writer: PieceWriter
    count_tokens: TokenCounter
    later: KeptForLater | None
    before_each: Callable[[], object] | None

    def tokens(self, rendered: RenderedPiece) -> int:
        """Return the tokens of a piece, with the blank line before it."""
        if rendered.tokens is None:
            (text,) = self.writer.texts([rendered])
            rendered.tokens = self._counted(text, rendered) if text else 0
        return rendered.tokens

    def _counted(self, text: str, rendered: RenderedPiece) -> int:
        alone = self.count_tokens(f"\n\n{text}")
        if not shares_its_line(rendered.nodes[0]):
            return alone
        return max(alone, self.count_tokens(f" · {text}"))

    def cost(self, piece: Piece, cache: RenderCache | None = None) -> int:
        """Return the tokens of a piece on any rung."""
        if self.before_each is not None:
            self.before_each()
        if self.later is None:
            return self.tokens(RenderedPiece(piece, self.registry, cache=cache))
        rendered = self.later.find(piece, SameContexts())
        if rendered is None:
            rendered = RenderedPiece(piece, self.registry, cache=cache)
            self.later.keep(rendered)
        return self.tokens(rendered)

    def saved(self, rendered: RenderedPiece) -> int:
        """Return the tokens that a piece saves against showing everything."""
        if rendered.opened is None:
            rendered.opened = self.cost(rendered.piece.opened(), rendered.cache)
        return rendered.opened - self.tokens(rendered)


def as_meant(
    node: Child, density: DensityLike | None, budget: int | None
) -> tuple[Child, DensityLike | None, int | None]:
    """Return a tree, its density and its budget. In the density's place, a number is the budget, a node another one,
    and a mapping the props of a class or a function.
    """
    given: object = density
    if isinstance(given, int) and budget is None:
        return node, None, given
    if isinstance(given, Component | Element):
        return (node, cast("Child", given)), None, budget
    if isinstance(given, Mapping) and callable(node):
        return h(cast("Any", node), cast("Mapping[str, Any]", given)), None, budget
    return node, density, budget


def usual_density(node: Child, context: RenderContext) -> Density | None:
    """Return the density that a tree has if none is given, such as that of a HUD with its own reading; None for that of
    the context.
    """
    component = node.component if isinstance(node, Element) else node
    return component._usual_density(context) if isinstance(component, Component) else None  # noqa: SLF001


class Renderer:
    """A renderer of trees that caches results for the next rendering.

    :param context: the components' context, beside the density; see :class:`RenderContext`.
    :param registry: the rules; the default registry when ``None``.
    :param on_unwritable: the treatment of a piece that Markdown cannot represent: write its canonical form, or raise an
        error.
    :param keeps: how many more pieces with a ladder to cache, beside the last rendering, for trees that recur: the
        turns of a session, in any order. A piece of ten items takes some 10 kB.
    :param before_each: called before each piece is looked up or rendered. An exception ends the rendering; finished
        pieces stay cached.
    :param markdown: options of :func:`ujsx.mdast.to_markdown`.

    It caches one rendering, and as many pieces as ``keeps``. Do not share it between threads.

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
        keeps: int = 0,
        before_each: Callable[[], object] | None = None,
        **markdown: Any,
    ) -> None:
        self._keeps = keeps
        self._before_each = before_each
        self._registry = registry or default_registry
        self._writer = mdast.Writer(**markdown) if markdown else _default_writer()
        self._pieces = PieceWriter(self._writer, normalizes=on_unwritable == "normalize")
        self._context = RenderContext() if context is None else _checked(context)
        self._contexts = _contexts(self._context)
        self._kept: dict[type, list[_Standing]]
        self._last: _Last | None
        self._expansions: Sequence[Expansion]
        self._later: KeptForLater | None
        self._stand_alike = SameContexts()
        self._follow_rules()

    def render(
        self,
        node: Child,
        density: DensityLike | None = None,
        *,
        budget: int | None = None,
        previous: Rendered | None = None,
        context: RenderContext | None = None,
    ) -> Rendered:
        r"""Return ``node`` as Markdown, with its account.

        :param density: the density; the context's when ``None``. With a budget it is a ceiling, and ``None`` means no
            ceiling. With or without it, a component with its own budget (:attr:`Disclosure.budget`) never takes a rung
            above that.
        :param budget: the token budget of the text. The ladders of the tree are climbed as far as it allows. If even
            their floors exceed it, the floors are shown, and the result is ``over_budget``.
        :param previous: an earlier rendering of the tree, whose rungs are held within a budget. A section keeps its
            rung while the steps up to it fit, with all held steps before them in the order of value. Sections climb
            higher only if all of those fit, and a twelfth of the budget stays free. The budget is never exceeded;
            sections are matched by name and key. Without a budget nothing is held.
        :param context: the new context, such as the one with this turn's state; unchanged when ``None``.
        :raises UjsxError: for a tree that cannot be rendered, with the path of the node; and for a budget that is not a
            number of tokens, or is negative.

        >>> from ujsx import Component, Density, Disclosure, Rung
        >>> class Names(Component):
        ...     disclosure = Disclosure((Rung(Density.MINIMAL, 1), Rung(Density.FULL)))
        ...     names: tuple[str, ...]
        ...     def render(self, ctx, children):
        ...         return ", ".join(self.names[: ctx.limit])
        >>> names = Names(names=("Ada", "Grace", "Edith", "Joan"))
        >>> Renderer().render(names, budget=9).text, Renderer().render(names, budget=5).text
        ('Ada, Grace, Edith, Joan\n', 'Ada, Grace\n')
        """
        if not isinstance(density, str | None):
            node, density, budget = as_meant(node, density, budget)
        if budget is not None:
            token_budget(budget)
        if context is not None and context is not self._context:
            self._adopt(_checked(context))
        if density is None and budget is None:
            density = usual_density(node, self._context)
        at = self._at(density, budget)
        if self._registry.revision != self._revision:
            self._follow_rules()
        asked = (at, budget, density is None, previous)
        last = self._last
        is_asked_again = last is not None and all(map(operator.is_, asked, last.asked))
        if last is not None and is_asked_again and node is last.node and is_node(node):
            return last.rendered
        expansions = Expansions(self._expansions)
        outlined = self._outlined(node, at, expansions)
        self._expansions = expansions.now
        standing = self._standing(outlined, climbs=budget is not None)
        is_ceiling = density is not None
        if budget is None:
            shown: _Shown | None = self._render_all(standing)
        elif previous is None:
            shown = self._render_most(standing, at.density, budget, is_ceiling=is_ceiling)
        else:
            shown = None
        rendered = None if shown is None else self._written(shown)
        if rendered is None or (budget is not None and rendered.budgeted > budget):
            assert budget is not None
            shown = self._render_within(
                standing, at.density, budget, previous, is_ceiling=is_ceiling
            )
            rendered = self._written(shown)
        assert shown is not None
        self._keep(standing)
        self._last = _Last(node, asked, shown, rendered)
        return rendered

    def pieces(self, node: Child, *, density: DensityLike | None = None) -> list[Piece]:
        """Return the pieces of a tree at a density, each on its rung.

        :raises UjsxError: for a tree that cannot be rendered, with the path of the node.
        """
        outlined = self._outlined(node, self._at(density))
        if not any(map(_has_own_budget, outlined)):
            return outlined
        shown = self._render_all(self._standing(outlined))
        return [
            piece.on(rendered.piece.rung) if _has_own_budget(piece) else piece
            for piece, rendered in zip(outlined, shown.pieces, strict=True)
        ]

    def to_mdast(self, node: Child, *, density: DensityLike | None = None) -> mdast.Root:
        """Return the mdast of a tree at a density, before it is written.

        It equals :func:`ujsx.to_mdast`, except for components whose own budget is too small for their density.

        :raises UjsxError: for a tree that cannot be rendered, with the path of the node.
        """
        outlined = self._outlined(node, self._at(density))
        shown = self._render_all(self._standing(outlined))
        parts = assembled(shown.pieces, anew=True)
        return mdast.Root(tuple(block for part in parts for block in part))

    def plan(self, node: Child, *, density: DensityLike | None = None) -> BudgetPlan:
        """Return the ladders of a tree with the cost of each rung, and their steps."""
        context = self._at(density)
        standing = self._standing(self._outlined(node, context), climbs=True)
        return self._planned(standing, context.density, is_ceiling=density is not None)

    def _follow_rules(self) -> None:
        """Drop results of changed rules and other counters, and check whether the default rules still apply."""
        self._revision = self._registry.revision
        self._later = KeptForLater(self._keeps) if self._keeps else None
        self._renders = self._renderer_of_pieces()
        self._last, self._kept, self._expansions = None, {}, ()

    def _renderer_of_pieces(self) -> _PieceRenderer:
        count, later = self._context.count_tokens, self._later
        return _PieceRenderer(self._registry, self._pieces, count, later, self._before_each)

    def _adopt(self, context: RenderContext) -> None:
        """Switch to another context; results of another counter are dropped."""
        counts_alike = context.count_tokens is self._context.count_tokens
        self._context = context
        if not counts_alike:
            self._follow_rules()
        self._contexts = _contexts(context)

    def _at(self, density: DensityLike | None, budget: int | None = None) -> RenderContext:
        longest = None if budget is None else longest_text(budget)
        wanted = None if density is None else Density.of(density)
        if (wanted, longest) not in self._contexts:
            context = self._context
            if wanted is not None:
                context = context.with_density(wanted, context.limit)
            self._contexts[wanted, longest] = context.within_budget(budget)
        return self._contexts[wanted, longest]

    def _outlined(
        self, node: Child, at: RenderContext, expansions: Expansions | None = None
    ) -> list[Piece]:
        """Return the pieces of a tree."""
        roots = normalize_children(node, _ROOT)
        first = first_place(roots)
        return outline(roots, at, first=first, registry=self._registry, expansions=expansions)

    def _standing(self, outlined: Sequence[Piece], *, climbs: bool = False) -> list[_Standing]:
        """Return the pieces of a tree in their places, each with its predecessor in the last rendering.

        :param climbs: whether a budget may ask for each on several rungs.
        """
        self._stand_alike = are_same = SameContexts()
        contexts: Contexts = {}
        cache = RenderCache()
        caches = [
            cache if piece.has_budget or (climbs and piece.ladder is not None) else None
            for piece in outlined
        ]
        if not self._kept:
            pairs = zip(outlined, caches, strict=True)
            return [_Standing(piece, (), contexts, own) for piece, own in pairs]
        kinds = [type(piece.ladder) for piece in outlined]
        totals = dict.fromkeys(kinds, 0)  # a Counter takes a twentieth of a small rendering
        for kind in kinds:
            totals[kind] += 1
        counts = dict.fromkeys(kinds, 0)
        standing: list[_Standing] = []
        for piece, kind, own in zip(outlined, kinds, caches, strict=True):
            kept, place = self._kept.get(kind, ()), counts[kind]
            counts[kind] += 1
            behind = totals[kind] - place
            before = [kept[-behind]] if behind <= len(kept) else []
            if place < len(kept) and place + behind != len(kept):
                before.append(kept[place])
            twin = next((each for each in before if each.is_same(piece, are_same)), None)
            standing.append(_Standing(piece, before, contexts, own, twin))
        return standing

    def _keep(self, standing: Sequence[_Standing]) -> None:
        """Cache the renderings of a tree's pieces for the next rendering."""
        self._kept = {}
        for each in standing:
            each.before, each.twin = (), None
            self._kept.setdefault(type(each.piece.ladder), []).append(each)

    def _render_all(self, standing: Sequence[_Standing]) -> _Shown:
        """Return the rendering of each piece, from the last rendering if the piece is the same.

        The density picks the rung, unless it exceeds the component's own budget.
        """
        shown = _Shown([], [])
        for each in standing:
            piece, cap = each.piece, None
            rung = piece.rung
            if piece.has_budget and _has_own_budget(piece):
                ladder = self._choice(each, piece.context.density).ladder
                rung, cap = ladder.top, ladder.cap_at(ladder.top)
            shown.pieces.append(self._on(each, rung))
            shown.caps.append(cap)
        return shown

    def _render_most(
        self, standing: Sequence[_Standing], density: Density, budget: int, *, is_ceiling: bool
    ) -> _Shown | None:
        """Return each piece on the highest rung that a budget may choose; ``None`` where a piece decides for itself.

        :param density: the highest density to choose, if it is a ceiling.
        """
        ceiling = density if is_ceiling else Density.FULL
        pieces: list[RenderedPiece] = []
        for each in standing:
            piece, rung = each.piece, None
            if piece.ladder is not None:
                disclosure = piece.ladder.disclosed()
                if disclosure.budget is not None or piece.context.rung is not None:
                    return None
                own = piece.context.density
                if disclosure.is_apart:
                    most = own if is_ceiling or own is not density else None
                    rung = self._choice(each, most, budget=budget).ladder.top
                else:
                    rung = disclosure.highest(ceiling if own is density else min(own, ceiling))
                    is_known = each.twin is not None and rung in each.twin.on
                    if not is_known and _least(piece.rendered_on(rung, each.contexts), budget):
                        return None
            pieces.append(self._on(each, rung))
        return _Shown(pieces, [None] * len(pieces))

    def _render_within(
        self,
        standing: Sequence[_Standing],
        density: Density,
        budget: int,
        previous: Rendered | None,
        *,
        is_ceiling: bool,
    ) -> _Shown:
        """Return the rendering of each piece on the rung that a budget affords.

        The token count of the whole text decides.
        """
        plan = self._planned(standing, density, budget, is_ceiling=is_ceiling)
        if not plan.is_sure(budget, holds=previous is not None):
            plan = self._planned(standing, density, budget, is_ceiling=is_ceiling, counts_all=True)

        def cost(place: int, rung: Rung) -> int:
            return self._renders.tokens(self._on(standing[place], rung))

        def forecast(place: int, few: Rung, whole: Rung) -> list[Forecast]:
            least, most = self._on(standing[place], few), self._on(standing[place], whole)
            costs = self._renders.tokens(least), self._renders.tokens(most)
            count = self._context.count_tokens
            return Forecast.of(least.blocks, most.blocks, few.limit or 0, costs, count)

        tokens = budget
        while True:
            found = plan.within(tokens, previous)
            rungs = plan.reached(found.steps)
            part = plan.in_part(found, cost, forecast, previous)
            if part is not None and found.following is not None:
                rungs[found.following.ladder] = part
            pieces = [*map(self._on, standing, rungs)]
            text = budgeted_text(pieces, self._pieces.texts(pieces))
            over = self._context.count_tokens(text) > budget
            if not over or not (found.steps or part):
                caps = [each.cap_at(rung) for each, rung in zip(plan.ladders, rungs, strict=True)]
                return _Shown(pieces, caps, over)
            # The whole counts more than its pieces. Choose as a smaller budget does: without its last step alone, it
            # would show less than that.
            tokens = (
                sum(self._renders.tokens(each) for each in pieces if not each.piece.is_apart) - 1
            )

    def _planned(
        self,
        standing: Sequence[_Standing],
        density: Density,
        budget: int | None = None,
        *,
        is_ceiling: bool,
        counts_all: bool = False,
    ) -> BudgetPlan:
        """Return the renderings of each piece on all of its rungs, and their cost.

        A density set by an ancestor is the ceiling of a piece.

        :param counts_all: whether to count rungs that surely exceed the budget.
        """
        ladders: list[Ladder] = []
        for each in standing:
            own = each.piece.context.density
            ceiling = own if is_ceiling or own is not density else None
            choice = self._choice(each, ceiling, budget=budget, counts_all=counts_all)
            ladders.append(choice.ladder)
        return BudgetPlan.of(ladders)

    def _choice(
        self,
        standing: _Standing,
        ceiling: Density | None,
        *,
        budget: int | None = None,
        counts_all: bool = False,
    ) -> _Choice:
        """What a piece becomes on each of its rungs, and what that costs.

        Pieces are counted one by one, each with the blank line before it; the sum is hardly ever below the count of the
        whole.
        """
        asked = ceiling, budget, counts_all
        twin = standing.twin
        known = None if twin is None else twin.choice
        if known is not None and known.asked == asked:
            standing.on |= known.on
            standing.choice = known
        else:
            standing.choice = self._chosen(standing, asked)
        return standing.choice

    def _chosen(
        self, standing: _Standing, asked: tuple[Density | None, int | None, bool]
    ) -> _Choice:
        piece, tokens = standing.piece, self._renders.tokens
        if piece.ladder is None:
            rendered = self._on(standing, None)
            ladder = Ladder.of(piece, [Alternative(None, tokens(rendered))])
            return _Choice(asked, {None: rendered}, ladder, None)
        ceiling, budget, counts_all = asked
        standing.choice = None
        rungs = rungs_within(piece.ladder.disclosed(), ceiling)
        *lower, most = rungs
        least = 0
        if budget is not None and not counts_all and len(lower) > 1 and most is not None:
            least = _least(piece.rendered_on(most, standing.contexts), budget)
        if least:
            rungs = lower
        on: dict[Rung | None, RenderedPiece] = {
            rung: self._on(standing, rung) for rung in rungs if rung is not None
        }
        if not least and on[most].holds_ladders:
            rungs = _with_steps_inside(rungs)
            on = {rung: self._on(standing, rung) for rung in rungs if rung is not None}
        alternatives = [
            _HIDDEN if rung is None else Alternative(rung, tokens(on[rung])) for rung in rungs
        ]
        if least and all(each.tokens < least for each in alternatives):
            alternatives.append(Alternative(most, least, is_least=True))
        elif least and most is not None:
            on[most] = self._on(standing, most)
            alternatives.append(Alternative(most, tokens(on[most])))
        opened = None
        if top := on.get(piece.ladder.disclosed().top):
            opened = top.tokens
            for rendered in on.values():
                rendered.opened = opened
        return _Choice(asked, on, Ladder.of(piece, alternatives, budget), opened)

    def _on(self, standing: _Standing, rung: Rung | None) -> RenderedPiece:
        """Return the rendering of a piece on a rung; the account of a hidden one is that of the lowest."""
        if rung is None and standing.piece.ladder is not None:
            return self._hidden(standing)
        rendered = standing.on.get(rung)
        if rendered is None:
            twin, choice = standing.twin, standing.choice
            rendered = None if twin is None else twin.on.get(rung)
            if rendered is None:
                piece = standing.piece
                there = piece if rung is None else piece.rendered_on(rung, standing.contexts)
                rendered = self._piece(standing, there, rung)
            if choice is not None:
                rendered.opened = choice.opened
            standing.on[rung] = rendered
        return rendered

    def _hidden(self, standing: _Standing) -> RenderedPiece:
        assert standing.choice is not None
        hidden = standing.hidden or self._piece(standing, standing.piece.on(None), None)
        hidden.instead = next(iter(standing.choice.on.values()))
        hidden.opened = hidden.instead.opened
        standing.hidden = hidden
        return hidden

    def _piece(self, standing: _Standing, piece: Piece, rung: Rung | None) -> RenderedPiece:
        """Return a rendered piece; the same object as in the last rendering, if equal."""
        if self._before_each is not None:
            self._before_each()
        rendered, there = standing.found(piece, rung, self._stand_alike)
        if rendered is None and self._later is not None:
            rendered = self._later.find(piece, self._stand_alike)
        if rendered is None:
            registry, are_same, cache = self._registry, self._stand_alike, standing.cache
            if there is None:
                rendered = RenderedPiece(piece, registry, cache=cache)
            else:
                rendered = RenderedPiece.after(piece, registry, there, are_same, cache)
            if self._later is not None:
                self._later.keep(rendered)
        return rendered

    def _written(self, shown: _Shown) -> Rendered:
        """Return the shown pieces as Markdown, or the last rendering if it showed the same."""
        last = self._last
        if last is not None and _same(shown, last.shown):
            return last.rendered
        return self._write(shown)

    def _write(self, shown: _Shown) -> Rendered:
        texts = self._pieces.texts(shown.pieces)
        renders = self._renders
        text = _whole(texts)
        account = PiecesAccount(
            text,
            shown.pieces,
            shown.caps,
            texts,
            renders.count_tokens,
            renders.cost,
            renders.saved,
        )
        return Rendered(text, account, shown.is_over)


def _contexts(context: RenderContext) -> dict[tuple[Density | None, int | None], RenderContext]:
    """Return the contexts of renderings, by density and longest text."""
    return {(None, None): context, (context.density, None): context}


def _same(left: _Shown, right: _Shown) -> bool:
    return (
        len(left.pieces) == len(right.pieces)
        and all(map(operator.is_, left.pieces, right.pieces))
        and (left.caps, left.is_over) == (right.caps, right.is_over)
    )


def _with_steps_inside(rungs: Sequence[Rung | None]) -> list[Rung | None]:
    """Return rungs with steps between them that differ only in the nested ladders.

    Nested components show no less than on the rung below, so each step shows at least what those before do.
    """
    found: list[Rung | None] = []
    below = Density.MINIMAL
    for rung in rungs:
        if rung is None:
            found.append(None)
        else:
            found += rung.steps_inside(below)
            below = rung.inner_density or rung.density
    return found


def _has_own_budget(piece: Piece) -> bool:
    """Tell whether a piece may need a lower rung than its density picks."""
    return piece.has_budget and piece.context.rung is None


def _least(piece: Piece, budget: int) -> int:
    """Return a lower bound of a piece's tokens if it exceeds the budget, or the component's own; otherwise 0."""
    ladder, context = piece.ladder, piece.context
    if ladder is None or context.limit is not None:  # the usual case
        return 0
    least = ladder._least_tokens(context)  # noqa: SLF001 - props may have any public name
    if least <= budget:
        return 0
    most = max(budget, ladder.disclosed().budget or 0)
    if least > most:  # a counter may find less in a line than a token
        least = min(least, least * context.count_tokens(_SHORT_LINES) // _SHORT_LINES.count("\n"))
    return least if least > most else 0


_SHORT_LINES = "\n- a" * 64


_LONGEST_NUMBER = 12
"""Digits of a text that is taken for a budget in a message; Python refuses to read very long ones."""


def token_budget(given: object, *, or_else: str = "") -> int:
    """Return a budget after validation: a number of tokens, 0 or more. All functions with a budget use it.

    :param or_else: the alternatives to a number, as a message names them.
    :raises RenderError: for anything else.

    >>> token_budget(300)
    300
    >>> token_budget(-5)
    Traceback (most recent call last):
    ujsx.errors.RenderError: a budget must be a number of tokens, 0 or more, not -5
    """
    if isinstance(given, int) and not isinstance(given, bool) and given >= 0:
        return given
    rest = f", or {or_else}" if or_else else ""
    line = ""
    if isinstance(given, str) and given.isdecimal() and len(given) < _LONGEST_NUMBER:
        line = f"; write {int(given)}"
    raise RenderError(
        f"a budget must be a number of tokens, 0 or more{rest}, not {shown(given)}{line}"
    )


def _checked(context: object) -> RenderContext:
    if not isinstance(context, RenderContext):
        raise RenderError(
            f"a context is a RenderContext, not {shown(context)}; to bind a value, give "
            "RenderContext().with_value(value), from ujsx import RenderContext"
        )
    return context


def _whole(texts: Iterable[str]) -> str:
    text = "".join([*texts, "\n"])
    return "" if text == "\n" else text


_HIDDEN = Alternative(None, 0)


@cache
def _default_writer() -> mdast.Writer:
    return mdast.Writer()


_ROOT = Fragment()
