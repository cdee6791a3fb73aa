"""The first difference between two trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec


def first_difference(left: Any, right: Any, path: str = "$") -> tuple[str, Any, Any]:
    """Return the place where two trees that are not equal part, and what stands there in each.

    >>> from ujsx.mdast import Paragraph, Text
    >>> first_difference(Paragraph([Text("a")]), Paragraph([Text("b")]))
    ('$.children[0].value', 'a', 'b')
    """
    while type(left) is type(right) and isinstance(left, msgspec.Struct):
        name = next(
            (
                each
                for each in left.__struct_fields__
                if getattr(left, each) != getattr(right, each)
            ),
            None,
        )
        if name is None:
            break
        left, right, path = getattr(left, name), getattr(right, name), f"{path}.{name}"
        if name == "children":
            place = next(i for i in range(len(left) + 1) if _at(left, i) != _at(right, i))
            left, right, path = _at(left, place), _at(right, place), f"{path}[{place}]"
    return path, left, right


def _at(nodes: Sequence[Any], place: int) -> Any:
    return nodes[place] if place < len(nodes) else None
