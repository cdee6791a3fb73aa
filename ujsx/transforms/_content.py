"""Inline content and blocks: their places, and white space at their edges."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from ujsx import elements, mdast
from ujsx.components._component import Component, as_element
from ujsx.components._element import Children, Node, as_rendered, no_line, no_part
from ujsx.mdast._nodes import CONTENT_MODELS, HOLDERS, Content
from ujsx.text import joined, show_hidden, without_blank_lines

if TYPE_CHECKING:
    from ujsx.transforms._registry import Transform

# The author's child that becomes a misplaced node.


def first_misplaced(
    children: Children, transform: Transform, fits: Callable[[Any], bool]
) -> str | Component:
    """Return the first child whose result does not fit; there must be one.

    :param fits: whether a node of the target is allowed there.
    """
    made: Any
    for child, made in zip(children, transform.each(children), strict=True):
        nodes: list[Any] = made if made.__class__ is list else [made]
        if all(map(fits, nodes)):
            continue
        if isinstance(child, str) or not as_element(child).component.is_fragment:
            return component_of(child)
        return first_misplaced(as_element(child).children, transform, fits)
    raise AssertionError("each of them fits")


def component_of(child: Node) -> str | Component:
    """Return a text unchanged, and the component of a node."""
    return child if isinstance(child, str) else as_element(child).component


def is_element(node: Any, tag_name: str | None = None) -> bool:
    """Tell whether a hast node is an element, optionally with a tag name."""
    return hasattr(node.__class__, "tag_name") and tag_name in (None, node.tag_name)


# White space in lines of mdast or of hast: it is dropped or moved where readers do not show it.
#
# Only references could write white space at the edge of a block or a mark, or a blank line in a paragraph.

_SPACES = " \t\n\r"
"""White space in a line of Markdown."""


def merged(
    line: list[Any], text: type[Any] = mdast.Text, *, trusts_text: bool = False
) -> list[Any]:
    """Return a line with adjacent texts merged, and adjacent codes, as in mdast.

    An empty text does not separate. Untrusted texts form no special token together.
    """
    before: type[Any] | None = None
    for node in line:
        kind: type[Any] | None = type(node)  # pyright: ignore[reportUnknownVariableType]
        if kind is before or (kind is text and not node.value):
            break
        before = kind
    else:  # as mostly
        return line
    groups: list[list[Any]] = []
    before = None
    for node in line:
        kind = type(node)  # pyright: ignore[reportUnknownVariableType]
        if kind is text:
            if not node.value:
                continue
        elif kind is not mdast.InlineCode and (kind in PHRASING or not is_element(node, "code")):
            kind = None
        if kind is not None and kind is before:
            groups[-1].append(node)
        else:
            groups.append([node])
        before = kind
    join = "".join if trusts_text else joined
    nodes = [_joined(group, text, join) if len(group) > 1 else group[0] for group in groups]
    return nodes or line[:1]


def _joined(met: list[Any], text: type[Any], join: Callable[[Sequence[str]], str]) -> Any:
    leaf: type[Any] = type(met[0])  # pyright: ignore[reportUnknownVariableType]
    if leaf is text or leaf is mdast.InlineCode:
        value = join([node.value for node in met])
        return leaf(without_blank_lines(value) if leaf is text else value)
    inner = [each.children[0] for each in met]
    return leaf("code", {}, (_joined(inner, text, join),))


def split_edges(
    line: Sequence[Any], text: type[Any] = mdast.Text
) -> tuple[str, tuple[Any, ...], str]:
    """Return a line's leading white space, its content, and its trailing white space."""
    before = behind = ""
    inner = tuple(line)
    if inner and type(inner[0]) is text and inner[0].value[:1] in _SPACES:
        value = inner[0].value
        rest = value.lstrip(_SPACES)
        before = value[: len(value) - len(rest)]
        inner = (text(rest), *inner[1:]) if rest else inner[1:]
    if inner and type(inner[-1]) is text and inner[-1].value[-1:] in _SPACES:
        value = inner[-1].value
        own = int(value[:1] == "\n" and len(inner) > 1 and is_element(inner[-2], "br"))
        rest = value[:own] + value[own:].rstrip(_SPACES)  # a <br> is followed by a line end
        behind = value[len(rest) :]
        inner = (*inner[:-1], text(rest)) if rest else inner[:-1]
    return before, inner, behind


def trimmed(line: Sequence[Any], text: type[Any] = mdast.Text) -> tuple[Any, ...]:
    """Return a block's line without white space at its edges."""
    if not line:
        return ()
    first, last = line[0], line[-1]
    if (type(first) is text and (not first.value or first.value[0] in _SPACES)) or (
        type(last) is text and (not last.value or last.value[-1] in _SPACES)
    ):
        return split_edges(line, text)[1]
    return tuple(line)


def set_apart(line: Sequence[Any], mark: Any, text: type[Any] = mdast.Text) -> Any:
    """Return a line in a mark, with the white space at its edges moved outside.

    No mark of Markdown begins or ends with white space.
    """
    if trimmed(line, text) == tuple(line):
        return mark(tuple(line))
    before, inner, behind = split_edges(line, text)
    nodes = [text(before) if before else None, mark(inner) if inner else None]
    return [node for node in (*nodes, text(behind) if behind else None) if node is not None]


