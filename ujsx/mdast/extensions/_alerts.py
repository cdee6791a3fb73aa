"""Alerts as nodes of their own: a quote whose first line names a kind, such as ``[!NOTE]``.

Without the extension such a quote is a ``Blockquote`` that has the kind in its ``data``. One whose first
line has more on it than the kind stays that.
"""

from __future__ import annotations

from typing import Any

from ujsx.mdast._nodes import (
    ALERT,
    MARK,
    Blockquote,
    Extension,
    FlowContent,
    Node,
    Paragraph,
    Parent,
    Text,
)
from ujsx.mdast.to_markdown._flow import quoted
from ujsx.mdast.to_markdown._phrasing import Unwritable


class Alert(Parent, frozen=True):
    """A quote that is drawn as a box; ``kind`` is what it is called, such as ``NOTE``."""

    kind: str
    children: tuple[FlowContent, ...] = ()


def alert(node: Blockquote) -> Node:
    """Return the alert that a quote is, without the line that says so; else the quote."""
    if ALERT not in (node.data or ()):
        return node
    first: Any = node.children[0]
    text, *rest = first.children
    mark = MARK.match(text.value)
    if mark is None:
        return node
    behind = text.value[mark.end() :]
    if behind and not behind.startswith("\n"):
        return node
    if not behind and rest:
        return node
    inline = (*([Text(behind[1:])] if behind[1:] else []), *rest)
    if behind == "\n" and not rest:
        return node
    children = ((Paragraph(inline, position=first.position),) if inline else ()) + node.children[1:]
    return Alert(kind=mark[1], children=children, position=node.position)


def write(node: Alert, writing: Any) -> str:
    """``> [!NOTE]`` and the blocks, behind ``>`` each."""
    mark = f"[!{node.kind}]"
    if MARK.fullmatch(mark) is None:
        raise Unwritable(node, f"{node.kind!r} is not a word of letters, digits and dashes")
    if f"!{node.kind}".casefold() in (writing.labels() or ()):
        raise Unwritable(node, f"{mark} leads to a definition in this document")
    writing.enter(node)
    written = writing.flow(node, node.children)
    writing.leave()
    if not written:
        return quoted(mark)
    tight = isinstance(node.children[0], Paragraph) and goes_on(f"{mark}\n{written}", writing)
    return quoted(f"{mark}\n{written}" if tight else f"{mark}\n\n{written}")


def goes_on(text: str, writing: Any) -> bool:
    """Return whether a paragraph's text stays one behind the line before it."""
    second = text.index("\n") + 1
    return text[second] not in "<[:|=-" and writing.line_starts.escape(text) == text


def canonical(node: Alert) -> Node:
    """Return an alert whose kind can be written; a quote if it cannot."""
    if MARK.fullmatch(f"[!{node.kind}]") is None:
        return Blockquote(node.children, position=node.position)
    return node


EXTENSION = Extension(
    name="alerts",
    change={Blockquote: alert},
    flow={Alert: write},
    holds={Alert: "flow"},
    canonical={Alert: canonical},
)
"""Quotes that begin with ``[!NOTE]`` or the like."""
