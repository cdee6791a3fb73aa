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
    for kind, group in groupby([node for node in nodes if node != _NO_TEXT], type):
        if kind.are_one:
            result.append(_joined(list(group)))
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
    first: Node = group[0]
    return first if len(group) == 1 else type(first)("".join([node.value for node in group]))
