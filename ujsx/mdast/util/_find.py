"""Nodes of a tree, in the order of the document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from ujsx.mdast._nodes import Definition, Node

NodeT = TypeVar("NodeT", bound=Node)


def walk(tree: Node) -> Iterator[Node]:
    """Yield a node and all that is in it, in the order of the document, each before its children.

    >>> from ujsx.mdast import from_markdown
    >>> [type(node).__name__ for node in walk(from_markdown("a *b*"))]
    ['Root', 'Paragraph', 'Text', 'Emphasis', 'Text']
    """
    stack: list[Node] = [tree]
    while stack:
        node = stack.pop()
        yield node
        children: tuple[Node, ...] = getattr(node, "children", ())
        stack.extend(reversed(children))


def find(tree: Node, *kinds: type[NodeT]) -> Iterator[NodeT]:
    r"""Yield the nodes of these kinds, the tree itself included, in the order of the document.

    >>> from ujsx.mdast import Code, from_markdown
    >>> [node.lang for node in find(from_markdown("```py\na\n```\n\n> ```sh\n> b\n> ```"), Code)]
    ['py', 'sh']
    """
    for node in walk(tree):
        if isinstance(node, kinds):
            yield node


def definitions(tree: Node) -> dict[str, Definition]:
    r"""Return what references lead to, by identifier: of two definitions of one, the first.

    >>> from ujsx.mdast import from_markdown
    >>> definitions(from_markdown("[a]\n\n[A]: /x\n[a]: /y"))["a"].url
    '/x'
    """
    found: dict[str, Definition] = {}
    for node in find(tree, Definition):
        found.setdefault(node.identifier, node)
    return found
