"""A tree as an outline: one node on each line, or several where they are short."""

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
