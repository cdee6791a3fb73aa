"""A tree as the sequence of pieces that a rendering is made of.

Components with a ladder are pieces of their own: their rung can be chosen and their output kept.
What stands between them is a piece too. Composites without a ladder and sections open up, so that
the pieces inside them are found.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

from ujsx._density import Rung
from ujsx.components._component import PLAIN, Component, as_element
from ujsx.components._context import RenderContext
from ujsx.components._element import MAX_DEPTH, Children, Element, Node
from ujsx.elements import Section
from ujsx.errors import RenderError, UjsxError
from ujsx.trees._resolve import ALONE, expand, place_of

Trail: TypeAlias = "tuple[Trail, Element, int] | None"
"""The opened ancestors of a piece, innermost first, each with its place among its siblings."""


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

    is_hidden: bool = False
    """Whether a budget has no room for the component at all."""

    @property
    def rung(self) -> Rung | None:
        """The rung that the component stands on; ``None`` if it is hidden, or has no ladder."""
        if self.ladder is None or self.is_hidden:
            return None
        return self.context.rung or self.ladder.disclosed().at(self.context.density)

    def on(self, rung: Rung | None) -> Piece:
        """Return the piece on another rung, or hidden."""
        if rung is None:
            return msgspec.structs.replace(self, is_hidden=True)
        return msgspec.structs.replace(self, context=self.context.with_rung(rung), is_hidden=False)

    def opened(self) -> Piece:
        """Return the piece on the highest rung of its ladder."""
        return self if self.ladder is None else self.on(self.ladder.disclosed().ladder[-1])

    def renders_like(self, other: Piece) -> bool:
        """Tell whether both render to the same; where they stand is no part of that."""
        return self.holds_like(other) and (
            self.context is other.context or self.context == other.context
        )

    def holds_like(self, other: Piece) -> bool:
        """Tell whether both render to the same in the same context."""
        return (
            self.is_hidden is other.is_hidden
            and self.nodes == other.nodes
            and self.heading == other.heading
        )

    @property
    def name(self) -> str:
        """The component's class name, and its key in brackets where it has one."""
        if self.ladder is None:
            return ""
        return place_of(Element(self.ladder, (), self.key), ALONE)

    @property
    def label(self) -> str:
        """What stands here: the component's name, ``Section`` for a heading, else the nodes' names."""
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

    def stands_like(self, other: Piece) -> bool:
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


def outline(nodes: Children, ctx: RenderContext, *, first: int = 0) -> list[Piece]:
    """Return the pieces of ``nodes`` in their order.

    :param first: the place of the first node among its siblings.
    :raises RenderError: for a component that cannot be resolved, with its path.
    """
    pieces: list[Piece] = []
    _collect(nodes, ctx, pieces, first=first)
    return pieces


def _collect(
    nodes: Children,
    ctx: RenderContext,
    into: list[Piece],
    *,
    first: int = 0,
    trail: Trail = None,
    level: int = 0,
) -> None:
    between: list[Node] = []
    node: Any
    for place, node in enumerate(nodes, first):
        if type(node) is str or (type(node) is Element and node.is_resolved):
            between.append(node)
            continue
        is_element = type(node) is Element
        component: Any = node.component if is_element else node
        if component.is_primitive and not _opens(component):
            between.append(node)
            continue
        if between:
            into.append(Piece(tuple(between), ctx, first=place - len(between), trail=trail))
            between.clear()
        if component.disclosed() is not PLAIN:
            key = node.key if is_element else None
            into.append(Piece((node,), ctx, component, key, None, place, trail))
        else:
            element = as_element(node)
            _open(element, ctx, into, (trail, element, place), level + 1)
    if between:
        place = first + len(nodes) - len(between)
        into.append(Piece(tuple(between), ctx, first=place, trail=trail))


def _opens(component: Component) -> bool:
    return not component.is_primitive or component.is_fragment or isinstance(component, Section)


def _open(
    element: Element, ctx: RenderContext, into: list[Piece], trail: Trail, level: int
) -> None:
    children = element.children
    if isinstance(element.component, Section):
        into.append(Piece((), ctx, heading=element.component))
        ctx = ctx.deeper()
    elif not element.component.is_fragment:
        try:
            if level > MAX_DEPTH:
                raise RenderError(f"nested more than {MAX_DEPTH} deep; does it render itself?")
            children, ctx = expand(element, ctx)
        except UjsxError as error:
            _locate(error, trail)
            raise
    _collect(children, ctx, into, trail=trail, level=level)


def _locate(error: UjsxError, trail: Trail) -> None:
    while trail is not None:
        trail, element, place = trail
        error.within(place_of(element, place))
