"""hast trees as JSON data, field for field as the hast specification has it."""

from __future__ import annotations

from typing import Any, Final, cast

import msgspec

from ujsx.errors import HastError, did_you_mean, shown
from ujsx.hast._nodes import AnyNode, Comment, Doctype, Element, PropertyValue, Raw, Root, Text

MAX_DEPTH: Final = 200
"""Levels of nodes that are taken and written. A tree made of Markdown has fewer: its containers
nest 150 deep at most, and a table or a block of code in the last of them adds three."""

_LITERALS: Final[dict[str, type[Text | Comment | Raw]]] = {
    "text": Text,
    "comment": Comment,
    "raw": Raw,
}
_KINDS: Final = ("root", "element", "doctype", *_LITERALS)


def to_dict(node: AnyNode) -> dict[str, Any]:
    """Return a tree as JSON data; ``position`` and ``data`` stand there only when they are set.

    :raises HastError: when the tree is nested more than ``MAX_DEPTH`` levels deep.

    >>> to_dict(Element("ol", {"start": 2, "className": ("a", "b")}))["properties"]
    {'start': 2, 'className': ['a', 'b']}
    """
    return _to_dict(node, "$", 0)


def _to_dict(node: AnyNode, path: str, depth: int) -> dict[str, Any]:
    _check_depth(path, depth)
    result: dict[str, Any] = {"type": node.__struct_config__.tag}
    if isinstance(node, Text | Comment | Raw):
        result["value"] = node.value
    if isinstance(node, Element):
        result["tagName"] = node.tag_name
        result["properties"] = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in node.properties.items()
        }
    if isinstance(node, Root | Element):
        result["children"] = [
            _to_dict(child, f"{path}.children[{index}]", depth + 1)
            for index, child in enumerate(node.children)
        ]
    if node.data is not None:
        result["data"] = node.data
    if node.position is not None:
        result["position"] = msgspec.to_builtins(node.position)
    return result


def from_dict(data: Any) -> AnyNode:
    """Return the tree that JSON data holds; fields that hast does not know are left out.

    :raises HastError: with the place (``$.children[0].value``) for a node type that hast does not
        have or not there, a field that is missing or of a wrong type, and data nested more than
        ``MAX_DEPTH`` levels deep.

    >>> from_dict({"type": "element", "tagName": "hr"})
    Element(tag_name='hr')
    >>> from_dict({"type": "elment"})
    Traceback (most recent call last):
        ...
    ujsx.errors.HastError: $.type: there is no node type 'elment'; did you mean "element"?
    """
    return _from_dict(data, "$", 0)


def _from_dict(data: Any, path: str, depth: int) -> AnyNode:
    _check_depth(path, depth)
    if not isinstance(data, dict):
        raise HastError(f'a node is an object with a "type", not {shown(data)}', path=path)
    fields = cast("dict[str, Any]", data)
    kind = fields.get("type")
    if kind not in _KINDS:
        hint = did_you_mean(str(kind), _KINDS)
        raise HastError(f"there is no node type {shown(kind)}; {hint}", path=f"{path}.type")
    if depth and kind == "root":
        raise HastError("a root stands at the top of a tree, not in it", path=path)
    extra: Any = {"data": fields.get("data")}
    if kind in _LITERALS:
        return _LITERALS[kind](_text(fields, "value", path), **extra)
    if kind == "doctype":
        return Doctype(**extra)
    children: Any = tuple(
        _from_dict(child, f"{path}.children[{index}]", depth + 1)
        for index, child in enumerate(_of(list, fields.get("children") or [], f"{path}.children"))
    )
    if kind == "root":
        return Root(children, **extra)
    return Element(_text(fields, "tagName", path), _properties(fields, path), children, **extra)


def _properties(fields: dict[str, Any], path: str) -> dict[str, PropertyValue]:
    given = _of(dict, fields.get("properties") or {}, f"{path}.properties")
    properties: dict[str, PropertyValue] = {}
    for name, value in given.items():
        is_list = isinstance(value, list | tuple)
        words = tuple(cast("list[Any]", value)) if is_list else (value,)
        if not all(isinstance(word, str | int | float | None) for word in words):
            place = f"{path}.properties.{name}"
            raise HastError(
                f"a property is text, a number, a boolean, or a list of words, not {shown(value)}",
                path=place,
            )
        properties[str(name)] = words if is_list else value
    return properties


def _text(fields: dict[str, Any], name: str, path: str) -> str:
    text: str = _of(str, fields.get(name), f"{path}.{name}")
    return text


_IN_JSON: Final[dict[type, str]] = {str: "a text", list: "a list", dict: "an object"}


def _of(kind: type, value: Any, path: str) -> Any:
    if not isinstance(value, kind):
        raise HastError(f"{_IN_JSON[kind]} is expected, not {shown(value)}", path=path)
    return value


def _check_depth(path: str, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise HastError(f"nested more than {MAX_DEPTH} levels deep; flatten the tree", path=path)
