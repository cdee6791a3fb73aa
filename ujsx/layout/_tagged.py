"""Elements as tags alone: any tree has this form, and reads back exactly."""

from __future__ import annotations

from ujsx.components._component import as_element
from ujsx.components._element import MAX_DEPTH, Element, Node
from ujsx.errors import LayoutError
from ujsx.layout._attributes import tag, text


def tagged(node: Node, level: int = 0) -> str:
    """Return a node without any Markdown, in one line.

    :raises LayoutError: for a prop that no literal stands for, and too deep a nesting.

    >>> from ujsx.elements import Item, strong
    >>> tagged(Item()["*a*", strong("b")])
    '<Item>{"*a*"}<Strong>{"b"}</Strong></Item>'
    """
    if isinstance(node, str):
        return text(node)
    if level > MAX_DEPTH:
        raise LayoutError(f"nested more than {MAX_DEPTH} deep; flatten it")
    element = as_element(node)
    opening, closing = brackets(element)
    if not element.children and not element.component.is_fragment:
        return f"{opening[:-1]}/>"
    return opening + "".join(tagged(child, level + 1) for child in element.children) + closing


def brackets(element: Element) -> tuple[str, str]:
    """Return an element's opening tag and its closing tag."""
    opening = tag(element)
    return f"<{opening}>", f"</{opening.partition(' ')[0]}>"
