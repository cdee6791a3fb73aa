"""A tree as lines that a person can read and compare: a node a line, indented by its depth."""

from __future__ import annotations

import json
from typing import Any


def outline(node: dict[str, Any]) -> str:
    """Return a node of mdast JSON as an outline.

    >>> print(outline({"type": "root", "children": [{"type": "text", "value": "a"}]}))
    root
      text value="a"
    """
    return "\n".join(_lines(node, 0))


def _lines(node: dict[str, Any], depth: int) -> list[str]:
    fields = [
        f"{key}={json.dumps(node[key], ensure_ascii=False)}"
        for key in sorted(node)
        if key not in {"type", "children", "position", "data"} and node[key] is not None
    ]
    line = " ".join([node["type"], *_place(node.get("position")), *fields])
    nested = [nested for child in node.get("children", ()) for nested in _lines(child, depth + 1)]
    return ["  " * depth + line, *nested]


def _place(position: dict[str, Any] | None) -> list[str]:
    if position is None:
        return []
    start, end = position["start"], position["end"]
    return [f"{start['line']}:{start['column']}-{end['line']}:{end['column']}"]
