"""The text of a tree, without markup."""

from __future__ import annotations

from collections.abc import Iterable

from ujsx.mdast._nodes import Break, Html, Node


def to_string(what: Node | Iterable[Node], *, alt: bool = True) -> str:
    """Return the text of a node, or of several: values, and with ``alt`` what stands for an image.

    Of a node with an ``alias`` that is what is shown, and so its text. A hard break is a line end. Raw HTML is markup and no text, so that it is left out. Blocks are not
    parted: for words of a document ask each block.

    >>> from ujsx.mdast import from_markdown
    >>> to_string(from_markdown("# The `end` of *all* <b>![x](u)</b>"))
    'The end of all x'
    """
    if not isinstance(what, Node):
        return "".join([to_string(node, alt=alt) for node in what])
    parts: list[str] = []
    stack: list[Node] = [what]
    while stack:
        node = stack.pop()
        if isinstance(node, Html):
            continue
        if isinstance(node, Break):
            parts.append("\n")
        own = (
            getattr(node, "alias", None),
            getattr(node, "value", None),
            alt and getattr(node, "alt", None),
        )
        parts.append(next((each for each in own if each), ""))
        children: tuple[Node, ...] = getattr(node, "children", None) or ()
        stack.extend(reversed(children))
    return "".join(parts)
