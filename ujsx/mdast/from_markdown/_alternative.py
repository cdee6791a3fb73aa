"""The text that stands for an image: what its description says, without markup."""

from __future__ import annotations

from collections.abc import Sequence

from ujsx.mdast._nodes import (
    Break,
    FootnoteReference,
    Html,
    Image,
    ImageReference,
    InlineCode,
    PhrasingContent,
    Text,
)


def alternative(nodes: Sequence[PhrasingContent]) -> str:
    """Return nodes as plain text.

    >>> from ujsx.mdast import Emphasis, Text
    >>> alternative([Text("a "), Emphasis([Text("dog")])])
    'a dog'
    """
    return "".join(_alternative(node) for node in nodes)


def _alternative(node: PhrasingContent) -> str:
    match node:
        case Text() | InlineCode() | Html():
            return node.value
        case Image() | ImageReference():
            return node.alt or ""
        case Break() | FootnoteReference():
            return ""
        case _:
            children = getattr(node, "children", None)
            if children is not None:
                return alternative(children)
            # of an extension: what is shown of it
            return getattr(node, "alias", None) or getattr(node, "value", None) or ""
