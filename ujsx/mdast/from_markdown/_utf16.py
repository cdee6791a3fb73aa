"""Positions counted in UTF-16 code units, as editors and the Language Server Protocol count."""

from __future__ import annotations

from bisect import bisect_left

import msgspec

from ujsx.mdast._nodes import Node, Point


def count_in_utf16(root: Node, text: str) -> None:
    """Count the positions of a tree that was just read in UTF-16: one more for each astral character.

    >>> from ujsx.mdast import from_markdown
    >>> from_markdown("😀 *a*", positions="all", units="utf-16").children[0].children[1].position.start
    Point(line=1, column=4, offset=3)
    """
    wide = [offset for offset, character in enumerate(text) if character > "\uffff"]
    if not wide:
        return
    stack = [root]
    while stack:
        node = stack.pop()
        if (position := node.position) is not None:
            start, end = _point(position.start, wide), _point(position.end, wide)
            moved = msgspec.structs.replace(position, start=start, end=end)
            msgspec.structs.force_setattr(node, "position", moved)
        stack.extend(getattr(node, "children", ()))


def _point(point: Point, wide: list[int]) -> Point:
    assert point.offset is not None
    before = bisect_left(wide, point.offset)
    in_line = before - bisect_left(wide, point.offset - point.column + 1)
    return Point(point.line, point.column + in_line, point.offset + before)
