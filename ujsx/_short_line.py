"""The short way for one line: a text, or a row of a template's values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

from ujsx._template import Segment, Template
from ujsx.mdast.to_markdown._unsafe import LINE_STARTERS, UNSAFE, Escapes, escape_line_starts

_ESCAPES = Escapes(UNSAFE)

WriteRow: TypeAlias = Callable[[tuple[Any, ...]], str | None]
"""From a row, the template and its values, to Markdown, or ``None`` if it is not plain."""

_MEANINGFUL = frozenset("\\`*_~[]<&@")
"""ASCII characters that mean something by themselves; those of addresses do not."""

_BLAND = bytes(code for code in range(256) if chr(code) not in _MEANINGFUL)

_FIRST_WITH_CARE = f"{LINE_STARTERS} <"


def is_bland(text: str) -> bool:
    """Tell whether nothing in a text needs an escape, unless it starts a line.

    It may say no where a look at what is around a character would say yes.
    """
    return (
        text.isprintable()
        and not text.encode().translate(None, _BLAND)
        and not ("://" in text or "w." in text or "W." in text)
    )


def line_of(text: str) -> str | None:
    """Return a text that is all that a line holds."""
    if not text.isprintable() or not text or text[0] in " -" or text[-1] == " ":
        return None
    line = _ESCAPES.lone(text)
    return None if line[0] == "<" else escape_line_starts(line)


def marked_line(parts: Sequence[tuple[str, str]]) -> str | None:
    """Return a line of texts, each with the mark around it, if they are plain beside each other.

    :param parts: marks and texts; ``""`` marks text as it is.
    """
    line = before = ""
    last = len(parts) - 1
    for place, (mark, text) in enumerate(parts):
        if not text or not text.isprintable() or (place and bool(mark) is bool(before)):
            return None
        if not mark:
            if "@" in (text[0], text[-1]) or (place != last and text[-1] in "!<"):
                return None
            line += _ESCAPES.text(text, "text")
        elif mark == "`":
            if "`" in text or text[0] == " ":
                return None
            line += f"`{text}`"
        elif text[0].isalnum() and text[-1].isalnum():
            line += f"{mark}{_ESCAPES.text(text, 'text')}{mark}"
        else:
            return None
        before = mark
    if not line or line[0] in " -<" or line[-1] == " ":
        return None
    return escape_line_starts(line)


class RowWriter(NamedTuple):
    """What writes the rows of a template."""

    any: WriteRow
    bland: WriteRow
    """It may be used where the texts of all rows are bland."""
    texts: tuple[int, ...]
    """The places of a row that hold them; what stands in code is none."""
    width: int
    """How many places a row has."""


def row_writer(template: Any) -> RowWriter | None:
    """Return what writes the rows of a template; ``None`` if it takes thought."""
    if type(template) is not Template:
        return None
    if template.compiled is None:
        template.compiled = _compiled(template) or False
    return template.compiled or None


def _compiled(template: Template) -> RowWriter | None:
    marks = [segment.mark for segment in template.segments]
    if any(bool(left) is bool(right) for left, right in pairwise(marks)):
        return None
    write = _lone_writer(template) if marks == [""] else _writer(template)
    texts = [
        hole + 1
        for segment in template.segments
        for _, hole in segment.parts
        if hole is not None and segment.mark != "`"
    ]
    width = len(template.fields) + 1
    return RowWriter(write, _bland_writer(template, write), tuple(texts), width)


def _lone_writer(template: Template) -> WriteRow:
    (segment,) = template.segments
    return lambda row: line_of(segment.text(row[1:]))


def _writer(template: Template) -> WriteRow:
    segments = template.segments

    def write(row: tuple[Any, ...]) -> str | None:
        values = row[1:]
        return marked_line([(segment.mark, segment.text(values)) for segment in segments])

    return write


class _Hole(NamedTuple):
    """A value of a row, and with what it may not begin or end for the short way to be open."""

    at: int
    starts_span: bool
    ends_span: bool
    not_first: str
    not_last: str
    is_code: bool


def _bland_writer(template: Template, write: WriteRow) -> WriteRow:
    """Return what writes rows of bland values: where their edges are plain, nothing is escaped."""
    statics, holes = [""], list[_Hole]()
    segments = template.segments
    for place, segment in enumerate(segments):
        starts, ends = place == 0, place == len(segments) - 1
        if not _is_bland_around(segment, starts=starts, ends=ends):
            return write
        statics[-1] += segment.mark
        last = len(segment.parts) - 1
        for index, (literal, hole) in enumerate(segment.parts):
            statics[-1] += literal
            if hole is not None:
                edges = _Edges(index == 0 and not literal, index == last, starts, ends)
                holes.append(_hole(hole + 1, segment.mark, edges))
                statics.append("")
        statics[-1] += segment.mark
    return _joiner(statics, holes, write)


class _Edges(NamedTuple):
    """Of what a value is the first and the last: its segment, and that the line's."""

    first: bool
    last: bool
    starts_line: bool
    ends_line: bool


def _hole(at: int, mark: str, edges: _Edges) -> _Hole:
    if mark == "`":
        return _Hole(at, False, False, " " if edges.first else "", "", True)
    if mark:
        return _Hole(at, edges.first, edges.last, "", "", False)
    not_first = _FIRST_WITH_CARE if edges.first and edges.starts_line else ""
    not_last = (" " if edges.ends_line else "!") if edges.last else ""
    return _Hole(at, False, False, not_first, not_last, False)


def _is_bland_around(segment: Segment, *, starts: bool, ends: bool) -> bool:
    """Tell whether a segment's fixed texts, and their edges, are plain whatever fills its holes."""
    literals = [literal for literal, _ in segment.parts]
    for literal in literals:
        if not is_bland(literal) or literal[:1] in _JOINTS or literal[-1:] in _JOINTS:
            return False
    first, last = literals[0][:1], literals[-1][-1:] if segment.parts[-1][1] is None else ""
    if segment.mark == "`":
        return first != " "
    if segment.mark:
        return all(not edge or edge.isalnum() for edge in (first, last))
    if starts and first and first in _FIRST_WITH_CARE:
        return False
    return last != (" " if ends else "!")


_JOINTS = frozenset("wW.:/")
"""Characters that could be a part of an address together with what is beside them."""


def _joiner(statics: Sequence[str], holes: Sequence[_Hole], write: WriteRow) -> WriteRow:
    """Return what puts fixed texts and values together, or leaves a row to ``write``."""
    head, *behind = statics
    pairs = tuple(zip(holes, behind, strict=True))
    if len(holes) == 1 and not (holes[0].starts_span or holes[0].ends_span):
        return _one_hole(holes[0], head, behind[0], write)

    def join(row: tuple[Any, ...]) -> str | None:
        line = head
        for (at, starts_span, ends_span, not_first, not_last, is_code), static in pairs:
            value = row[at]
            if (
                not value
                or value[0] in not_first
                or value[-1] in not_last
                or (starts_span and not value[0].isalnum())
                or (ends_span and not value[-1].isalnum())
                or (is_code and ("`" in value or not value.isprintable()))
            ):
                return write(row)
            line += value + static
        return line

    return join


def _one_hole(hole: _Hole, head: str, tail: str, write: WriteRow) -> WriteRow:
    """Return the same for one value that no span holds: most rows."""
    at, _, _, not_first, not_last, is_code = hole

    def join(row: tuple[Any, ...]) -> str | None:
        value: str = row[at]
        if not value or value[0] in not_first or value[-1] in not_last:
            return write(row)
        if is_code and ("`" in value or not value.isprintable()):
            return write(row)
        return head + value + tail

    return join
