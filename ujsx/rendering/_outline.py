"""A tree as the sequence of pieces that a rendering is made of.

Components with a ladder are pieces of their own: their rung can be chosen and their output kept.
What stands between them is a piece too. Composites without a ladder and sections open up, so that
the pieces inside them are found; one that has a rule of its own does not.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import msgspec

from ujsx._density import Rung, width_of
from ujsx.components._component import PLAIN, Component, as_element
from ujsx.components._context import RenderContext
from ujsx.components._element import MAX_DEPTH, Children, Element, Node
from ujsx.components._fragment import Fragment
from ujsx.elements import Section
from ujsx.errors import MissingRuleError, RenderError, UjsxError
from ujsx.transforms import registry as default_registry
from ujsx.transforms._registry import TransformRegistry
from ujsx.transforms._to_mdast import TO_MDAST
from ujsx.transforms._transform import OPEN
from ujsx.trees._resolve import ALONE, expand, place_of

Trail: TypeAlias = "tuple[Trail, Element, int] | None"
"""The opened ancestors of a piece, innermost first, each with its place among its siblings."""

Contexts: TypeAlias = dict[tuple[int, int], tuple[Rung, RenderContext]]
"""The contexts of pieces on their rungs, by the ``id`` of the context and of the rung, which is kept so
that its ``id`` stays its own."""


class Piece(msgspec.Struct, eq=False):
    """Neighbouring nodes that are rendered together, and the context in which they stand."""

    nodes: Children
    context: RenderContext
    ladder: Component | None = None
    """The component whose ladder decides how much the piece shows."""

    key: str | None = None
    """The component's key."""

    heading: Section | None = None
    """The section that opens here; the piece is then its heading alone."""

    first: int = 0
    """The place of the first node among its siblings."""

    trail: Trail = None

    sections: int = 0
    """How many sections are open here; a context may say otherwise."""

    is_hidden: bool = False
    """Whether a budget has no room for the component at all."""

    has_budget: bool = False
    """Whether the component says itself how many tokens it may have."""

    longest_text: int | None = None
    """How many characters its texts have at most on a rung that does not say so itself."""

    @property
    def rung(self) -> Rung | None:
        """The rung that the component stands on; ``None`` if it is hidden, or has no ladder."""
        if self.ladder is None or self.is_hidden:
            return None
        context = self.context
        return context.rung or self.ladder.disclosed().at(context.inside or context.density)

    def on(self, rung: Rung | None) -> Piece:
        """Return the piece on another rung, or hidden."""
        if rung is None:
            return msgspec.structs.replace(self, is_hidden=True)
        return msgspec.structs.replace(self, context=self.context.with_rung(rung), is_hidden=False)

    def rendered_on(self, rung: Rung, contexts: Contexts | None = None) -> Piece:
        """Return the piece as it is rendered on a rung, whatever the density around it: that says nothing any more.

        So what a component becomes on a rung is one piece, whichever density or budget asks for it.

        :param contexts: those of pieces beside it, which it shares.
        """
        known_as = id(self.context), id(rung)
        found = None if contexts is None else contexts.get(known_as)
        if found is None:
            context = msgspec.structs.replace(
                self.context,
                density=rung.density,
                limit=rung.limit,
                inside=rung.inside,
                detailed=rung.detailed,
                rung=rung,
                longest_text=self.longest_text if width_of(rung) is None else None,
            )
            found = rung, context
            if contexts is not None:
                contexts[known_as] = found
        return msgspec.structs.replace(self, context=found[1], is_hidden=False)

    def opened(self) -> Piece:
        """Return the piece as it shows everything that there is."""
        return self if self.ladder is None else self.rendered_on(self.ladder.disclosed().top)

    def is_like(self, other: Piece) -> bool:
        """Tell whether both become the same where their contexts are the same: they consist of the same nodes.

        What an account tells of them is the same, too: the names around them, and how many sections.
        """
        return (
            self.is_hidden is other.is_hidden
            and self.nodes == other.nodes
            and self.heading == other.heading
            and self.sections == other.sections
            and (self.trail is other.trail or self._trails(other))
        )

    @property
    def name(self) -> str:
        """The component's class name, and its key in brackets where it has one."""
        if self.ladder is None:
            return ""
        return place_of(Element(self.ladder, (), self.key), ALONE)

    @property
    def label(self) -> str:
        """The label of the piece: the component's name, ``Section`` for a heading, else the nodes' names."""
        if self.heading is not None:
            return type(self.heading).__name__
        return self.name or " ".join(dict.fromkeys(map(_kind, self.nodes)))

    @property
    def around(self) -> str:
        """The names of the composites around the piece, each with a slash behind it."""
        path, trail = "", self.trail
        while trail is not None:
            trail, element, _ = trail
            path = f"{place_of(element, ALONE)} / {path}"
        return path

    def _trails(self, other: Piece) -> bool:
        """Tell whether both have the same names around them."""
        left, right = self.trail, other.trail
        while left is not right:
            if left is None or right is None:
                return False
            left, one, _ = left
            right, another, _ = right
            if type(one.component) is not type(another.component) or one.key != another.key:
                return False
        return True

    def locate(self, error: UjsxError) -> None:
        """Put the piece's ancestors in front of an error's path."""
        _locate(error, self.trail)


