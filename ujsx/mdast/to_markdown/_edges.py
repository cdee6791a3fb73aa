"""What a character at the edge of a text means beside some neighbours: one table for each side.

``_phrasing`` looks up one text at a time; ``_runs`` asks of many at once whether any has such a
character at all. What stands beside a span's delimiters is in ``_attention``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from ujsx.mdast._nodes import (
    Break,
    FootnoteReference,
    Html,
    ImageReference,
    LinkReference,
    Node,
)

from ._characters import EDGE_SPACES, reference

Beside: TypeAlias = "type[Node] | Literal['mark', 'label', 'block', '_', '[', 'anything']"
"""A neighbour: the class of a node; the mark or the label that the text is the first or the last
of; the edge of its block; or what the neighbour's Markdown ends in or starts with."""

_REFERENCES: frozenset[Beside] = frozenset({LinkReference, ImageReference, FootnoteReference})

FIRST: Mapping[str, frozenset[Beside]] = {
    **dict.fromkeys(EDGE_SPACES, frozenset({"mark"})),  # with which the mark would not open
    " ": frozenset({"mark", Break}),  # after a line end it would be dropped
    "\t": frozenset({"mark", Break}),
    "\n": frozenset({"mark", Break, "label"}),
    "(": _REFERENCES,  # it would make a link to another place of them
    "[": _REFERENCES,
    ":": _REFERENCES,  # and at the start of a line a definition
    "@": frozenset({"_"}),  # the mark would belong to a mail address
}
"""A text's first characters that mean something, and behind what."""

LAST: Mapping[str, frozenset[Beside]] = {
    **dict.fromkeys(EDGE_SPACES, frozenset({"mark"})),  # with which the mark would not close
    "\n": frozenset({"mark", "label", Html}),  # HTML at the start of a line could be a block
    "!": frozenset({"["}),  # it would make an image of a link
    "<": frozenset({"anything"}),  # it would open HTML or an autolink
}
"""A text's last characters that mean something, and before what."""


def inert(character: str) -> str:
    """Return an edge's character so that it means nothing: space as a reference."""
    return reference(character) if character in EDGE_SPACES else f"\\{character}"
