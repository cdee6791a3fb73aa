"""mdast trees as JSON data, field for field as the mdast specification has it.

``to_dict`` writes a field that the specification makes optional as ``null`` when it is not set,
as remark does (``title``, ``lang``, ``start``, ``checked`` …); ``position`` and ``data`` stand
there only when they are set. ``from_dict`` takes those, and data that leaves them out.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final, cast, get_args

import msgspec

from ujsx.errors import MdastError, did_you_mean

from . import _nodes
from ._nodes import AnyNode, Node

MAX_DEPTH: Final = 150
"""Levels of nodes that ``from_dict`` takes; what walks a tree calls itself for each."""

_KINDS: Final[dict[str, type[Node]]] = {
    str(kind.__struct_config__.tag): kind for kind in get_args(_nodes.AnyNode)
}


@cache
def _fields(kind: type[Node]) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return a class's type name and its fields, as (attribute, JSON name), ``children`` last."""
    fields = [
        (field.name, field.encode_name)
        for field in msgspec.structs.fields(kind)
        if field.name not in ("position", "data", "children")
    ]
    return str(kind.__struct_config__.tag), tuple(fields)


def to_dict(node: Node) -> dict[str, Any]:
    """Return a tree as JSON data.

    Raises ``MdastError`` when the tree is nested more than ``MAX_DEPTH`` levels deep.

    >>> from ujsx.mdast import Emphasis, Link, Text
    >>> to_dict(Link("https://a.co", children=[Text("a")]))["title"] is None
    True
    >>> to_dict(Emphasis(children=[Text("a")]))
    {'type': 'emphasis', 'children': [{'type': 'text', 'value': 'a'}]}
    """
    return _to_dict(node, "$", 0)


def _to_dict(node: Node, path: str, depth: int) -> dict[str, Any]:
    if depth > MAX_DEPTH:
        raise MdastError(f"nested more than {MAX_DEPTH} levels deep", path=path)
    name, fields = _fields(type(node))
    result: dict[str, Any] = {"type": name}
    for attribute, json_name in fields:
        value: Any = getattr(node, attribute)
        result[json_name] = [*value] if isinstance(value, tuple) else value
    children: tuple[Node, ...] | None = getattr(node, "children", None)
    if children is not None:
        result["children"] = [
            _to_dict(child, f"{path}.children[{index}]", depth + 1)
            for index, child in enumerate(children)
        ]
    if node.data is not None:
        result["data"] = node.data
    if node.position is not None:
        result["position"] = msgspec.to_builtins(node.position)
    return result


def from_dict(data: Any) -> AnyNode:
    """Return the tree that JSON data holds; fields that mdast does not know are left out.

    Raises ``MdastError`` with the place (``$.children[0].value``) for a node type that mdast does
    not have or not there, a field that is missing or of a wrong type, and data nested more than
    ``MAX_DEPTH`` levels deep.

    >>> from_dict({"type": "emphasis", "children": [{"type": "text", "value": "a"}]})
    Emphasis(children=(Text(value='a'),))
    >>> from_dict({"type": "emphasiss", "children": []})
    Traceback (most recent call last):
        ...
    ujsx.errors.MdastError: $.type: there is no node type "emphasiss"; did you mean "emphasis"?
    """
    plain = _without_nulls(data, "$", 0)
    try:
        # The union of all kinds is beyond what type checkers can make of a call.
        return cast("AnyNode", msgspec.convert(plain, cast("Any", _nodes.AnyNode)))
    except msgspec.ValidationError as error:
        raise _clear_error(str(error)) from None


def _without_nulls(data: Any, path: str, depth: int) -> dict[str, Any]:
    """Return a copy of a node's data without its nulls, which mean the same as no field."""
    if depth > MAX_DEPTH:
        raise MdastError(f"nested more than {MAX_DEPTH} levels deep; flatten the data", path=path)
    if not isinstance(data, dict):
        raise MdastError(
            f'a node is an object with a "type", not {type(data).__name__} {_shown(data)}',
            path=path,
        )
    fields = {
        name: value for name, value in cast("dict[str, Any]", data).items() if value is not None
    }
    name = fields.get("type")
    if not isinstance(name, str) or name not in _KINDS:
        if name is None:
            raise MdastError('a node needs a "type"', path=path)
        hint = did_you_mean(str(name), _KINDS)
        raise MdastError(f"there is no node type {_shown(name)}; {hint}", path=f"{path}.type")
    if isinstance(fields.get("children"), list):
        nodes: list[Any] = fields["children"]
        fields["children"] = [
            _without_nulls(child, f"{path}.children[{index}]", depth + 1)
            for index, child in enumerate(nodes)
        ]
    return fields


def _shown(value: object) -> str:
    text = f'"{value}"' if isinstance(value, str) else repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"


_MISPLACED = re.compile(r"Invalid value '(\w+)' - at `(\$.*)\.type`")


def _clear_error(message: str) -> MdastError:
    if match := _MISPLACED.fullmatch(message):
        return MdastError(
            f'a node of type "{match[1]}" cannot stand there; '
            "mdast says which children each node takes",
            path=match[2],
        )
    problem, _, path = message.removesuffix("`").rpartition(" - at `")
    if problem and path.startswith("$"):
        return MdastError(problem[0].lower() + problem[1:], path=path)
    return MdastError(message[0].lower() + message[1:], path="$")