def _kind(node: Node) -> str:
    if isinstance(node, str):
        return "text"
    return type(node.component if isinstance(node, Element) else node).__name__


def outline(
    nodes: Children,
    ctx: RenderContext,
    *,
    first: int = 0,
    registry: TransformRegistry = default_registry,
) -> list[Piece]:
    """Return the pieces of ``nodes`` in their order.

    :param first: the place of the first node among its siblings.
    :param registry: its rules say what opens up.
    :raises RenderError: for a component that cannot be resolved, with its path.
    """
    pieces: list[Piece] = []
    _Outline(registry, pieces).collect(nodes, ctx, first=first)
    return pieces


class _Outline(NamedTuple):
    registry: TransformRegistry

    into: list[Piece]

    def collect(
        self,
        nodes: Children,
        ctx: RenderContext,
        *,
        first: int = 0,
        trail: Trail = None,
        level: int = 0,
        sections: int = 0,
    ) -> None:
        between: list[Node] = []

        def part(end: int) -> None:
            """The part before this place, as a piece."""
            place = end - len(between)
            self.into.append(
                Piece(tuple(between), ctx, first=place, trail=trail, sections=sections)
            )
            between.clear()

        node: Any
        for place, node in enumerate(nodes, first):
            if type(node) is str or (type(node) is Element and node.is_resolved):
                between.append(node)
                continue
            is_element = type(node) is Element
            component: Any = node.component if is_element else node
            disclosure = component.disclosed() if component.discloses else PLAIN
            if disclosure is not PLAIN:
                if between:
                    part(place)
                key = node.key if is_element else None
                standing = component.in_context(ctx) if ctx.values else component
                if standing is not component:
                    disclosure = standing.disclosed()
                    component = standing
                    node = Element(standing, node.children, key) if is_element else standing  # noqa: PLW2901
                has_budget = disclosure.budget is not None
                own = ctx if disclosure.budget is None else ctx.within_budget(disclosure.budget)
                self.into.append(
                    Piece(
                        (node,),
                        own,
                        component,
                        key,
                        first=place,
                        trail=trail,
                        sections=sections,
                        has_budget=has_budget,
                        longest_text=own.longest_text,
                    )
                )
            else:
                rule = self._opening(component)
                if rule is None:
                    between.append(node)
                    continue
                if between:
                    part(place)
                element = as_element(node)
                self._open(rule, element, ctx, (trail, element, place), level + 1, sections)
        if between:
            part(first + len(nodes))

    def _opening(self, component: Component) -> Any:
        """Return the rule of what opens up; ``None`` where a rule of its own makes something else of it."""
        if component.is_primitive and not isinstance(component, Section | Fragment):
            return None
        try:
            rule = self.registry.find("ujsx -> mdast", type(component))
        except MissingRuleError:  # it is an error where it is transformed, which says where
            return None
        return rule if rule in _OPENING else None

    def _open(  # noqa: PLR0917 - all of it is where the element stands
        self,
        rule: Any,
        element: Element,
        ctx: RenderContext,
        trail: Trail,
        level: int,
        sections: int,
    ) -> None:
        component, children = element.component, element.children
        if rule is _SECTION and isinstance(component, Section):
            self.into.append(Piece((), ctx, heading=component, sections=sections))
            ctx, sections = ctx.deeper(), sections + 1
        elif rule is OPEN:
            try:
                if level > MAX_DEPTH:
                    raise RenderError(f"nested more than {MAX_DEPTH} deep; does it render itself?")
                children, ctx = expand(element, ctx)
            except UjsxError as error:
                _locate(error, trail)
                raise
        self.collect(children, ctx, trail=trail, level=level, sections=sections)


_SECTION, _FRAGMENT = TO_MDAST[Section], TO_MDAST[Fragment]
_OPENING = (OPEN, _SECTION, _FRAGMENT)
"""Rules of what opens up."""


def _locate(error: UjsxError, trail: Trail) -> None:
    while trail is not None:
        trail, element, place = trail
        error.within(place_of(element, place))
