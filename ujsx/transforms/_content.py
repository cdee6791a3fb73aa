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
    if len(children) == 1 and type(children[0]) is str:  # most items hold one text
        node: Any = transform(children[0])
        if type(node) is mdast.Text and not node.value.isspace() and node.value:
            return (mdast.Paragraph((node,)),)
    return tuple(to_blocks(transform.all(children)))


def to_blocks(nodes: list[Any]) -> list[Any]:
    """Return nodes with each run of inline ones in a paragraph."""
    blocks: list[Any] = []
    line: list[Any] = []
    for node in nodes:
        if type(node) in PHRASING or (line and type(node) is mdast.Html):
            _append(line, node)
        else:
            if type(node) in _PARTS:
                raise RenderError(f"a {type(node).__name__} stands in a {_PARTS[type(node)]} only")
            if line:
                _end_paragraph(line, blocks)
            blocks.append(node)
    if line:
        _end_paragraph(line, blocks)
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


def _end_paragraph(line: list[Any], blocks: list[Any]) -> None:
    if any(type(node) is not mdast.Text or _says_something(node) for node in line):
        blocks.append(mdast.Paragraph(tuple(line)))
    line.clear()


def _says_something(text: mdast.Text) -> bool:
    return bool(text.value.strip(" \t\r\n"))


def _unwrapped(nodes: Any, child: Node) -> Any:
    """Trusted Markdown of one paragraph stands in a line as that paragraph's content."""
    component = child.component if isinstance(child, Element) else child
    if isinstance(component, elements.TrustedMarkdown) and len(nodes) == 1:
        return nodes[0].children if type(nodes[0]) is mdast.Paragraph else nodes
    return nodes
