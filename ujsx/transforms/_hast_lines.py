"""Lines out of HTML: where one ends, and what white space in it comes to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from ujsx import elements
from ujsx.components._component import as_element
from ujsx.components._element import Element, Node

_INLINE: Final = (
    elements.Strong,
    elements.Emphasis,
    elements.Strikethrough,
    elements.InlineCode,
    elements.Link,
    elements.Image,
    elements.LineBreak,
)


def paragraphs(nodes: Iterable[Node]) -> list[Node]:
    """Return nodes as blocks: each run of inline ones that says something is a paragraph."""
    blocks: list[Node] = []
    run: list[Node] = []
    for node in nodes:
        if _is_inline(node) or (isinstance(node, elements.Html) and _says_something(run)):
            run.append(node)
        else:
            _end_paragraph(run, blocks)
            blocks.append(node)
    _end_paragraph(run, blocks)
    return blocks


def paragraph(nodes: list[Node]) -> list[Node]:
    """Return what stands in a ``p``: one paragraph, or several where blocks stand in it too."""
    if not all(_is_inline(node) or isinstance(node, elements.Html) for node in nodes):
        return paragraphs(nodes)
    content = line(nodes)
    return [Element.of(elements.Paragraph(), content)] if content else []


def _end_paragraph(run: list[Node], blocks: list[Node]) -> None:
    content = line(run)
    if content:
        blocks.append(Element.of(elements.Paragraph(), content))
    run.clear()


def _says_something(run: list[Node]) -> bool:
    return any(node != " " for node in run)


def line(nodes: Iterable[Node]) -> list[Node]:
    """Return nodes as a line of its own: no space at its ends, none beside a line break."""
    made = joined(nodes)
    ends = (None, *made, None)
    trimmed = (
        _trimmed(node, before, after)
        for before, node, after in zip(ends, made, ends[2:], strict=False)
    )
    return [node for node in trimmed if node != ""]


def _trimmed(node: Node, before: Node | None, after: Node | None) -> Node:
    if not isinstance(node, str):
        return node
    if before is None or isinstance(before, elements.LineBreak):
        node = node.removeprefix(" ")
    return (
        node.removesuffix(" ") if after is None or isinstance(after, elements.LineBreak) else node
    )


def joined(nodes: Iterable[Node]) -> list[Node]:
    """Return nodes as content of a line: texts that meet are one, blocks give what is in them."""
    made: list[Node] = []
    for node in _opened(nodes):
        last = made[-1] if made else None
        if isinstance(node, str) and isinstance(last, str):
            made[-1] = last + (node.removeprefix(" ") if last.endswith(" ") else node)
        elif node != "":
            made.append(node)
    return made


def _opened(nodes: Iterable[Node]) -> Iterator[Node]:
    for node in nodes:
        if _is_inline(node) or isinstance(node, elements.Html):
            yield node
        elif isinstance(node, elements.CodeBlock):
            yield elements.InlineCode(value=node.value.replace("\n", " "))
        else:
            yield " "
            yield from _opened(() if isinstance(node, str) else as_element(node).children)
            yield " "


def _is_inline(node: Node) -> bool:
    if isinstance(node, str):
        return True
    return isinstance(node.component if isinstance(node, Element) else node, _INLINE)
