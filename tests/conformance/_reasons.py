"""Why a reader sees other structure in a text than everyone else: its known faults.

A fault is told by what a tree must hold to meet it. It is looked for in trees that were made as
small as they get, so that there is little else in them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from ujsx.mdast import Blockquote, Delete, Emphasis, FootnoteDefinition, Node, Root, Strong


def reason(root: Root, reader: str) -> str | None:
    """Return the fault of a reader that a tree meets.

    >>> from ujsx.mdast import from_markdown
    >>> reason(from_markdown("~~a~~**(b)**"), "cmark-gfm")
    'cmark-gfm looks past tildes for what stands beside a run of * or _'
    """
    for words, meets in FAULTS.get(reader, {}).items():
        if any(map(meets, _every(root))):
            return f"{reader} {words}"
    return None


def _every(node: Node) -> Iterator[Node]:
    yield node
    for child in getattr(node, "children", ()):
        yield from _every(child)


def _has_strikethrough_beside_a_span(node: Node) -> bool:
    kinds = [type(child) for child in getattr(node, "children", ())]
    inside = isinstance(node, Delete) and {Emphasis, Strong} & {*kinds}
    within = isinstance(node, (Emphasis, Strong)) and Delete in kinds
    beside = any(Delete in pair and {Emphasis, Strong} & {*pair} for pair in pairwise(kinds))
    return bool(inside or within or beside)


def _has_a_footnote_in_a_quote(node: Node) -> bool:
    return isinstance(node, Blockquote) and any(
        isinstance(inner, FootnoteDefinition) for inner in _every(node)
    )


FAULTS: dict[str, dict[str, Callable[[Node], bool]]] = {
    "cmark-gfm": {
        "looks past tildes for what stands beside a run of * or _": (
            _has_strikethrough_beside_a_span
        ),
        "ends a footnote in a quote at the first blank line": _has_a_footnote_in_a_quote,
    },
}
"""By reader: the fault in words, and what a node is that meets it."""
