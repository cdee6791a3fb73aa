"""Functions from a tree to Markdown, mdast or HTML, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast, overload
from warnings import warn

from msgspec.structs import replace

from ujsx import mdast
from ujsx._density import Density, DensityLike
from ujsx.calls import resolving
from ujsx.components._component import Fragment
from ujsx.components._context import RenderContext
from ujsx.components._element import Child, Element, normalize_children
from ujsx.errors import BudgetWarning, MdastError, shown
from ujsx.rendering._rendered import Rendered
from ujsx.rendering._renderer import Renderer, as_meant, usual_density
from ujsx.transforms import registry as default_registry
from ujsx.transforms._content import to_blocks
from ujsx.transforms._registry import Transform, TransformRegistry
from ujsx.trees import first_place, h, resolve

if TYPE_CHECKING:
    from ujsx import hast

_BOUND = {
    "percentage usage used": "write session.hud(percentage=…), or density=density_for(…), from hud_components",
    "format output target to": "write render_html(tree), dump(tree) for JSON, or fold(tree, XmlTarget()), from ujsx.targets import XmlTarget",
    "level depth": "write context=RenderContext(depth=2), for headings that begin with ###, from ujsx import RenderContext",
}
"""Remedies for arguments that the context binds, and for other targets."""


def _bound(given: dict[str, Any]) -> dict[str, Any]:
    """Return a call's arguments, with those that the context binds in it."""
    if isinstance(props := given.get("density_"), Mapping) and callable(given["node"]):
        given = {**given, "node": h(cast("Any", given["node"]), cast("Mapping[str, Any]", props))}
        del given["density_"]
    context: RenderContext = given.get("context") or RenderContext()
    rest = {name: value for name, value in given.items() if name not in _OF_CONTEXT}
    if len(rest) == len(given):
        return given
    if given.get("state") is not None:
        context = context.with_value(given["state"])
    level, counter = given.get("heading_level"), given.get("counter")
    depth = context.depth if level is None else level - 1
    return {
        **rest,
        "context": replace(context, depth=depth, count_tokens=counter or context.count_tokens),
    }


_OF_CONTEXT = frozenset({"state", "heading_level", "counter"})
"""Arguments of other libraries' functions that a context has here."""


@overload
def render(
    node: Child,
    density: DensityLike | None = None,
    *,
    budget: int | None = None,
    context: RenderContext | None = None,
    registry: TransformRegistry | None = None,
) -> str: ...


@overload
def render(
    node: Callable[..., Child],
    props: Mapping[str, Any],
    /,
    *,
    density: DensityLike | None = None,
    budget: int | None = None,
    context: RenderContext | None = None,
    registry: TransformRegistry | None = None,
) -> str: ...


@resolving(instead=_BOUND, meaning=_bound)  # type: ignore[misc]  # `_bound` makes a node of the second
def render(  # pyright: ignore[reportInconsistentOverload]
    node: Child,
    density: DensityLike | None = None,
    *,
    budget: int | None = None,
    context: RenderContext | None = None,
    registry: TransformRegistry | None = None,
) -> str:
    """Return a tree as Markdown, ending in one newline; an empty tree gives ``""``.

    :param node: the tree, or any child: text, a component, an iterable of them; or a document of mdast.
    :param density: the density; that of the context when ``None``, or ``"full"``. With a budget it is a ceiling, and
        ``None`` means no ceiling.
    :param budget: the token budget; see :meth:`Renderer.render`. :func:`render_document` reports omissions, and whether
        even the floor exceeded the budget.
    :param context: what they know beside that.
    :param registry: the rules; the default registry when ``None``.
    :raises UjsxError: for a tree that cannot be rendered, with the path of the node.

    >>> from ujsx.elements import Section, strong
    >>> print(render(Section(title="Notes")["The ", strong("API"), " is at v2."]), end="")
    # Notes
    <BLANKLINE>
    The **API** is at v2.
    """
    node, density, budget = as_meant(node, density, budget)
    if density is None and budget is None:
        at = context if isinstance(context, RenderContext) else RenderContext()
        density = usual_density(node, at) or at.density
    renderer = Renderer(context=context, registry=registry)
    rendered = renderer.render(node, density=density, budget=budget)
    if rendered.over_budget and not rendered.sections:
        warn(
            f"budget={budget}: nothing in this tree can be shortened, so all of its {rendered.tokens:,} tokens are shown;"
            " give a component rungs: disclosure = Disclosure((Rung(Density.MINIMAL, 3), Rung(Density.FULL))), from ujsx import Density, Disclosure, Rung",
            BudgetWarning,
            stacklevel=3,
        )
    return rendered.text


