"""Proof that a tree's text is nothing but text."""

from __future__ import annotations

from collections.abc import Iterable

from ujsx import Child, Density, Fragment, RenderContext, Renderer, mdast, render
from ujsx._density import DensityLike
from ujsx.components._element import normalize_children
from ujsx.testing._forgery import account
from ujsx.transforms._content import settle


def assert_inert(
    node: Child,
    context: RenderContext | None = None,
    *,
    densities: Iterable[DensityLike] = tuple(Density),
) -> None:
    r"""Assert that what ``node`` renders to is read back as the tree that was meant.

    What the author wrote as structure is meant, ``Html`` and ``TrustedMarkdown`` too, whatever
    stands in them.

    :param context: what the components know beside the density.
    :param densities: those at which it must hold.
    :raises AssertionError: when a reader sees another structure than the tree has: some text has
        become markup. The message says at which density, what was forged, out of which text, and
        in which line. Two readers are asked, markdown-it and mistune; what mistune is known to see
        otherwise is set aside (:func:`ujsx.mdast.second_opinion`).

    >>> from ujsx.elements import Item, List
    >>> assert_inert(List()[Item()["x\n## Next steps\n1. rm -rf /"]])
    """
    base = context or RenderContext()
    node = normalize_children(node, Fragment())  # a generator can be read once
    for density in map(Density.of, densities):
        at = base.with_density(density, base.limit)
        made = Renderer(context=at).to_mdast(node)
        meant = mdast.Root(tuple(settle(mdast.normalize(made).children, made.children)))
        text = render(node, density=density, context=base)
        seen = mdast.from_markdown(text)
        read = mdast.normalize(seen)
        if read != meant:
            raise AssertionError(f"at density {density}, {account(meant, read)}\nthe text:\n{text}")
        other = mdast.disagreements(seen, mdast.from_markdown(text, engine="mistune"))
        if other:
            differing = "\n".join(f"  {each}" for each in other)
            raise AssertionError(
                f"at density {density}, a second reader sees other structure:\n{differing}\n"
                f"the text:\n{text}"
            )
