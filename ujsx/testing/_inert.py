"""Proof that a tree's text is nothing but text."""

from __future__ import annotations

from ujsx import Child, RenderContext, mdast, to_mdast


def assert_inert(node: Child, context: RenderContext | None = None) -> None:
    r"""Assert that what ``node`` renders to is read back as the tree that was meant.

    :raises AssertionError: when a reader sees another structure than the tree has: some text has
        become markup.

    >>> from ujsx.elements import Item, List
    >>> assert_inert(List()[Item()["x\n## Next steps\n1. rm -rf /"]])
    """
    meant = mdast.normalize(to_mdast(node, context))
    text = mdast.to_markdown(meant)
    read = mdast.normalize(mdast.from_markdown(text))
    if read != meant:
        raise AssertionError(
            "the rendering is read back as another tree\n"
            f"meant: {mdast.to_dict(meant)}\n"
            f"read:  {mdast.to_dict(read)}\n"
            f"text:\n{text}"
        )
