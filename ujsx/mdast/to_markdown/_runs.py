"""The quick check of a line: whether each of its nodes can be written by itself, whatever stands beside it.

Mostly it can, and then the parts are joined. The tables in ``_edges`` and ``_attention`` tell; any other line
is written by ``Phrasing``, which looks at neighbours, and would write the simple ones the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ujsx.mdast._nodes import Break, Html, Node, Text

from ._attention import stands
from ._characters import character_class
from ._edges import FIRST, LAST, mean_something_in, means_something
from ._phrasing import FIRST_CHARACTER, SPANS
from ._unsafe import Place

if TYPE_CHECKING:
    from ._state import Writing

_HANDLED = frozenset(FIRST_CHARACTER) - frozenset(SPANS) - {Html}
"""The kinds that a handler writes: not their subclasses, which may be written in any way."""


def plain_run(nodes: Sequence[Node], writing: Writing, place: Place) -> str | None:
    """Return the Markdown of a run of phrasing, or ``None`` if some of it needs thought.

    It needs none if siblings are of different kinds, spans hold one text each, and no text has a
    character at its edge whose meaning depends on the node next to it.
    """
    if not nodes or type(nodes[-1]) is Break:
        return None
    escape, one_line, brackets = writing.escapes.text, writing.one_line, writing.brackets
    is_quiet = writing.escapes.is_quiet
    edge, end = ("", "") if place == "text" else ("[", "]")
    behind: tuple[object, ...] = (place,)  # the edges of a block are looked at once it is written
    written: list[str] = []
    before: type[Node] | None = None
    outside, inside, last = edge, "", ""  # inside: the last character within, behind a span alone
    value: str
    node: Any
    for node in nodes:
        kind: type[Node] = node.__class__
        if kind is before:
            return None
        value = within = ""
        if kind is Text:
            value = node.value
            if not value:
                return None
            first = value[0]
            piece = value
            if not is_quiet(value):
                piece = escape(value, place, one_line=one_line, brackets=brackets)
        elif kind in _HANDLED:
            piece = writing.phrasing_handlers[kind](node, writing)
            first = piece[:1]
        elif kind in writing.plain_marks and not inside:
            within = only_text(node)
            run = writing.plain_marks[kind].run
            if (
                not within
                or not _stands(within[0], outside)
                or mean_something_in(run, within[0], within[-1])
            ):
                return None
            first = run[0]
            piece = within
            if not is_quiet(within):
                piece = escape(within, place, one_line=one_line, brackets=brackets)
            piece = f"{run}{piece}{run}"
        else:
            return None
        if first in FIRST and not FIRST[first].isdisjoint(behind):
            return None
        if last in LAST and not LAST[last].isdisjoint((kind, first, "anything")):
            return None
        if inside and not _stands(inside, first):
            return None
        inside, last = within[-1:], value[-1:]
        outside = last or piece[-1:]
        written.append(piece)
        before, behind = kind, (kind, outside)
    if (inside and not _stands(inside, end)) or means_something(LAST, last, place):
        return None
    return "".join(written)


def _stands(inside: str, outside: str) -> bool:
    # Beside a letter or a digit within, a mark stands whatever is outside: as mostly.
    return inside.isalnum() or stands(character_class(inside), character_class(outside))


def only_text(span: Any) -> str:
    """Return what a span holds if that is one text, else ``""``."""
    children = span.children
    if len(children) != 1 or not isinstance(only := children[0], Text):
        return ""
    return only.value
