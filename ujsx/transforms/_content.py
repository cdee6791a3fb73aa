"""Inline and block content: runs of inline content become paragraphs."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import msgspec

from ujsx import elements, mdast
from ujsx.components._element import Children
from ujsx.components._misplaced import as_rendered, no_line, no_part
from ujsx.mdast._content_model import CONTENT_MODELS, HOLDERS, Content
from ujsx.text._hidden import settled
from ujsx.transforms._misplaced import first_misplaced
from ujsx.transforms._spaces import merged, trimmed
from ujsx.transforms._transform import Transform

PHRASING: frozenset[type] = frozenset(
    kind
    for kind, model in CONTENT_MODELS.items()
    if model.fits("phrasing") and kind is not mdast.Html
)
"""What stands in a line. ``Html`` does too, where it follows something that does."""

_BLOCKS: frozenset[type] = frozenset(
    kind for kind, model in CONTENT_MODELS.items() if not model.fits("phrasing")
)
"""What never stands in a line."""

_PARTS: dict[type, Content] = {
    kind: content
    for kind, model in CONTENT_MODELS.items()
    for content in model.stands_as
    if content in HOLDERS
}
"""What is no block by itself, and as what it stands."""


def flow(children: Children, transform: Transform) -> tuple[Any, ...]:
    """Return children as blocks; each run of inline content among them becomes a paragraph."""
    nodes = transform.all(children)
    for node in nodes:
        if node.__class__ not in PHRASING:
            return tuple(to_blocks(nodes, trusts_text=transform.context.trusts_text))
    paragraph = _paragraph(nodes, transform.context.trusts_text)
    return () if paragraph is None else (paragraph,)


class Shared(msgspec.Struct, frozen=True):
    """A paragraph that is yet to be made one with those beside it that share its line."""

    children: tuple[Any, ...]
    separator: str


def _in_one(line: Sequence[Shared], *, trusts_text: bool) -> mdast.Paragraph | None:
    """The paragraph that several share; one that says nothing takes no part.

    Those that are all one mark become one mark.
    """
    nodes: list[Any] = []
    marked: list[Any] | None = None
    """What the mark holds that the line ends with so far."""
    for each in line:
        if not each.children:
            continue
        separator = mdast.Text(each.separator)
        only = each.children[0] if len(each.children) == 1 else None
        if type(only) is not mdast.Emphasis:
            nodes += _closed(marked, trusts_text=trusts_text)
            nodes += [separator, *each.children] if nodes else each.children
            marked = None
        elif marked is not None:
            marked += [separator, *only.children]
        else:
            nodes += [separator] if nodes else []
            marked = [*only.children]
    nodes += _closed(marked, trusts_text=trusts_text)
    return _paragraph(nodes, trusts_text)


def _closed(inner: list[Any] | None, *, trusts_text: bool) -> list[Any]:
    """The mark around this, if it is one: its texts are made one at once, however many lines it is made of."""
    return [] if inner is None else [mdast.Emphasis(tuple(merged(inner, trusts_text=trusts_text)))]


def to_blocks(nodes: list[Any], *, trusts_text: bool) -> list[Any]:
    """Return nodes with each run of inline ones in a paragraph.

    :param trusts_text: whether texts that meet may make a token together.
    :raises RenderError: for a part of a list or a table that stands alone.
    """
    blocks: list[Any] = []
    line: list[Any] = []
    shared: list[Shared] = []
    for node in [*nodes, None]:
        if shared and type(node) is not Shared:
            paragraph = _in_one(shared, trusts_text=trusts_text)
            if paragraph is not None:
                blocks.append(paragraph)
            shared.clear()
        if type(node) in PHRASING or (line and type(node) is mdast.Html):
            line.append(node)
            continue
        if type(node) in _PARTS:
            raise no_part(_PARTS[type(node)])
        if line:
            paragraph = _paragraph(line, trusts_text)
            if paragraph is not None:
                blocks.append(paragraph)
            line.clear()
        if type(node) is Shared:
            shared.append(node)
        elif node is not None:
            blocks.append(node)
    return blocks


def is_inline(node: Any) -> bool:
    """Tell whether an mdast node stands in a line."""
    return type(node) in PHRASING


def shares_its_line(node: Any) -> bool:
    """Tell whether a node is a paragraph that shares its line with those beside it."""
    return type(node) is Shared


def phrasing(children: Children, transform: Transform) -> list[Any]:
    """Return children as the content of a line.

    :raises RenderError: for a block, which cannot stand in one.
    """
    line = transform.all(children)
    for node in line:
        if node.__class__ in _BLOCKS:
            wrong = first_misplaced(children, transform, _is_no_block)
            raise as_rendered(no_line(wrong), wrong)
    return merged(line, trusts_text=transform.context.trusts_text) if len(line) > 1 else line


def _is_no_block(node: Any) -> bool:
    return type(node) not in _BLOCKS


def stands_in_line(transform: Transform) -> bool:
    """Tell whether a node stands in a primitive that holds a line: trusted Markdown of one paragraph is its content there."""
    return issubclass(transform.parent or object, _LINES)


_LINES = (
    elements.Heading,
    elements.Paragraph,
    elements.TableCell,
    elements.Strong,
    elements.Emphasis,
    elements.Strikethrough,
    elements.Link,
    elements.LinkReference,
)


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
    content = trimmed(merged(line, trusts_text=trusts_text) if len(line) > 1 else line)
    return mdast.Paragraph(content) if content else None
