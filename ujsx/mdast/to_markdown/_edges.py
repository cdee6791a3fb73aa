"""Escapes that depend on the neighbour: which first or last character of a text would mean something there.

There is one table for each side. ``_phrasing`` looks up one text and escapes it; ``_runs`` only asks
whether a text needs that, and ``_rows`` asks it for a batch, the texts in the same place of several lines.
What a delimiter needs beside it to open or to close is in ``_attention``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
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


def means_something(edges: Edges, characters: Collection[str], *beside: object) -> bool:
    """Tell whether one of these characters, at that side of a text, has a meaning there.

    :param beside: all that the neighbour is: its class, and what its Markdown ends in or starts with.

    >>> means_something(LAST, "!", LinkReference, "["), means_something(LAST, "!", "block")
    (True, False)
    >>> means_something(FIRST, {"a", " "}, "block")
    True
    """
    if edges.keys().isdisjoint(characters):  # as mostly
        return False
    return any(not edges[each].isdisjoint(beside) for each in characters if each in edges)


def mean_something_in(mark: str, first: Collection[str], last: Collection[str]) -> bool:
    """Tell whether the mark around texts gives one of their edges a meaning."""
    return (bool(first) and means_something(FIRST, first, "mark", mark[0])) or (
        bool(last) and means_something(LAST, last, "mark", mark[0])
    )


def inert(character: str) -> str:
    """Return an edge's character so that it means nothing: space as a reference."""
    return reference(character) if character in EDGE_SPACES else f"\\{character}"
