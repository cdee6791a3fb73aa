"""What stands where it cannot: an error names it in its author's words, not in the target's.

The author wrote an ``Item``, a ``Section`` or a component of their own; that it is a ``ListItem`` or an
``<h1>`` by now is nothing that they know of.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ujsx.components._component import as_element
from ujsx.components._element import Children, Node
from ujsx.errors import RenderError, shown
from ujsx.mdast._content_model import HOLDERS, Content
from ujsx.transforms._transform import Transform


def _rule(place: Content, form: str) -> tuple[str, str]:
    holder, part = HOLDERS[place]
    return f"a {holder} holds {part}s", form


LIST = _rule("list", "Item()[{}]")
TABLE = _rule("table", "TableRow()[TableCell()[{}]]")
TABLE_ROW = _rule("row", "TableCell()[{}]")
"""What a primitive holds, and how something else is put into it."""


def no_member(rule: tuple[str, str], child: Node) -> RenderError:
    """Return what is said of a child that is no member of its list, table or row."""
    holds, form = rule
    written = form.format(shown(child, width=30) if isinstance(child, str) else "…")
    return RenderError(f"{holds}, not {described(child)}; write {written}")


def no_line(child: Node) -> RenderError:
    """Return what is said of a block among what stands in a line."""
    return RenderError(
        f"{described(child)} is a block and cannot stand in a line; put it beside the paragraph"
    )


def first_misplaced(children: Children, transform: Transform, fits: Callable[[Any], bool]) -> Node:
    """Return the first of the children that becomes what does not fit; one of them does.

    :param fits: tells whether a node of the target may stand there.
    """
    made: Any
    for child, made in zip(children, transform.each(children), strict=True):
        nodes: list[Any] = made if made.__class__ is list else [made]
        if all(map(fits, nodes)):
            continue
        if isinstance(child, str) or not as_element(child).component.is_fragment:
            return child
        return first_misplaced(as_element(child).children, transform, fits)
    raise AssertionError("each of them fits")


def described(node: Node) -> str:
    """Return what an error calls a node: its class, or what it says.

    >>> from ujsx.elements import Item
    >>> described(Item()), described("hello")
    ('an Item', "the text 'hello'")
    """
    if isinstance(node, str):
        return f"the text {shown(node, width=30)}"
    component = as_element(node).component
    name = type(component).__name__
    if not component.is_primitive:
        return f"what {name} renders"
    return f"{'an' if name[0] in 'AEIO' else 'a'} {name}"
