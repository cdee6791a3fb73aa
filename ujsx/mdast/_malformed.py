"""What is wrong with a tree that holds what no node can hold.

Nodes are not validated when they are made: that would cost more than to write them. Whoever cannot
get on with a tree asks here why.
"""

from __future__ import annotations

import types
from functools import cache
from typing import Any, Literal, cast, get_args, get_origin

import msgspec

from ujsx._errors import MdastError, shown

from ._nodes import Node

CONFUSED = (TypeError, AttributeError, LookupError)
"""What a malformed tree makes of functions that take it for a sound one."""


def malformed(tree: object, path: str = "$") -> MdastError | None:
    """Return what is wrong with the first node that is none, or has a field of a wrong type.

    >>> from ujsx.mdast import Link, Paragraph, Text
    >>> print(malformed(Paragraph(children=[Link(None, children=[Text("a")])])))
    $.children[0].url: url is None, not str
    >>> malformed(Paragraph(children=[Text("a")])) is None
    True
    """
    stack: list[tuple[object, str]] = [(tree, path)]
    while stack:
        node, place = stack.pop()
        if not isinstance(node, Node):
            return MdastError(_no_node(node), path=place)
        for name, kind in _fields(type(node)):
            value = getattr(node, name)
            try:
                msgspec.convert(value, kind, strict=True)
            except msgspec.ValidationError:
                return MdastError(
                    f"{name} is {shown(value)}, not {_wanted(kind)}", path=f"{place}.{name}"
                )
        children = enumerate(getattr(node, "children", ()))
        stack.extend([(child, f"{place}.children[{i}]") for i, child in children][::-1])
    return None


def _no_node(value: object) -> str:
    if isinstance(value, str):
        return f"text is no node; write Text({shown(value)})"
    if type(value).__module__.startswith("ujsx."):
        return (
            f"{type(value).__name__} is of the universal tree, not of mdast;"
            " ujsx.to_mdast makes an mdast tree of it, ujsx.render Markdown"
        )
    return f"{shown(value)} is no mdast node"


@cache
def _fields(kind: type[Node]) -> tuple[tuple[str, Any], ...]:
    """The fields that a node has of its own, with their types."""
    general = {*Node.__struct_fields__, "children"}
    return tuple(
        (field.name, field.type)
        for field in msgspec.structs.fields(kind)
        if field.name not in general
    )


def _wanted(kind: Any) -> str:
    """A field's type in words.

    >>> _wanted(str | None), _wanted(Literal["left", "right"])
    ('str or None', "'left' or 'right'")
    """
    if get_origin(kind) is Literal:
        return " or ".join(map(repr, get_args(kind)))
    if get_origin(kind) is tuple:
        return f"a tuple of {_wanted(get_args(kind)[0])}"
    if isinstance(kind, types.UnionType) or get_origin(kind) is not None:
        return " or ".join(map(_wanted, get_args(kind)))
    return "None" if kind is type(None) else cast("str", getattr(kind, "__name__", str(kind)))