PHRASING: frozenset[type] = frozenset(
    kind
    for kind, model in CONTENT_MODELS.items()
    if model.fits("phrasing") and kind is not mdast.Html
)
"""Inline nodes. ``Html`` is inline too if it follows one of them."""

_BLOCKS: frozenset[type] = frozenset(
    kind for kind, model in CONTENT_MODELS.items() if not model.fits("phrasing")
)
"""Nodes that are never inline."""

_PARTS: dict[type, Content] = {
    kind: content
    for kind, model in CONTENT_MODELS.items()
    for content in model.stands_as
    if content in HOLDERS
}
"""The nodes that are not blocks by themselves, with the content that each belongs to."""

_WHOLE = _BLOCKS - _PARTS.keys()
"""The nodes that are blocks by themselves."""


def flow(children: Children, transform: Transform) -> tuple[Any, ...]:
    """Return children as blocks; each run of inline content among them becomes a paragraph."""
    nodes = transform.all(children)
    for node in nodes:
        if type(node) not in PHRASING:
            return tuple(to_blocks(nodes, trusts_text=transform.context.trusts_text))
    paragraph = _paragraph(nodes, transform.context.trusts_text)
    return () if paragraph is None else (paragraph,)


class SharedLine(msgspec.Struct, frozen=True):
    """A paragraph to be merged with the adjacent ones that share its line."""

    children: tuple[Any, ...]
    separator: str


def _in_one(line: Sequence[SharedLine], *, trusts_text: bool) -> mdast.Paragraph | None:
    """Return the paragraph that several share; empty ones take no part.

    If all of them are one mark, so is the result.
    """
    nodes: list[Any] = []
    marked: list[Any] | None = None
    """The content so far of the mark that ends the line."""
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
    """Return the closed mark, if there is one: its texts are merged once, however many lines it has."""
    return [] if inner is None else [mdast.Emphasis(tuple(merged(inner, trusts_text=trusts_text)))]


def to_blocks(nodes: list[Any], *, trusts_text: bool) -> list[Any]:
    """Return nodes with each run of inline ones in a paragraph.

    :param trusts_text: whether adjacent texts may form a special token together.
    :raises RenderError: for a part of a list or a table outside of one.
    """
    if _WHOLE.issuperset(map(type, nodes)):  # as mostly
        return nodes
    blocks: list[Any] = []
    line: list[Any] = []
    shared: list[SharedLine] = []
    for node in [*nodes, None]:
        if shared and type(node) is not SharedLine:
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
        if type(node) is SharedLine:
            shared.append(node)
        elif node is not None:
            blocks.append(node)
    return blocks


def is_inline(node: Any) -> bool:
    """Tell whether an mdast node is inline."""
    return type(node) in PHRASING


def shares_its_line(node: Any) -> bool:
    """Tell whether a node is a paragraph that shares its line with adjacent ones."""
    return type(node) is SharedLine


def ends_in_line(nodes: Sequence[Any]) -> bool | None:
    """Tell whether nodes end in inline content, or in a paragraph that shares its line; None for HTML alone, which
    takes the form of the content before it.
    """
    for node in reversed(nodes):
        if type(node) is not mdast.Html:
            return type(node) in PHRASING or (type(node) is SharedLine and node is nodes[-1])
    return None


def phrasing(children: Children, transform: Transform) -> list[Any]:
    """Return children as inline content.

    :raises RenderError: for a block.
    """
    line = transform.all(children)
    if len(line) == 1 and type(line[0]) is mdast.Text:
        return line
    if not _BLOCKS.isdisjoint(map(type, line)):
        wrong = first_misplaced(children, transform, _is_no_block)
        raise as_rendered(no_line(wrong), wrong)
    return merged(line, trusts_text=transform.context.trusts_text) if len(line) > 1 else line


def _is_no_block(node: Any) -> bool:
    return type(node) not in _BLOCKS


def stands_in_line(transform: Transform) -> bool:
    """Tell whether a node is in a primitive with inline content: trusted Markdown of one paragraph is its content
    there.
    """
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
    """Return ``made`` without special tokens that ``written`` does not have.

    Where Markdown drops a node, such as an empty span, the texts around it become adjacent.
    """
    known = {node.value for root in written for node in _texts(root)}
    return [_settled(root, known) for root in made]


_LEAVES = (mdast.Text, mdast.InlineCode)
"""Nodes that merge with adjacent ones of their kind."""

_Leaf: TypeAlias = mdast.Text | mdast.InlineCode


def _texts(node: Any) -> Iterator[_Leaf]:
    if type(node) in _LEAVES:
        yield node
    for child in getattr(node, "children", ()):
        yield from _texts(child)


def _settled(node: Any, known: Container[str]) -> Any:
    if type(node) in _LEAVES:
        return node if node.value in known else type(node)(show_hidden(node.value))
    if all(text.value in known for text in _texts(node)):
        return node
    children = tuple(_settled(child, known) for child in node.children)
    return msgspec.structs.replace(node, children=children)


def _paragraph(line: list[Any], trusts_text: bool) -> mdast.Paragraph | None:
    """Return a line as a paragraph, or ``None`` if it is only white space."""
    content = trimmed(merged(line, trusts_text=trusts_text) if len(line) > 1 else line)
    return mdast.Paragraph(content) if content else None
