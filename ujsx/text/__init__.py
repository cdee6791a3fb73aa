"""Text from outside: made fit for one place in a line, and what it hides made visible."""

from __future__ import annotations

from ujsx.on_demand import on_demand
from ujsx.text._hidden import escaped, unhidden
from ujsx.text._lines import (
    is_printable,
    is_text,
    one_line,
    paragraphs,
    visible,
    without_blank_lines,
)
from ujsx.text._width import width

__all__ = [
    "escaped",
    "is_printable",
    "is_text",
    "one_line",
    "paragraphs",
    "unhidden",
    "visible",
    "width",
    "without_blank_lines",
]

on_demand(globals())
