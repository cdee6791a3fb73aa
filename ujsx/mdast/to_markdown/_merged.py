"""Siblings that a reader could not tell apart are one node."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from ujsx.mdast._nodes import Node, Text

_NO_TEXT = Text("")


def merged(nodes: Sequence[Node]) -> Sequence[Node]:
    """Return the nodes with adjacent texts as one, adjacent code too, and without empty texts.

    >>> merged([Text("a"), Text(""), Text("b")])
    [Text(value='ab')]
    """
    if _is_merged(nodes):
        return nodes
    result: list[Node] = []
    for _, together in groupby([node for node in nodes if node != _NO_TEXT], type):
        group = list(together)
        if group[0].are_one:
            result.append(_joined(group))
        else:
            result.extend(group)
    return result


def first(nodes: Sequence[Node]) -> Node | None:
    """Return the first node that is no empty text."""
    return next((node for node in nodes if node != _NO_TEXT), None)


def _is_merged(nodes: Sequence[Node]) -> bool:
    before: type[Node] | None = None
    for node in nodes:
        kind = type(node)
        if kind.are_one and (kind is before or node == _NO_TEXT):
            return False
        before = kind
    return True


def _joined(group: list[Any]) -> Node:
    first: Any = group[0]
    if len(group) == 1:
        return first  # type: ignore[no-any-return]
    one: Node = type(first)("".join([node.value for node in group]))
    return one
