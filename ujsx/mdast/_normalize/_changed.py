"""A node with other fields."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from ujsx.mdast._nodes import Node

NodeT = TypeVar("NodeT", bound=Node)


def changed(node: NodeT, **fields: Any) -> NodeT:
    """Return a copy of a node with these fields changed; the node itself if they are the same.

    >>> from ujsx.mdast import Text
    >>> changed(Text("a"), value="b")
    Text(value='b')
    """
    if all(getattr(node, name) == value for name, value in fields.items()):
        return node
    result: NodeT = msgspec.structs.replace(node, **fields)
    return result