@resolving(instead=_BOUND, meaning=_bound)
def render_document(
    node: Child,
    density: DensityLike | None = None,
    *,
    budget: int | None = None,
    previous: Rendered | None = None,
    context: RenderContext | None = None,
    registry: TransformRegistry | None = None,
) -> Rendered:
    """Return a tree as Markdown with an account of it: sections, tokens, omissions.

    :param density: the density; that of the context when ``None``. With a budget it is a ceiling.
    :param budget: how many tokens the text may have; see :meth:`Renderer.render`.
    :param previous: an earlier rendering, whose rungs are held where they still fit; see there.
    :param context: what components know beside that.
    :param registry: the rules; the default registry when ``None``.

    To render a tree turn after turn, keep a :class:`Renderer`.

    :raises UjsxError: for a tree that cannot be rendered, with the path of the node.
    """
    node, density, budget = as_meant(node, density, budget)
    renderer = Renderer(context=context, registry=registry)
    return renderer.render(node, density=density, budget=budget, previous=previous)


def to_mdast(
    node: Child,
    context: RenderContext | None = None,
    *,
    registry: TransformRegistry | None = None,
) -> mdast.Root:
    """Return a tree as mdast.

    :param context: the components' context, with the number of enclosing sections.
    :param registry: the rules; the default registry when ``None``.
    :raises UjsxError: for a tree that cannot be resolved or has no rule, with the path.

    >>> from ujsx.elements import strong
    >>> to_mdast(strong("x")).children
    (Paragraph(children=(Strong(children=(Text(value='x'),)),)),)
    """
    roots = normalize_children(node, Fragment())
    given = context or RenderContext()
    nodes = Transform(registry or default_registry, "ujsx -> mdast", given).run(
        roots, first=first_place(roots)
    )
    return mdast.Root(tuple(to_blocks(nodes, trusts_text=given.trusts_text)))


def from_mdast(
    root: mdast.Root,
    context: RenderContext | None = None,
    *,
    registry: TransformRegistry | None = None,
) -> Element:
    r"""Return an mdast tree as a tree of primitives, in a ``Fragment``.

    A heading of plain text, with the content up to the next heading that is not deeper, becomes a ``Section``. A
    heading that no section would write in its place becomes a ``Heading``: one that skips a depth, has more than a line
    of text, or is in a quote or an item.

    :param context: the place of the tree: its ``depth`` is the number of enclosing sections.
    :param registry: the rules; the default registry when ``None``. A registry with pairs also reads your components
        back.
    :raises MdastError: for a node that is not a ``Root``.

    >>> from ujsx import mdast
    >>> from_mdast(mdast.from_markdown("*x*")).children
    (Paragraph()[Emphasis()['x']],)
    >>> from_mdast(mdast.from_markdown("# Notes\n\n*x*\n\n### Skips a depth")).children
    (Section(title='Notes')[Paragraph()[Emphasis()['x']], Heading(depth=3)['Skips a depth']],)
    """
    given: object = root
    if isinstance(given, dict):
        given = root = cast("mdast.Root", mdast.from_dict(cast("dict[str, Any]", given)))
    if not isinstance(given, mdast.Root):
        made = "mdast.from_markdown(text)" if isinstance(given, str) else "mdast.Root((node, …))"
        raise MdastError(f"from_mdast takes an mdast Root, not {shown(given)}; give it {made}")
    element: Element = (registry or default_registry).transform("mdast -> ujsx", root, context)
    return element


# Functions from a tree to HTML, and to hast between.


@resolving()
def render_html(
    node: Child,
    density: DensityLike = "full",
    *,
    context: RenderContext | None = None,
    registry: TransformRegistry | None = None,
    **html: bool,
) -> str:
    """Return a tree as HTML, ending in one newline; an empty tree gives ``""``.

    It is the content of a page's body, not a whole page.

    :param node: the tree, or any child: text, a component, an iterable of them.
    :param density: how much components show.
    :param context: what they know beside that.
    :param registry: the rules; the default registry when ``None``.
    :param html: options of :func:`ujsx.hast.to_html`, such as ``allow_dangerous_html``.
    :raises UjsxError: for a tree that cannot be rendered, with the path of the node.

    >>> from ujsx.elements import Section, strong
    >>> print(render_html(Section(title="Notes")["The ", strong("API"), " is <new>."]), end="")
    <h1>Notes</h1>
    <p>The <strong>API</strong> is &lt;new&gt;.</p>
    """
    from ujsx.hast import to_html  # only HTML needs it

    given = context or RenderContext()
    root = to_hast(node, given.with_density(Density.of(density), given.limit), registry=registry)
    text = to_html(root, **html).rstrip("\n")
    return f"{text}\n" if text else ""


def to_hast(
    node: Child,
    context: RenderContext | None = None,
    *,
    registry: TransformRegistry | None = None,
) -> hast.Root:
    """Return a tree as hast, its references resolved and its footnotes at the end.

    :raises UjsxError: for a tree that cannot be resolved or has no rule, with the path.

    >>> from ujsx.elements import strong
    >>> to_hast(strong("x")).children[0].tag_name
    'p'
    """
    from ujsx.transforms._hast import page  # only HTML needs it

    given = context or RenderContext()
    return page(
        resolve(node, given), Transform(registry or default_registry, "ujsx -> hast", given)
    )
