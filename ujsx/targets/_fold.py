"""Any target: what it has to know so that a universal tree can be folded into it."""

from __future__ import annotations

from typing import Protocol, TypeVar

from ujsx.components._component import as_element
from ujsx.components._context import RenderContext
from ujsx.components._element import MAX_DEPTH, Child, Element, Node
from ujsx.errors import RenderError, TargetError, shown
from ujsx.trees._resolve import resolve

T = TypeVar("T")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


METHODS = ("create_instance", "create_text", "append", "finish")
"""What a target has."""


class HostConfig(Protocol[T, R_co]):
    """How a target is built. ``T`` are its parts, ``R_co`` is what comes out."""

    def create_instance(self, element: Element) -> T:
        """Return the part for a primitive, without its children."""
        ...

    def create_text(self, text: str) -> T:
        """Return the part for a text."""
        ...

    def append(self, parent: T, child: T) -> None:
        """Add a finished child to its parent; called in the order of the children."""
        ...

    def finish(self, root: T) -> R_co:
        """Return what the root stands for."""
        ...


def fold(node: Child, target: HostConfig[T, R], context: RenderContext | None = None) -> R:
    """Resolve a tree and build a target from it.

    Several roots arrive as the children of a ``Fragment``.

    :raises TargetError: for a target that lacks one of its methods.
    :raises RenderError: for a tree that cannot be resolved.

    >>> from ujsx.elements import Section, strong
    >>> class Outline:
    ...     def create_instance(self, element): return [type(element.component).__name__]
    ...     def create_text(self, text): return text
    ...     def append(self, parent, child): parent.append(child)
    ...     def finish(self, root): return root
    >>> fold(Section(title="Notes")["a", strong("b")], Outline())
    ['Section', 'a', ['Strong', 'b']]
    """
    missing = [name for name in METHODS if not hasattr(target, name)]
    if missing:
        raise TargetError(
            f"{shown(target)} is no target: it has no {missing[0]}; the tree comes first, then the target"
        )
    return target.finish(_build(resolve(node, context), target, 0))


def _build(node: Node, target: HostConfig[T, R], level: int) -> T:
    if isinstance(node, str):
        return target.create_text(node)
    element = as_element(node)
    if level > MAX_DEPTH:
        raise RenderError(f"nested more than {MAX_DEPTH} deep")
    part = target.create_instance(element)
    for child in element.children:
        target.append(part, _build(child, target, level + 1))
    return part
