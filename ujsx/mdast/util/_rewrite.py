"""A tree in which some nodes are others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, TypeVar

import msgspec

from ujsx.errors import MdastError, shown
from ujsx.mdast._nodes import Node

NodeT = TypeVar("NodeT", bound=Node)
TreeT = TypeVar("TreeT", bound=Node)

Change: TypeAlias = Callable[[NodeT], Node | Iterable[Node] | None]
"""From a node to what stands in its place: a node, itself if nothing changes; several; or none."""


def rewrite(tree: TreeT, kind: type[NodeT], change: Change[NodeT]) -> TreeT:
    """Return a tree with ``change(node)`` in place of each node of a kind.

    Nodes are changed from the inside out: what ``change`` is given has its new children. What it
    makes is not looked at again. Where nothing changes, the tree itself is returned.

    Raises ``MdastError`` where ``change`` returns what is no node, and where it puts anything but
    one node in the tree's own place.

    >>> from ujsx.mdast import Html, Node, Strong, from_markdown, to_markdown
    >>> tree = from_markdown("a <b>*c*</b> **d**")
    >>> print(to_markdown(rewrite(tree, Html, lambda node: None)), end="")
    a *c* **d**
    >>> print(to_markdown(rewrite(tree, Strong, lambda node: node.children)), end="")
    a <b>*c*</b> d
    """
    # Each frame: a node, its children, the next of them, and the new ones so far.
    frames: list[tuple[Node, tuple[Node, ...], list[int], list[Node]]] = []
    entered: Node | None = tree
    while True:
        if entered is not None:
            frames.append((entered, _children(entered), [0], []))
            entered = None
        node, children, place, made = frames[-1]
        if place[0] < len(children):
            entered = children[place[0]]
            place[0] += 1
            continue
        frames.pop()
        node = _with_children(node, children, made)
        result = [*_changed(node, kind, change)]
        if frames:
            frames[-1][3].extend(result)
        elif len(result) == 1:
            return result[0]  # type: ignore[return-value]
        else:
            raise MdastError(
                f"the tree itself, a {type(tree).__name__}, became {len(result)} nodes; "
                "change what is in it"
            )


def _children(node: Node) -> tuple[Node, ...]:
    children: Any = getattr(node, "children", None)
    return () if children is None else children


def _with_children(node: Node, old: tuple[Node, ...], new: list[Node]) -> Node:
    if len(old) == len(new) and all(map(_is, old, new)):
        return node
    return msgspec.structs.replace(node, children=tuple(new))


def _is(one: Node, other: Node) -> bool:
    return one is other


def _changed(node: Node, kind: type[NodeT], change: Change[NodeT]) -> Iterable[Node]:
    if not isinstance(node, kind):
        return (node,)
    result = change(node)
    if result is None:
        return ()
    nodes = (result,) if isinstance(result, Node) else tuple(result)
    for each in nodes:
        if not isinstance(each, Node):
            raise MdastError(
                f"a {type(node).__name__} became {shown(each)}, which is no node; "
                "return a node, several, or None"
            )
    return nodes
