"""What a test may give to be rendered: a tree, or whatever renders one.

A session knows its state, its layout and how dense it is to be shown, and all that a test needs of it
is that it gives a :class:`Rendered` for a density or a budget. So this room knows no sessions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import signature
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias, cast

from msgspec.structs import replace
from pydantic import BaseModel

from ujsx import Child, Component, DensityLike, Element, Fragment, RenderContext, Rendered, Renderer
from ujsx.components import Now
from ujsx.components._element import normalize_children
from ujsx.errors import RenderError, shown


class Renders(Protocol):
    """Renders the same thing at any density, or within any budget.

    Bound methods do, such as ``session.hud``, and ``partial(session.hud, layout=mine)``.
    """

    def __call__(
        self, *, density: DensityLike | None = None, budget: int | None = None
    ) -> Rendered:
        """Return the rendering; it is asked for one of both."""
        ...


class ShowsHud(Protocol):
    """What shows a HUD, as a session does."""

    def hud(self, *, density: DensityLike | None = None, budget: int | None = None) -> Rendered:
        """Return the HUD at a density, or within a budget."""
        ...


Renderable: TypeAlias = "Child | ShowsHud | Renders"
"""A tree, a session, or a function that renders."""


def renders(
    what: Renderable,
    *,
    context: RenderContext | None = None,
    state: object = None,
    now: int | None = None,
) -> Renders:
    """Return what renders ``what``.

    :param context: what the components of a tree know beside the density.
    :param state: what is bound to that context, for a layout whose sections take their data from it.
    :param now: what time it is, in milliseconds since the Unix epoch: for what tells an age.
    :raises RenderError: for what is rendered already, for a function that takes no density and no
        budget, and for a context or a state beside what has its own.
    :raises ChildError: for what is neither a tree nor renders one.

    >>> from functools import partial
    >>> from ujsx import render_document
    >>> renders("hello")(budget=5).text == renders(partial(render_document, "hello"))(budget=5).text
    True
    """
    own = _own(what, now)
    if own is None:
        known = context or RenderContext()
        bound = known if state is None else with_state(known, state)
        bound = bound if now is None else bound.with_value(Now(now))
        # A generator can be read once; what it gave can be rendered many times.
        nodes = normalize_children(cast("Child", what), Fragment())
        return partial(Renderer(context=bound).render, nodes)
    if context is not None or state is not None:
        raise RenderError(
            f"{_named(what)} renders its own state, so it takes no context= and no state=; give a "
            "layout with state=session.state(), or partial(session.hud, layout=…)"
        )
    return own


def with_state(context: RenderContext, state: object) -> RenderContext:
    """Return a context in which ``state`` is found under its class, and under those that it extends.

    A section looks for the class that it was written for; a state of one's own extends that class.

    >>> class State(int): ...
    >>> context = with_state(RenderContext(), State(3))
    >>> context.get(int), context.get(State)
    (3, 3)
    """
    kinds = [each for each in type(state).__mro__ if each not in {object, BaseModel}]
    values: dict[type[Any], Any] = {**context.values, **dict.fromkeys(kinds, state)}
    return replace(context, values=MappingProxyType(values))


def _own(what: object, now: int | None) -> Renders | None:
    """What renders ``what`` by itself, at that time; ``None`` for a tree."""
    if isinstance(what, str | Component | Element | type):
        return None
    if isinstance(what, Rendered):
        raise RenderError(
            "a Rendered is rendered already, at one density; give what renders it: the session, "
            "session.hud, partial(session.hud, layout=…), or the tree"
        )
    hud = getattr(what, "hud", None)
    function = hud if callable(hud) else what
    if not callable(function):
        return None
    _check_arguments(function, what)
    if now is not None:
        _check_now(function, what)
        function = partial(function, now=now)
    return partial(_rendered, function, _named(what))


def _check_arguments(function: Callable[..., Any], what: object) -> None:
    try:
        for name in ("density", "budget"):
            signature(function).bind(**{name: None})
    except TypeError as error:
        raise RenderError(
            f"{_named(what)} cannot render tiers: it is called with density= or with budget=, and "
            f"gives a Rendered; {error}"
        ) from None
    except ValueError:  # what is not written in Python may have no signature
        return


def _check_now(function: Callable[..., Any], what: object) -> None:
    try:
        signature(function).bind_partial(now=None)
    except TypeError:
        raise RenderError(
            f"{_named(what)} takes no now=; give a session, or a layout with state= and now="
        ) from None


def _rendered(function: Callable[..., object], name: str, /, **how: object) -> Rendered:
    rendered = function(**how)
    if isinstance(rendered, Rendered):
        return rendered
    raise RenderError(
        f"{name} gave {shown(rendered)}, and not a Rendered; session.hud and render_document give one"
    )


def _named(what: object) -> str:
    return getattr(what, "__qualname__", None) or type(what).__name__
