"""Line ends between blocks: texts of their own, so that the source of a page can be read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from ujsx import hast

LINE_END: Final = hast.Text("\n")


def laid_out(blocks: Iterable[Any], *, around: bool = True) -> tuple[Any, ...]:
    """Return blocks with a line end behind each and, ``around``, one in front of the first.

    Not ``around``, as in a document, the last has none behind it.
    """
    lines: list[Any] = [LINE_END] if around else []
    for block in blocks:
        lines += [block, LINE_END]
    return tuple(lines if around else lines[:-1])


def is_element(node: Any, tag_name: str | None = None) -> bool:
    """Tell whether a hast node is an element, and one of that name where one is given."""
    return type(node) is hast.Element and tag_name in (None, node.tag_name)
