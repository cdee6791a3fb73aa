"""mdast trees as JSON data, field for field as the mdast specification has it.

``to_dict`` writes a field that the specification makes optional as ``null`` when it is not set,
as remark does (``title``, ``lang``, ``start``, ``checked`` …); ``position`` and ``data`` stand
there only when they are set. ``from_dict`` takes those, and data that leaves them out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final, TypeAlias, cast, get_args

import msgspec

from ujsx.errors import MdastError
from ujsx.mdast import _nodes
from ujsx.mdast._content_model import is_known, may_hold
from ujsx.mdast._extension import Extension, kind_of, resolved
from ujsx.mdast._nodes import AnyNode, Node, UnknownNode

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
    if isinstance(node, UnknownNode):
        result, fields = {"type": node.kind, **node.fields}, ()
    for attribute, json_name in fields:
        value: Any = getattr(node, attribute)
        result[json_name] = [*value] if isinstance(value, tuple) else value
    children: tuple[Node, ...] | None = getattr(node, "children", None)
    if children or (children is not None and not isinstance(node, UnknownNode)):
        result["children"] = [
            _to_dict(child, f"{path}.children[{index}]", depth + 1)
            for index, child in enumerate(children)
        ]
    if node.data is not None:
        result["data"] = node.data
    if node.position is not None:
        points = {"start": node.position.start, "end": node.position.end}
        result["position"] = msgspec.to_builtins(points)
    return result


def from_dict(data: Any, *, extensions: Iterable[Extension | str] = ()) -> AnyNode:
    """Return the tree that JSON data holds; fields that mdast does not know are left out.

    A node of a type that neither mdast nor an extension has is kept as an ``UnknownNode`` with all its
    fields: it passes through what reads and changes trees, and ``to_dict`` gives it back. The types
    of the package's own extensions are known; ``extensions`` are yours.

    Raises ``MdastError`` with the place (``$.children[0].value``) for a node that cannot stand where
    it does, a field that is missing or of a wrong type, and data nested more than ``MAX_DEPTH``
    levels deep.

    >>> from_dict({"type": "emphasis", "children": [{"type": "text", "value": "a"}]})
    Emphasis(children=(Text(value='a'),))
    >>> from_dict({"type": "callout", "icon": "!"})
    UnknownNode(kind='callout', fields={'icon': '!'})
    """
    own = {
        str(kind.__struct_config__.tag): kind
        for extension in resolved(extensions)
        for kind in extension.nodes
    }
    return cast("AnyNode", _from_dict(data, None, 0, {**_KINDS, **own} if own else _KINDS))


Place: TypeAlias = "tuple[Place, int] | None"
"""Where a node stands: its parent's place, and which child it is; only an error makes a path of it."""


def _path(place: Place) -> str:
    steps: list[str] = []
    while place is not None:
        place, index = place
        steps.append(f".children[{index}]")
    return "".join(["$", *reversed(steps)])


def _from_dict(data: Any, place: Place, depth: int, kinds: Mapping[str, type[Node]]) -> Node:
    if depth > MAX_DEPTH:
        raise MdastError(
            f"nested more than {MAX_DEPTH} levels deep; flatten the data", path=_path(place)
        )
    if not isinstance(data, dict):
        raise MdastError(
            f'a node is an object with a "type", not {type(data).__name__} {_shown(data)}',
            path=_path(place),
        )
    given = cast("dict[str, Any]", data)
    fields = {name: value for name, value in given.items() if value is not None}
    name: Any = fields.get("type")
    if name is None:
        raise MdastError('a node needs a "type"', path=_path(place))
    if not isinstance(name, str):
        raise MdastError(f"a type is a text, not {_shown(name)}", path=f"{_path(place)}.type")
    kind = kinds.get(name) or kind_of(name)
    children = fields.pop("children", None)
    nodes: list[Node] = []
    if isinstance(children, list):
        nodes = [
            _from_dict(child, (place, index), depth + 1, kinds)
            for index, child in enumerate(cast("list[object]", children))
        ]
    elif children is not None:
        raise MdastError(
            f"expected `array`, got {_shown(children)}", path=f"{_path(place)}.children"
        )
    if kind is None:
        return _unknown(name, given, fields, tuple(nodes), place)
    node = _converted(fields, kind, place)
    if children is not None and "children" in kind.__struct_fields__:
        if is_known(node):
            _check(node, nodes, place)
        msgspec.structs.force_setattr(node, "children", tuple(nodes))
    return node


def _check(parent: Node, children: Iterable[Node], place: Place) -> None:
    """Check that the specification lets children stand in a node of its kinds."""
    for index, child in enumerate(children):
        if not may_hold(parent, child) and is_known(child):
            tag = child.__struct_config__.tag
            raise MdastError(
                f'a node of type "{tag}" cannot stand there; '
                "mdast says which children each node takes",
                path=_path((place, index)),
            )


def _converted(fields: dict[str, Any], kind: type[Node], place: Place) -> Node:
    """The node of its fields, the type among them."""
    try:
        return msgspec.convert(fields, kind)
    except msgspec.ValidationError as error:
        problem, _, inner = str(error).partition(" - at `$")
        where = f"{_path(place)}{inner.removesuffix('`')}"
        raise MdastError(problem[0].lower() + problem[1:], path=where) from None


def _unknown(
    name: str,
    given: dict[str, Any],
    fields: dict[str, Any],
    children: tuple[Node, ...],
    place: Place,
) -> UnknownNode:
    own = {each: given[each] for each in given if each not in _SHARED}
    if not children and "children" in given:
        own["children"] = given["children"]
    shared: dict[str, Any] = {"type": UnknownNode.__struct_config__.tag, "kind": name}
    shared |= {each: fields[each] for each in ("data", "position") if each in fields}
    plain = cast("UnknownNode", _converted(shared, UnknownNode, place))
    return msgspec.structs.replace(plain, fields=own, children=children)


_SHARED = frozenset({"type", "children", "data", "position"})
"""What every node may have."""


def _shown(value: object) -> str:
    text = f'"{value}"' if isinstance(value, str) else repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"
