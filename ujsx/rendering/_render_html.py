"""One call from a tree to HTML, and the step between."""

from __future__ import annotations

from ujsx import hast
from ujsx._density import Density, DensityLike
from ujsx.components._context import RenderContext
from ujsx.components._element import Child
from ujsx.transforms import registry as default_registry
from ujsx.transforms._registry import TransformRegistry
from ujsx.transforms._transform import Transform
from ujsx.transforms._ujsx_to_hast import page
from ujsx.trees._resolve import resolve


def render_html(
    node: Child,
    density: DensityLike = "full",
    *,
    context: RenderContext | None = None,
    registry: TransformRegistry | None = None,
    **html: bool,
) -> str:
    """Return a tree as HTML, ending in one newline; an empty tree gives ``""``.

    It is what stands in a page's body, not a whole page.

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
    given = context or RenderContext()
    root = to_hast(node, given.with_density(Density.of(density), given.limit), registry=registry)
    text = hast.to_html(root, **html).rstrip("\n")
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
    given = context or RenderContext()
    return page(
        resolve(node, given), Transform(registry or default_registry, "ujsx -> hast", given)
    )
