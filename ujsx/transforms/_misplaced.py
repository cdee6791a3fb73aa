"""The author's child that becomes a node that is misplaced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ujsx.components._component import Component, as_element
from ujsx.components._element import Children, Node
from ujsx.transforms._transform import Transform


def first_misplaced(
    children: Children, transform: Transform, fits: Callable[[Any], bool]
) -> str | Component:
    """Return the first of the children that becomes what does not fit; one of them does.

    :param fits: tells whether a node of the target may stand there.
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
    """Return a text as it is, and of a node its component."""
    return child if isinstance(child, str) else as_element(child).component
