"""Escapes that depend on the neighbour: which first or last character of a text would mean something there.

There is one table for each side. ``_phrasing`` looks up a text and escapes it; ``_runs`` only asks
whether a text needs that.
What a delimiter needs beside it to open or to close is in ``_attention``.
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

Beside: TypeAlias = "type[Node] | Literal['mark', 'label', 'block', '_', '[', ':', 'anything']"
"""A neighbour: the class of a node; the mark or the label that the text is the first or the last
of; the edge of its block; or what the neighbour's Markdown ends in or starts with."""

_REFERENCES: frozenset[Beside] = frozenset({LinkReference, ImageReference, FootnoteReference})

Edges: TypeAlias = Mapping[str, frozenset[Beside]]
"""Characters at one side of a text, each with the neighbours beside which it means something."""

FIRST: Edges = {
    # With white space a mark would not open, and what starts a block is dropped.
    **dict.fromkeys(EDGE_SPACES, frozenset({"mark", "block"})),
    " ": frozenset({"mark", "block", Break}),  # after a line end it would be dropped
    "\t": frozenset({"mark", "block", Break}),
    "\n": frozenset({"mark", "block", Break, "label"}),
    "(": _REFERENCES,  # it would make a link to another place of them
    "[": _REFERENCES,
    ":": _REFERENCES,  # and at the start of a line a definition
    "@": frozenset({"_"}),  # the mark would belong to a mail address
}
"""A text's first characters that mean something, and behind what."""

LAST: Edges = {
    **dict.fromkeys(EDGE_SPACES, frozenset({"mark", "block"})),  # as at the start
    "\n": frozenset({"mark", "block", "label", Html}),  # HTML at a line's start could be a block
    "!": frozenset({"["}),  # it would make an image of a link
    ":": frozenset({":"}),  # of an extension: two of them name another thing than one
    "<": frozenset({"anything"}),  # it would open HTML or an autolink
}
"""A text's last characters that mean something, and before what."""


def means_something(edges: Edges, character: str, *beside: object) -> bool:
    """Tell whether a character, at that side of a text, has a meaning there.

    :param beside: all that the neighbour is: its class, and what its Markdown ends in or starts with.

    >>> means_something(LAST, "!", LinkReference, "["), means_something(LAST, "!", "block")
    (True, False)
    """
    return character in edges and not edges[character].isdisjoint(beside)


def mean_something_in(mark: str, first: str, last: str) -> bool:
    """Tell whether the mark around a text gives one of its edges a meaning."""
    return means_something(FIRST, first, "mark", mark[0]) or means_something(
        LAST, last, "mark", mark[0]
    )


def inert(character: str) -> str:
    """Return an edge's character so that it means nothing: space as a reference."""
    return reference(character) if character in EDGE_SPACES else f"\\{character}"
