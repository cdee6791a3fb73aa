"""The order of a layout: what changes every turn belongs last.

A provider caches a prompt's prefix. Whatever stands behind the first changed byte is paid for
again, so a section of the layer "turn" spoils all stable ones behind it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

from ujsx import Children, Component, Element


class LayoutWarning(UserWarning):
    """A layout that works, but hardly as its author meant it."""


def warn_if_volatile_first(children: Children, *, stacklevel: int) -> None:
    """Warn where a section that changes every turn stands before one that does not.

    The order stays as it is. Only components with a ladder of their own declare a layer.
    """
    volatile: Component | None = None
    for section in _sections(children):
        if section.disclosed().layer == "turn":
            volatile = volatile or section
        elif volatile is not None:
            first, then = type(volatile).__name__, type(section).__name__
            warnings.warn(
                f"{first} changes every turn and stands before {then}, so a prompt cache ends "
                f"there; put {first} last, or keep the order and filter out LayoutWarning",
                LayoutWarning,
                stacklevel=stacklevel + 1,
            )
            return


def _sections(children: Children) -> Iterator[Component]:
    """The components with a ladder, in the order in which they show."""
    for child in children:
        if isinstance(child, str):
            continue
        component = child.component if isinstance(child, Element) else child
        if component.disclosed() is not Component.disclosure:
            yield component
        elif isinstance(child, Element):
            yield from _sections(child.children)
