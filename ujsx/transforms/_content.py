"""What stands in a line and what stands as a block: runs of inline content become paragraphs."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Any, TypeAlias

import msgspec

from ujsx import elements, mdast
from ujsx._element import Children, Element, Node
from ujsx._errors import RenderError
from ujsx._hidden import settled
from ujsx._registry import Transform
from ujsx.transforms._spaces import merged, trimmed

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
    nodes = transform.all(children)
    for node in nodes:
        if type(node) not in PHRASING:
            return tuple(to_blocks(nodes, trusts_text=transform.context.trusts_text))
    paragraph = _paragraph(
        nodes, transform.context.trusts_text
    )  # most often, all of it is one line
    return () if paragraph is None else (paragraph,)


def to_blocks(nodes: list[Any], *, trusts_text: bool) -> list[Any]:
    """Return nodes with each run of inline ones in a paragraph.

    :param trusts_text: whether texts that meet may make a token together.
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
        if line:
            paragraph = _paragraph(line, trusts_text)
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
    text = transform.text
    line: list[Any] = []
    for child in children:
        if type(child) is str and text is not None:
            made = text(child, transform)
        else:
            made = transform(child)
        if type(made) is list:
            line += _unwrapped(made, child)
        else:
            line.append(made)
    for node in line:
        if type(node) in _BLOCKS:
            raise RenderError(
                f"a {type(node).__name__} is a block and cannot stand in a line; "
                "put it beside the paragraph"
            )
    if len(line) > 1:
        line = merged(line, trusts_text=transform.context.trusts_text)
    return tuple(line)


def settle(made: Iterable[Any], written: Iterable[Any]) -> list[Any]:
    """Return ``made`` with no token in a text that ``written`` does not have.

    Where Markdown can hold nothing, such as an empty span, the texts around it meet.
    """
    known = {node.value for root in written for node in _texts(root)}
    return [_settled(root, known) for root in made]


_LEAVES = (mdast.Text, mdast.InlineCode)
"""What becomes one with its like beside it."""

_Leaf: TypeAlias = mdast.Text | mdast.InlineCode


def _texts(node: Any) -> Iterator[_Leaf]:
    if type(node) in _LEAVES:
        yield node
    for child in getattr(node, "children", ()):
        yield from _texts(child)


def _settled(node: Any, known: Container[str]) -> Any:
    if type(node) in _LEAVES:
        return node if node.value in known else type(node)(settled(node.value))
    if all(text.value in known for text in _texts(node)):
        return node
    children = tuple(_settled(child, known) for child in node.children)
    return msgspec.structs.replace(node, children=children)


def _paragraph(line: list[Any], trusts_text: bool) -> mdast.Paragraph | None:
    """A line as a paragraph, or ``None`` if it says nothing but white space."""
    if len(line) > 1:
        line = merged(line, trusts_text=trusts_text)
    if len(line) == 1 and type(line[0]) is mdast.Text and not line[0].value.strip(" \t\r\n"):
        return None
    if not line:
        return None
    return mdast.Paragraph(trimmed(line))


def _unwrapped(nodes: Any, child: Node) -> Any:
    """Trusted Markdown of one paragraph stands in a line as that paragraph's content."""
    component = child.component if isinstance(child, Element) else child
    if isinstance(component, elements.TrustedMarkdown) and len(nodes) == 1:
        return nodes[0].children if type(nodes[0]) is mdast.Paragraph else nodes
    return nodes
