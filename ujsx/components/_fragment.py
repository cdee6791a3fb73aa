"""Children without a parent."""

from __future__ import annotations

from typing import ClassVar

from ujsx.components._component import Component
from ujsx.components._element import Child, Element
from ujsx.mdast._content_model import TRANSPARENT


class Fragment(Component):
    """Several nodes where one is wanted. Under a parent they are simply its children."""

    content_model = TRANSPARENT
    is_fragment: ClassVar[bool] = True


def fragment(*children: Child) -> Element[Fragment]:
    """Return the children as one node.

    >>> fragment("a", None, fragment("b", "c")).children
    ('a', 'b', 'c')
    """
    return Element.of(Fragment(), children)
