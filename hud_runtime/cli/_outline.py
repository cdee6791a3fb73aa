"""Trees and data for readers: what fits in a line stays in one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TypeAlias, cast

TreeData: TypeAlias = "str | dict[str, Any]"
"""What :func:`ujsx.dump` gives for a node."""

MIN_WIDTH = 24
"""Columns that a line gets at least, however deep it stands."""


def outline(node: TreeData, width: int) -> Iterator[str]:
    r"""Yield the lines of a tree's outline, as an author would write its nodes.

    :param node: the tree as :func:`ujsx.dump` has it.
    :param width: columns; longer texts end in "…".

    >>> item = {"type": "Item", "children": ["Add tests"]}
    >>> print(*outline({"type": "List", "children": [item, item]}, 24), sep="\n")
    List
      Item["Add tests"]
      Item["Add tests"]
    """
    line = _in_line(node)
    if isinstance(node, str) or len(line) <= width or _stays_whole(node):
        yield line if len(line) <= width else f"{line[: width - 1]}…"
        return
    yield _head(node)
    for child in _children(node):
        for inner in outline(child, max(width - 2, MIN_WIDTH)):
            yield f"  {inner}"


def _in_line(node: TreeData) -> str:
    if isinstance(node, str):
        return json.dumps(node, ensure_ascii=False)
    children = ", ".join(map(_in_line, _children(node)))
    return f"{_head(node)}[{children}]" if children else _head(node)


def _head(node: dict[str, Any]) -> str:
    props = cast("dict[str, object]", node.get("props", {}))
    given = ", ".join(f"{name}={value!r}" for name, value in props.items())
    return f"{node['type']}({given})" if given else f"{node['type']}"


def _children(node: dict[str, Any]) -> list[TreeData]:
    return cast("list[TreeData]", node.get("children", []))


def _stays_whole(node: dict[str, Any]) -> bool:
    """Whether a node is a line of text, or holds one and nothing else: it is cut, not broken."""
    children = _children(node)
    if any(isinstance(child, str) for child in children):
        return True
    return not children or (
        len(children) == 1 and _stays_whole(cast("dict[str, Any]", children[0]))
    )


def laid_out(data: object, width: int) -> str:
    """Return data as JSON whose short parts stand in one line.

    :param width: columns; only what cannot be broken is longer.

    >>> print(laid_out({"name": "link", "required": ["url"], "also": "x" * 9}, 24))
    {
      "name": "link",
      "required": ["url"],
      "also": "xxxxxxxxx"
    }
    """
    return "\n".join(_json_lines("", data, width))


def _json_lines(start: str, data: object, width: int) -> Iterator[str]:
    line = start + json.dumps(data, ensure_ascii=False)
    if len(line) <= width or not data or not isinstance(data, dict | list):
        yield line
        return
    opening, closing = "{}" if isinstance(data, dict) else "[]"
    yield start + opening
    inner = list(_entries(cast("dict[str, Any] | list[Any]", data)))
    for place, (name, value) in enumerate(inner, start=1):
        # Two columns are for the indentation, one for the comma.
        *most, last = _json_lines(name, value, width - 3)
        yield from (f"  {each}" for each in most)
        yield f"  {last}" + ("," if place < len(inner) else "")
    yield closing


def _entries(data: dict[str, Any] | list[Any]) -> Iterator[tuple[str, object]]:
    if isinstance(data, list):
        yield from (("", each) for each in data)
    else:
        for name, value in data.items():
            yield f"{json.dumps(name, ensure_ascii=False)}: ", value
