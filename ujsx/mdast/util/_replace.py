"""A node with other fields."""

from __future__ import annotations

from typing import Any, TypeVar

from ujsx.errors import MdastError, did_you_mean
from ujsx.mdast._nodes import Node

NodeT = TypeVar("NodeT", bound=Node)


def replace(node: NodeT, **fields: Any) -> NodeT:
    """Return a copy of a node with these fields changed.

    Raises ``MdastError`` for a field that the node does not have.

    >>> from ujsx.mdast import Link, Text
    >>> replace(Link("http://a.b", children=[Text("a")]), url="https://a.b").url
    'https://a.b'
    """
    for name in fields:
        if name not in node.__struct_fields__:
            kind, known = type(node).__name__, node.__struct_fields__
            raise MdastError(f"a {kind} has no {name!r}; {did_you_mean(name, known)}")
    own = {name: getattr(node, name) for name in node.__struct_fields__}
    return type(node)(**(own | fields))  # made anew, so that it is checked like any other
