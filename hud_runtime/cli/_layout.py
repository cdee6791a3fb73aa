"""JSON for readers: what fits in a line stays in one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast


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
    return "\n".join(_lines("", data, width))


def _lines(start: str, data: object, width: int) -> Iterator[str]:
    line = start + json.dumps(data, ensure_ascii=False)
    if len(line) <= width or not data or not isinstance(data, dict | list):
        yield line
        return
    opening, closing = "{}" if isinstance(data, dict) else "[]"
    yield start + opening
    inner = list(_parts(cast("dict[str, Any] | list[Any]", data)))
    for place, (name, value) in enumerate(inner, start=1):
        *most, last = _lines(name, value, width - 3)  # two columns to indent, one for the comma
        yield from (f"  {each}" for each in most)
        yield f"  {last}" + ("," if place < len(inner) else "")
    yield closing


def _parts(data: dict[str, Any] | list[Any]) -> Iterator[tuple[str, object]]:
    if isinstance(data, list):
        yield from (("", each) for each in data)
    else:
        for name, value in data.items():
            yield f"{json.dumps(name, ensure_ascii=False)}: ", value
