"""Headings and what follows them, as sections.

A section writes a heading of plain text, one deeper than the sections around it. A heading that says
just that opens one, which holds the blocks up to the next heading that is no deeper. Any other stays
a ``Heading``: of a depth that is left out on the way down, of more than a text, of several lines, or
empty. Where it stands is the same to all of them: outside of the sections that it ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ujsx import elements
from ujsx.components._component import as_element
from ujsx.components._element import MAX_DEPTH, Children, Element, Node
from ujsx.text._lines import one_line
from ujsx.transforms._to_mdast import MAX_HEADING_DEPTH


def in_sections(blocks: Children, depth: int = 0) -> Sequence[Node]:
    """Return blocks in the sections that the headings among them open.

    :param depth: the number of sections around all of them.

    >>> from ujsx.elements import Heading, Paragraph
    >>> a, skipped, b = (Heading(depth=depth)["x"] for depth in (1, 3, 2))
    >>> in_sections((a, skipped, b, Paragraph()["y"]))
    [Section(title='x')[Heading(depth=3)['x'], Section(title='x')[Paragraph()['y']]]]
    """
    if _levels(blocks) > MAX_DEPTH - MAX_HEADING_DEPTH:
        return blocks  # what nests as deep as it may has no room for sections around
    titles: list[str] = []
    held: list[list[Node]] = [[]]
    for block in blocks:
        heading = _heading(block)
        if heading is not None:
            level = heading.component.depth
            _close(titles, held, max(level - depth - 1, 0))
            title = _title(heading)
            if title and level == depth + len(titles) + 1:
                titles.append(title)
                held.append([])
                continue
        held[-1].append(block)
    _close(titles, held, 0)
    return held[0]


def _close(titles: list[str], held: list[list[Node]], left: int) -> None:
    """Close the innermost sections until so many are open."""
    while len(titles) > left:
        children = held.pop()
        held[-1].append(Element.of(elements.Section(title=titles.pop()), children))


def _heading(block: Node) -> Element[elements.Heading] | None:
    element: Any = None if isinstance(block, str) else as_element(block)
    is_heading = element is not None and type(element.component) is elements.Heading
    return element if is_heading else None


def _title(heading: Element[elements.Heading]) -> str | None:
    """Return the text of a heading, if a section with it for a title writes the same."""
    if heading.key is not None or len(heading.children) != 1:
        return None
    (text,) = heading.children
    return text if isinstance(text, str) and one_line(text).strip() == text else None


def _levels(nodes: Sequence[Node]) -> int:
    """How many levels of nodes there are."""
    count = 0
    while nodes:
        count += 1
        nodes = [child for node in nodes if type(node) is Element for child in node.children]
    return count
