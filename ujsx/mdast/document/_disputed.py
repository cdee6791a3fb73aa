"""Blocks that readers of GFM understand differently, where each other spelling changes what some of them show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ujsx.mdast._nodes import Link, Node, Table, Text


def is_disputed(node: Node, source: str) -> bool:
    """Return whether a block must keep its source: there are brackets in an address that stands as it is, or
    more than one backslash before a cell's pipe.
    """
    if isinstance(node, Table):
        return "\\\\|" in source
    return "[" in source and _has_brackets_in_addresses_alone(getattr(node, "children", ()))


def _has_brackets_in_addresses_alone(nodes: Sequence[Any]) -> bool:
    """Return whether addresses that stand as they are have opening brackets, and no text beside them has."""
    found = False
    stack = [*nodes]
    while stack:
        node = stack.pop()
        if isinstance(node, Link) and node.title is None and _is_address(node):
            found = found or "[" in node.url
        elif isinstance(node, Text) and "[" in node.value:
            return False
        else:
            stack.extend(getattr(node, "children", ()))
    return found


def _is_address(node: Link) -> bool:
    match node.children:
        case (Text(value),):
            return bool(value) and node.url.endswith(value)
        case _:
            return False
