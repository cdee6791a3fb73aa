"""References that no definition in the document answers: a reader sees text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from ujsx.mdast._nodes import (
    Definition,
    FootnoteDefinition,
    FootnoteReference,
    ImageReference,
    LinkReference,
    Node,
    Root,
    Text,
)

from ._changed import changed


def resolved(root: Root) -> Root:
    """Return a document in which every reference has a definition."""
    definitions: set[str] = set()
    footnotes: set[str] = set()
    wanted: set[tuple[bool, str]] = set()
    for node in _every(root):
        match node:
            case Definition():
                definitions.add(node.identifier)
            case FootnoteDefinition():
                footnotes.add(node.identifier)
            case LinkReference() | ImageReference():
                wanted.add((False, node.identifier))
            case FootnoteReference():
                wanted.add((True, node.identifier))
            case _:
                pass
    if all(key in (footnotes if is_footnote else definitions) for is_footnote, key in wanted):
        return root
    from ._normalize import normalize  # the text may have to be joined to what is around it

    return normalize(cast("Root", _without(root, definitions, footnotes)))


def _every(root: Node) -> Iterator[Node]:
    stack: list[Node] = [root]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(getattr(node, "children", ()))


def _without(node: Any, definitions: set[str], footnotes: set[str]) -> Any:
    children: Sequence[Node] | None = getattr(node, "children", None)
    if not children:
        return node
    result: list[Node] = []
    for original in children:
        child = _without(original, definitions, footnotes)
        match child:
            case LinkReference() if child.identifier not in definitions:
                result.extend(child.children)
            case ImageReference() if child.identifier not in definitions:
                result.append(Text(child.alt or ""))
            case FootnoteReference() if child.identifier not in footnotes:
                result.append(Text(f"[^{child.label or child.identifier}]"))
            case _:
                result.append(child)
    return changed(node, children=tuple(result))
