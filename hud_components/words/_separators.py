"""Facts in one line, apart from each other by a separator of the table.

Text from outside stands under a mark in such a line, so that a separator in it parts nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hud_components.words._reading import value_of
from hud_components.words._texts import format_text
from ujsx import Child, RenderContext, mdast


def separated(parts: Sequence[Child], ctx: RenderContext) -> list[Child]:
    """Return the parts as one line of inline content."""
    separator = format_text(ctx, "status.separator")
    line: list[Child] = []
    for part in parts:
        line += [separator, part] if line else [part]
    return line


def apart(line: Sequence[Any], ctx: RenderContext) -> list[list[Any]]:
    """Return the parts of a parsed line, each as its nodes.

    >>> [text_in(part) for part in apart([mdast.Text("3 notes · 1 step")], RenderContext())]
    ['3 notes', '1 step']
    """
    separator = format_text(ctx, "status.separator")
    parts: list[list[Any]] = [[]]
    for node in line:
        if type(node) is not mdast.Text:
            parts[-1].append(node)
            continue
        first, *others = node.value.split(separator)
        parts[-1] += [mdast.Text(first)] if first else []
        parts += [[mdast.Text(other)] if other else [] for other in others]
    return parts


def text_in(part: Sequence[Any]) -> str:
    """Return the text that a part consists of; ``""`` if it is something else."""
    return value_of(part[0]) if len(part) == 1 and type(part[0]) is mdast.Text else ""


def without_space(line: Sequence[Any]) -> Sequence[Any]:
    """Return a line without the space that it starts with."""
    first, *others = line
    if type(first) is not mdast.Text or not first.value.startswith(" "):
        return line
    text = first.value[1:]
    return (mdast.Text(text), *others) if text else others
