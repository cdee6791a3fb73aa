"""The error of a node that Markdown has no form for, and the way to that node."""

from __future__ import annotations

from ujsx.errors import MdastError
from ujsx.mdast._nodes import Node, UnknownNode


class Unwritable(Exception):  # noqa: N818 - a state of affairs that no caller sees
    """Raised by handlers; ``Writer.write`` makes an ``MdastError`` with the node's path of it."""

    def __init__(
        self,
        node: Node,
        reason: str,
        advice: str = 'change the tree, or pass on_unwritable="normalize"',
    ) -> None:
        super().__init__(reason)
        self.node = node
        self.reason = reason
        self.advice = advice


def path_to(wanted: Node, root: Node) -> str:
    """Return the path of a node within a tree, as in its JSON.

    >>> from .._nodes import Paragraph, Root, Text
    >>> text = Text("a")
    >>> path_to(text, Root(children=[Paragraph(children=[text])]))
    '$.children[0].children[0]'
    """
    stack: list[tuple[Node, str]] = [(root, "$")]
    while stack:
        node, path = stack.pop()
        if node is wanted:
            return path
        children: tuple[Node, ...] = getattr(node, "children", ())
        stack.extend((child, f"{path}.children[{i}]") for i, child in enumerate(children))
    return "$"


def mdast_error(error: Unwritable, root: Node) -> MdastError:
    """Return the public error for an unwritable node."""
    if not isinstance(error.node, Node):
        return MdastError(error.reason, path=path_to(error.node, root))
    kind = type(error.node).__struct_config__.tag or type(error.node).__name__
    if isinstance(error.node, UnknownNode):
        kind = error.node.kind
    return MdastError(
        f"{kind} cannot be written as Markdown: {error.reason}; {error.advice}",
        path=path_to(error.node, root),
    )
