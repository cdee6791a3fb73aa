"""Components become primitives: what an author composed is expanded, and nothing else changes.

A component with a ladder of its own gets the rung that the context's density picks; one without
passes the context on as it is. An error says where in the tree it arose.
"""

from __future__ import annotations

from inspect import isawaitable, iscoroutine
from typing import Any, cast

from ujsx.components._component import PLAIN, Component, as_element
from ujsx.components._component_type import is_component_class
from ujsx.components._context import RenderContext
from ujsx.components._element import MAX_DEPTH, Child, Children, Element, Node, normalize_children
from ujsx.components._fragment import Fragment
from ujsx.components._interpolations import interpolations_of
from ujsx.elements import Section
from ujsx.elements._for_each import ForEach
from ujsx.errors import RenderError, UjsxError


def resolve(node: Child, context: RenderContext | None = None) -> Node:
    """Return the universal tree of ``node``: primitives and text only.

    Several nodes come back in a ``Fragment``, and so does nothing.

    :raises RenderError: for a component that cannot be resolved, with its path.

    >>> from ujsx import component
    >>> from ujsx.elements import strong
    >>> @component
    ... def Loud(ctx, children):
    ...     return strong(children, "!")
    >>> resolve(Loud()["hey"]) == strong("hey", "!")
    True
    """
    roots = normalize_children(node, Fragment())
    nodes = resolve_all(roots, context or RenderContext(), first=first_place(roots))
    return nodes[0] if len(nodes) == 1 else Element.of(Fragment(), nodes)


def resolve_all(nodes: Children, ctx: RenderContext, level: int = 0, first: int = 0) -> Children:
    """Return the primitives and texts that ``nodes`` stand for, in their order.

    ``first`` is the place of the first of them among its siblings.
    """
    out: list[Node] = []
    for place, node in enumerate(nodes, first):
        if type(node) is str:
            out.append(node)
            continue
        element = as_element(cast("Component | Element", node))
        if element.is_resolved:
            out.append(node)
            continue
        try:
            if level > MAX_DEPTH:
                raise RenderError(f"nested more than {MAX_DEPTH} deep; does it render itself?")
            if element.component.is_primitive:
                inner = ctx
                if element.component.discloses:
                    inner = disclosed_context(element.component, inner)
                if isinstance(element.component, Section):
                    inner = inner.deeper()
                children = resolve_all(element.children, inner, level + 1)
                resolved = not element.component.is_fragment
                out.append(Element(element.component, children, element.key, resolved))
            else:
                children, inner = expand(element, ctx)
                out.extend(resolve_all(children, inner, level + 1))
        except UjsxError as error:
            error.within(place_of(element, place))
            raise
    return tuple(out)


def expand(node: Component | Element, ctx: RenderContext) -> tuple[Children, RenderContext]:
    """Return what a composite renders to, and the context in which that stands.

    :raises RenderError: when ``render`` is asynchronous, it or ``provide`` raises, or it gives
        what is no node.
    """
    component: Component
    component, children = (node.component, node.children) if type(node) is Element else (node, ())  # type: ignore[assignment]
    if component.discloses:
        component = component.in_context(ctx) if ctx.values else component
        ctx = disclosed_context(component, ctx)
    try:
        made: Any = component.render(ctx, children)
        if made is None:
            return (), ctx
        inner = component.provide(ctx) if component.provides else ctx
    except UjsxError:
        raise
    except Exception as error:
        name = type(error).__name__
        places = "".join(f"; of a template: {each}" for each in interpolations_of(component))
        raise RenderError(f"its render raised {name}: {error}{places}") from error
    of: type[Any] = made.__class__
    if of not in _PLAIN and not is_component_class(of):
        if iscoroutine(made):
            made.close()
        if isawaitable(made) or hasattr(of, "__aiter__"):
            raise RenderError(
                "its render is asynchronous, and a rendering never waits; fetch what it needs "
                "first and pass it as a prop"
            ).made_by(component.render)
    try:
        return normalize_children(made, component), inner
    except UjsxError as error:
        raise error.made_by(component.render) from None


def disclosed_context(component: Component, ctx: RenderContext) -> RenderContext:
    """Return ``ctx`` on the rung that a budget or the density picks from the component's ladder."""
    disclosure = component.disclosed()
    if disclosure is PLAIN:
        return ctx
    rung = ctx.rung or disclosure.at(ctx.inside or ctx.density)
    is_there = (rung.density, rung.limit, rung.detailed) == (ctx.density, ctx.limit, ctx.detailed)
    if is_there and rung.width is None and ctx.rung is None and rung.inside is ctx.inside:
        return ctx
    return ctx.on_rung(rung)


def holds_ladders(nodes: Children, ctx: RenderContext) -> bool:
    """Tell whether components with ladders are among nodes that can be resolved, or inside of them."""
    for node in nodes:
        if type(node) is str:
            continue
        element = as_element(cast("Component | Element", node))
        if element.is_resolved:
            continue
        component = element.component
        if component.discloses and component.disclosed() is not PLAIN:
            return True
        rows: Any = component
        if type(component) is ForEach and rows.each is None:  # a template holds none
            inner = tuple([row for row in rows.rows if type(row) is not tuple]), ctx
        else:
            inner = (element.children, ctx) if component.is_primitive else expand(element, ctx)
        if holds_ladders(*inner):
            return True
    return False


def place_of(element: Element, place: int) -> str:
    """Return how a path names a node: by its key where it has one, else by its place."""
    name = type(element.component).__name__
    if element.key is not None:
        return f"{name}[{element.key}]"
    return name if place == ALONE else f"{name}[{place}]"


def first_place(roots: Children) -> int:
    """Return the place of the first root: a single root has no siblings to count."""
    return ALONE if len(roots) == 1 else 0


ALONE = -1

_PLAIN: frozenset[type] = frozenset({str, tuple, list, Element, type(None)})
"""What a render mostly gives, and what is never awaitable."""
