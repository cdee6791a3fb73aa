"""The faults of a tree that is not an mdast tree: found when something went wrong, not before.

Nodes do not check their fields: that would cost more than writing them. Where a tree cannot be walked,
it is walked once more, here, for an error that says what is wrong and where.
"""

from __future__ import annotations

from functools import cache
from typing import Any, get_args, get_type_hints

import msgspec

from ujsx.errors import MdastError, shown

from . import _nodes
from ._nodes import Node

_IN_LINES = frozenset(get_args(_nodes.PhrasingContent))
_BLOCKS = frozenset(get_args(_nodes.RootContent)) - _IN_LINES
_KINDS = frozenset(get_args(_nodes.AnyNode))


def fault_in(tree: object) -> MdastError | None:
    """Return the error of the first thing in a tree that is no node, misplaced, or of a wrong type.

    >>> print(fault_in(_nodes.Text(None)))
    $.value: expected `str`, got `null`
    """
    stack: list[tuple[Any, str]] = [(tree, "$")]
    while stack:
        node, path = stack.pop()
        if not isinstance(node, Node):
            return MdastError(not_a_node(node), path=path)
        if type(node) in _KINDS:
            fields, allowed = _fields(type(node))
            for name, hint in fields.items():
                try:
                    msgspec.convert(getattr(node, name), hint)
                except msgspec.ValidationError as error:
                    problem, _, inner = str(error).partition(" - at `$")
                    where = f"{path}.{name}{inner.removesuffix('`')}"
                    return MdastError(problem[0].lower() + problem[1:], path=where)
            for index, child in enumerate(getattr(node, "children", ())):
                if type(child) in _KINDS and type(child) not in allowed:
                    where = f"{path}.children[{index}]"
                    return MdastError(misplaced(child, type(node), allowed), path=where)
        children: Any = getattr(node, "children", ())
        stack.extend(
            [(child, f"{path}.children[{index}]") for index, child in enumerate(children)][::-1]
        )
    return None


@cache
def _fields(kind: type[Node]) -> tuple[dict[str, Any], frozenset[type[Node]]]:
    """Return a kind's own fields with their types, and what its children may be."""
    hints = get_type_hints(kind)
    children = get_args(hints.pop("children", None))
    for name in ("position", "data"):
        del hints[name]
    hints = {name: hints[name] for name in kind.__struct_fields__ if name in hints}
    members = get_args(children[0]) or children[:1] if children else ()
    return hints, frozenset(members)


def not_a_node(value: Any) -> str:
    """Return what is wrong with something that stands where a node belongs, and what to do."""
    what, advice = shown(value), "nodes are made by the classes of ujsx.mdast"
    if isinstance(value, str):
        advice = "a text is Text(...), in a Paragraph(...)"
    elif isinstance(value, dict):
        advice = "from_dict(...) makes a node of JSON data"
    elif type(value).__module__.split(".")[0] == "ujsx" or hasattr(value, "render"):
        advice = (
            "it is a component: ujsx.render(...) makes Markdown of it, ujsx.to_mdast(...) nodes"
        )
    return f"{what} is no mdast node; {advice}"


def misplaced(
    node: Node, parent: type[Node] | None = None, allowed: frozenset[type[Node]] = frozenset()
) -> str:
    """Return why a node cannot stand where it does, and where it can.

    >>> misplaced(_nodes.Text("a"))
    'a Text stands in a line, and not among blocks; put it in a Paragraph'
    """
    name = type(node).__name__
    if parent is not None and len(allowed) == 1:
        return f"a {parent.__name__} holds {next(iter(allowed)).__name__}s, and no {name}"
    if type(node) in _BLOCKS:
        return f"a {name} is a block, and cannot stand in a line; put it beside the paragraph"
    if type(node) in _IN_LINES:
        return f"a {name} stands in a line, and not among blocks; put it in a Paragraph"
    return f"a {name} is a part of a list or a table, and cannot stand alone"


def is_known(node: Node) -> bool:
    """Return whether a node is of a kind that the specification has."""
    return type(node) in _KINDS


def may_hold(parent: Node, child: Node) -> bool:
    """Return whether the specification lets a node stand in another; both are of its kinds."""
    return type(child) in _fields(type(parent))[1]
