"""What stands in a line and what stands as a block: runs of inline content become paragraphs."""

from __future__ import annotations

from typing import Any

from ujsx import elements, mdast
from ujsx._element import Children, Element, Node
from ujsx._errors import RenderError
from ujsx._registry import Transform

PHRASING: frozenset[type] = frozenset(
    {
        mdast.Text,
        mdast.Emphasis,
        mdast.Strong,
        mdast.Delete,
        mdast.InlineCode,
        mdast.Break,
        mdast.Link,
        mdast.Image,
        mdast.LinkReference,
        mdast.ImageReference,
        mdast.FootnoteReference,
    }
)
"""What stands in a line. ``Html`` does too, where it follows something that does."""

_BLOCKS: frozenset[type] = frozenset(
    {
        mdast.Paragraph,
        mdast.Heading,
        mdast.ThematicBreak,
        mdast.Blockquote,
        mdast.List,
        mdast.ListItem,
        mdast.Code,
        mdast.Definition,
        mdast.FootnoteDefinition,
        mdast.Table,
        mdast.TableRow,
        mdast.TableCell,
        mdast.Yaml,
    }
)
"""What never stands in a line."""


_PARTS: dict[type, str] = {
    mdast.ListItem: "List",
    mdast.TableRow: "Table",
    mdast.TableCell: "TableRow",
}
"""What is no block by itself, and in what it stands."""


def flow(children: Children, transform: Transform) -> tuple[Any, ...]:
    """Return children as blocks; each run of inline content among them becomes a paragraph."""
    nodes: list[Any] = []
    in_line = True
    for child in children:
        made = transform(child)
        kind: type[Any] = made.__class__
        if kind is list:
            nodes += made
            in_line = False
        else:
            nodes.append(made)
            in_line = in_line and kind in PHRASING
    if in_line:  # most often, all of it is one line
        paragraph = _paragraph(nodes)
        return () if paragraph is None else (paragraph,)
    return tuple(to_blocks(nodes))


def to_blocks(nodes: list[Any]) -> list[Any]:
    """Return nodes with each run of inline ones in a paragraph.

    :raises RenderError: for a part of a list or a table that stands alone.
    """
    blocks: list[Any] = []
    line: list[Any] = []
    for node in [*nodes, None]:
        if type(node) in PHRASING or (line and type(node) is mdast.Html):
            line.append(node)
            continue
        if type(node) in _PARTS:
            raise RenderError(f"a {type(node).__name__} stands in a {_PARTS[type(node)]} only")
        paragraph = _paragraph(line)
        if paragraph is not None:
            blocks.append(paragraph)
        line.clear()
        if node is not None:
            blocks.append(node)
    return blocks


def is_inline(node: Any) -> bool:
    """Tell whether an mdast node stands in a line."""
    return type(node) in PHRASING


def phrasing(children: Children, transform: Transform) -> tuple[Any, ...]:
    """Return children as the content of a line.

    :raises RenderError: for a block, which cannot stand in one.
    """
    line: list[Any] = []
    for child in children:
        made = transform(child)
        nodes: Any = _unwrapped(made, child) if isinstance(made, list) else (made,)
        for node in nodes:
            if type(node) in _BLOCKS:
                raise RenderError(
                    f"a {type(node).__name__} is a block and cannot stand in a line; "
                    "put it beside the paragraph"
                )
            _append(line, node)
    return tuple(line)


def _append(line: list[Any], node: Any) -> None:
    """Add ``node``; texts that meet are one text, as mdast has it."""
    if line and type(node) is mdast.Text and type(line[-1]) is mdast.Text:
        line[-1] = mdast.Text(line[-1].value + node.value)
    else:
        line.append(node)


def _paragraph(line: list[Any]) -> mdast.Paragraph | None:
    """A line as a paragraph, or ``None`` if it says nothing but white space."""
    if len(line) > 1:
        merged: list[Any] = []
        for node in line:
            _append(merged, node)
        line = merged
    if not line or (len(line) == 1 and _is_blank(line[0])):
        return None
    return mdast.Paragraph(tuple(line))


def _is_blank(node: Any) -> bool:
    return type(node) is mdast.Text and not node.value.strip(" \t\r\n")


def _unwrapped(nodes: Any, child: Node) -> Any:
    """Trusted Markdown of one paragraph stands in a line as that paragraph's content."""
    component = child.component if isinstance(child, Element) else child
    if isinstance(component, elements.TrustedMarkdown) and len(nodes) == 1:
        return nodes[0].children if type(nodes[0]) is mdast.Paragraph else nodes
    return nodes
