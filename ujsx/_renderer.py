"""From a tree to Markdown, keeping what did not change.

A renderer takes the pieces of a tree through the registry and the writer. What a piece became is
kept until the next rendering, and used again when the piece is the same by value. The same nodes
in the same context give the same text, so a rendering never depends on what was rendered before.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias

from ujsx import mdast
from ujsx._budget import Offer, affordable, rungs_within, steps_of, worthwhile
from ujsx._component import Component
from ujsx._context import RenderContext
from ujsx._density import Density, DensityLike, Disclosure, Rung
from ujsx._element import Child, Children, is_node, normalize_children
from ujsx._errors import MdastError, RenderError, UjsxError, shown
from ujsx._fragment import Fragment
from ujsx._outline import Piece, opens_alike, outline
from ujsx._registry import Transform, TransformRegistry
from ujsx._rendered import CountedText, Rendered, RenderedPart
from ujsx._resolve import first_place, resolve_all
from ujsx.mdast._normalize import canonical_blocks
from ujsx.transforms import registry as default_registry
from ujsx.transforms._content import is_inline, to_blocks
from ujsx.transforms._to_mdast import section_heading


@dataclass(slots=True, eq=False)
class _Made:
    """What a piece became: its nodes as they may stand anywhere, and as blocks."""

    piece: Piece
    resolved: Children
    nodes: list[Any]
    blocks: list[Any]
    tokens: int | None = None


_Kept: TypeAlias = dict[tuple[type, int, Rung | None], _Made]


@dataclass(slots=True, eq=False)
class _Last:
    """The last rendering, and what it was made of."""

    node: Child
    asked: tuple[Any, ...]
    made: list[_Made]
    rendered: Rendered


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
        self._normalizes = on_unwritable == "normalize"
        given: object = context
        if not isinstance(given, RenderContext | None):
            raise RenderError(
                f"a context is a RenderContext, not {shown(given)}; to bind a value, give "
                "RenderContext().having(value)"
            )
        self._context = context or RenderContext()
        self._contexts: dict[Density, RenderContext] = {self._context.density: self._context}
        self._kept: _Kept = {}
        self._texts: dict[str, CountedText] = {}
        self._memo: Any = {}
        self._last: _Last | None = None

    def render(
        self,
        node: Child,
        *,
        density: DensityLike | None = None,
        budget: int | None = None,
    ) -> Rendered:
        r"""Return ``node`` as Markdown, with an account of it.

        :param density: how much to show; the context's density when ``None``. With a budget it is
            a ceiling, and there is none when ``None``.
        :param budget: how many tokens the text may have. The ladders of the tree are climbed as
            far as it reaches; when even their floors exceed it, they are what is shown, and the
            result says so: ``over_budget``.
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
        limit: object = budget
        if not isinstance(limit, int | None):
            raise RenderError(f"a budget is a number of tokens, not {shown(limit)}")
        context = self._at(density)
        asked = (context, budget, density is None)
        last = self._last
        if (
            last is not None
            and all(map(operator.is_, asked, last.asked))
            and is_node(node)
            and is_node(last.node)
            and opens_alike(node, last.node)
        ):
            return last.rendered
        roots = normalize_children(node, _ROOT)
        pieces = outline(roots, context, first=first_place(roots))
        if budget is None:
            made, over = self._make_all(pieces), False
        else:
            made, over = self._climb(pieces, context.density, density is not None, budget)
        if last is not None and over is last.rendered.over_budget and _same(made, last.made):
            rendered = last.rendered
        else:
            rendered = self._write(made, over)
        self._last = _Last(node, asked, made, rendered)
        return rendered

    def _at(self, density: DensityLike | None) -> RenderContext:
        if density is None:
            return self._context
        wanted = Density.of(density)
        if wanted not in self._contexts:
            self._contexts[wanted] = self._context.at(wanted, self._context.limit)
        return self._contexts[wanted]

    def _make_all(self, pieces: Iterable[Piece]) -> list[_Made]:
        """What each piece became, taken from the last rendering where the piece is the same."""
        kept, self._kept = self._kept, {}
        return [self._made(piece, place, kept) for place, piece in _placed(pieces)]

    def _climb(
        self, pieces: list[Piece], density: Density, is_ceiling: bool, budget: int
    ) -> tuple[list[_Made], bool]:
        """What each piece became on the rung that the budget reaches, and whether it was exceeded.

        A density that an ancestor gave a piece is its ceiling.

        Pieces are counted one by one, each with the blank line before it, which is no less than
        the whole. What a counter makes of the whole decides.
        """
        kept, self._kept = self._kept, {}
        choices: list[dict[Rung | None, _Made]] = []
        ladders: list[list[Offer]] = []
        disclosures: list[Disclosure] = []
        for place, piece in _placed(pieces):
            if piece.ladder is None:
                choices.append({None: self._made(piece, place, kept)})
                ladders.append([Offer(None, self._tokens(choices[-1][None]))])
                disclosures.append(Component.disclosure)
                continue
            disclosure = piece.ladder.disclosed()
            own = piece.context.density
            rungs = rungs_within(disclosure, own if is_ceiling or own is not density else None)
            choices.append({rung: self._made(piece.on(rung), place, kept) for rung in rungs})
            if None in choices[-1]:  # what is hidden is accounted for as on the lowest rung
                choices[-1][None].resolved = choices[-1][rungs[1]].resolved
            offers = [Offer(rung, self._tokens(made)) for rung, made in choices[-1].items()]
            ladders.append(worthwhile(offers))
            disclosures.append(disclosure)
        steps = steps_of(ladders, disclosures)
        taken = affordable(steps, budget - sum(offers[0].tokens for offers in ladders))
        while True:
            reached = [0] * len(ladders)
            for step in steps[:taken]:
                reached[step.ladder] = step.to
            made = [
                choice[offers[to].rung]
                for choice, offers, to in zip(choices, ladders, reached, strict=True)
            ]
            over = self._write(made, False).tokens > budget
            if not over or not taken:
                return made, over
            taken -= 1

    def _made(self, piece: Piece, place: tuple[type, int], kept: _Kept) -> _Made:
        key = (*place, piece.context.rung)
        made = kept.get(key)
        if made is None or not made.piece.renders_like(piece):
            made = self._make(piece)
        self._kept[key] = made
        return made

    def _tokens(self, made: _Made) -> int:
        """The tokens of a piece with the blank line before it."""
        if made.tokens is None:
            text = "".join(text for _, text in self._blocks([made]))
            made.tokens = self._context.count_tokens(f"\n\n{text}") if text else 0
        return made.tokens

    def _make(self, piece: Piece) -> _Made:
        if piece.heading is not None:
            heading = [section_heading(piece.heading, piece.context.depth)]
            return _Made(piece, (), heading, heading)
        if piece.is_hidden:
            return _Made(piece, (), [], [])
        transform = Transform(self._registry, "ujsx -> mdast", piece.context)
        try:
            resolved = resolve_all(piece.nodes, piece.context, first=piece.first)
            nodes = transform.all(resolved)
        except UjsxError as error:
            piece.locate(error)
            raise
        return _Made(piece, resolved, nodes, to_blocks(nodes))

    def _write(self, made: Sequence[_Made], over_budget: bool) -> Rendered:
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
        text = f"{whole}\n" if whole else ""
        return Rendered(text, parts, self._context.count_tokens, self._cost, over_budget)

    def _cost(self, piece: Piece) -> int:
        return self._tokens(self._make(piece))

    def _blocks(self, made: Sequence[_Made]) -> Iterator[tuple[int, str]]:
        """The text of each block, with the index of the piece that it belongs to."""
        blocks, owners = _assembled(made)
        memo = None if self._last is None else self._memo  # of use from the second rendering on
        try:
            texts = self._writer.blocks(blocks, memo)
        except MdastError:
            if not self._normalizes:
                raise
            self._make_writable(made)
            blocks, owners = _assembled(made, canonical=True)
            blocks = _canonical(blocks)  # again, for what depends on its place: front matter, HTML
            texts = self._writer.blocks(blocks, memo)
        if len(self._memo) > 2 * len(blocks):
            used = {id(block) for block in blocks}
            self._memo = {key: kept for key, kept in self._memo.items() if key in used}
        return zip(owners, texts, strict=True)

    def _make_writable(self, made: Sequence[_Made]) -> None:
        """Put the pieces that Markdown cannot represent in canonical form."""
        refused = [each for each in made if not self._can_write(each.blocks)]
        for each in refused or made:
            each.blocks = _canonical(each.blocks)

    def _can_write(self, blocks: list[Any]) -> bool:
        try:
            self._writer.blocks(blocks)
        except MdastError:
            return False
        return True


