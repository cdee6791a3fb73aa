"""From what a handler returns to the answer of a call."""

from __future__ import annotations

import json
from typing import Any, cast

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from ujsx.components._component import Component
from ujsx.components._element import Element
from ujsx.tools._result import ToolResult

DONE = "Done."
"""The answer of a handler that returns nothing."""


def answered(value: object) -> ToolResult:
    """Return the answer: text as it is, a node rendered, anything else as JSON.

    >>> answered({"open": 3}).text
    '{"open":3}'
    """
    if isinstance(value, ToolResult):
        return value
    if value is None:
        return ToolResult(DONE)
    if isinstance(value, str):
        return ToolResult(value)
    if isinstance(value, Component | Element):
        from ujsx.rendering._render import render  # answers in JSON need no writer

        return ToolResult(render(cast("Component | Element", value)).rstrip("\n"))
    data: Any = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
    data = to_jsonable_python(data)
    return ToolResult(json.dumps(data, ensure_ascii=False, separators=(",", ":")), data=data)
