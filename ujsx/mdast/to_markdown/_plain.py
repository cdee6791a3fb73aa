"""The short way: phrasing in which no node is written otherwise for what stands beside it.

That is most of what people write, and ``Phrasing`` would write the same. Where something asks for
thought, the short way ends, and ``Phrasing`` starts over.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from ujsx.mdast._nodes import (
    Break,
    FootnoteReference,
    Html,
    ImageReference,
    LinkReference,
    Node,
    Text,
)

from ._phrasing import FIRST_CHARACTER, SPANS, Span, plain_value
from ._unsafe import Place

if TYPE_CHECKING:
    from ._writing import Writing

_HANDLED = frozenset(FIRST_CHARACTER) - frozenset(SPANS) - {Html}
"""The kinds that a handler writes: not their subclasses, which may be written in any way."""

_CARE_AFTER: dict[type[Node] | None, str] = {
    Break: " \t\n",
    LinkReference: "(:[",
    ImageReference: "(:[",
    FootnoteReference: "(:[",
}
"""The characters that some nodes would give another meaning if they followed right away."""

_CARE_AT_EDGES = {"text": "@", "label": "@\n"}
_CARE_BEFORE_ANY = "!<"


def plain(nodes: Sequence[Node], writing: Writing, place: Place) -> str | None:
    """Return the Markdown of a run of phrasing, or ``None`` if some of it is not plain.

    It is plain if siblings are of different kinds, all spans are words between other things than
    spans, and no text has a character at its edge whose meaning depends on the node next to it.
    """
    if not nodes or type(nodes[-1]) is Break:
        return None
    escape, one_line, brackets = writing.escapes.text, writing.one_line, writing.brackets
    care_at_edges = _CARE_AT_EDGES[place]
    written: list[str] = []
    before: type[Node] | None = None
    is_undecided = False
    for node in nodes:
        kind = type(node)
        if is_undecided or kind is before:
            return None
        if isinstance(node, Text):
            value = node.value
            if not value or value[0] in care_at_edges or value[-1] in care_at_edges:
                return None
            first, is_undecided = value[0], value[-1] in _CARE_BEFORE_ANY
            piece = escape(value, place, one_line=one_line, brackets=brackets)
        elif kind in _HANDLED:
            piece = writing.phrasing_handlers[kind](node, writing)
            first = piece[:1]
        elif kind in writing.plain_marks and before not in SPANS:
            value = plain_value(cast("Span", node))
            if not value:
                return None
            first = run = writing.plain_marks[kind].run
            piece = f"{run}{escape(value, place, one_line=one_line, brackets=brackets)}{run}"
        else:
            return None
        if before in _CARE_AFTER and first in _CARE_AFTER[before]:
            return None
        written.append(piece)
        before = kind
    return "".join(written)