def _canonical(blocks: list[Any]) -> list[Any]:
    """The canonical form of a part of a document: its references may lead out of it."""
    return list(canonical_blocks(blocks, complete=False))


def _assembled(made: Sequence[_Made], *, canonical: bool = False) -> tuple[list[Any], list[int]]:
    """All blocks in order, and for each the index of the piece that it belongs to.

    Where inline content of two pieces meets at the same depth, it is one paragraph; with
    ``canonical``, such a paragraph is put in canonical form.
    """
    blocks: list[Any] = []
    owners: list[int] = []
    index = 0
    while index < len(made):
        last = index
        own = made[index].blocks
        in_line = _ends_in_line(made[index].nodes)
        following = index + 1
        while in_line and following < len(made):
            nodes = made[following].nodes
            if nodes:  # a piece that is nothing parts nothing
                if not _goes_on(made[last], made[following]):
                    break
                last, in_line = following, _ends_in_line(nodes, before=in_line)
            following += 1
        if last > index:
            own = to_blocks([node for each in made[index : last + 1] for node in each.nodes])
            own = _canonical(own) if canonical else own
        blocks += own
        owners += [index] * len(own)
        index = last + 1
    return blocks, owners


def _ends_in_line(nodes: list[Any], *, before: bool = False) -> bool:
    """Tell whether nodes end in inline content; HTML is inline where it follows such."""
    for node in reversed(nodes):
        if type(node) is not mdast.Html:
            return is_inline(node)
    return before


def _goes_on(left: _Made, right: _Made) -> bool:
    """Tell whether ``right`` starts with what may go on in the line that ``left`` ends in."""
    first = right.nodes[0]
    return (
        is_inline(first) or type(first) is mdast.Html
    ) and left.piece.context.depth == right.piece.context.depth


def _placed(pieces: Iterable[Piece]) -> Iterator[tuple[tuple[type, int], Piece]]:
    """Each piece with what it is known by from one rendering to the next: its kind and number."""
    counts: dict[type, int] = {}
    for piece in pieces:
        kind = type(piece.ladder)
        counts[kind] = counts.get(kind, -1) + 1
        yield (kind, counts[kind]), piece


def _same(left: Sequence[_Made], right: Sequence[_Made]) -> bool:
    return len(left) == len(right) and all(a is b for a, b in zip(left, right, strict=True))


@cache
def _default_writer() -> mdast.Writer:
    return mdast.Writer()


_ROOT = Fragment()
