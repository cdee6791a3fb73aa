"""The short way for the rows of a list: templates with their values, written a column at a time.

What holds of one value mostly holds of all that stand in the same place, so one look at all of them
together tells it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise, repeat
from typing import Any, NamedTuple, TypeAlias

from ujsx._hidden import hides_nothing
from ujsx._short_line import FIRST_WITH_CARE, is_bland, line_of, marked_line
from ujsx._template import Segment, Template

_Row: TypeAlias = tuple[Any, ...]
"""A template and its values."""

_Column: TypeAlias = Sequence[Any]
"""What stands in the same place in all rows."""


def lines_of(rows: Collection[Any]) -> list[str] | None:
    """Return the lines of rows, or ``None`` if one of them takes thought."""
    if set(map(type, rows)) != {tuple}:
        return None
    try:
        templates = [row[0] for row in rows]
        shapes: set[Any] = set(
            map(_shape_of, dict(zip(map(id, templates), templates, strict=True)).values())
        )
        if None in shapes:
            return None
        if len(shapes) > 1:
            return _of_many_shapes(rows, shapes)
        return _of_one_shape(rows, shapes.pop())
    except (TypeError, ValueError, IndexError):  # no text, or too few: the long way says which
        return None


def _of_one_shape(rows: Collection[_Row], shape: _Shape) -> list[str] | None:
    columns: list[_Column] = list(zip(*rows, strict=True))
    if len(columns) != shape.width:
        return None
    if shape.takes(columns):
        return shape.lines(columns)
    lines = [row[0].compiled.write(row) for row in rows]
    return None if None in lines else lines


def _of_many_shapes(rows: Collection[_Row], shapes: set[_Shape]) -> list[str] | None:
    if len({(shape.width, shape.places) for shape in shapes}) == 1:
        columns: list[_Column] = list(zip(*rows, strict=True))
        if all(shape.takes(columns) for shape in shapes):
            return next(iter(shapes)).lines(columns)
    alike: dict[_Shape, list[_Row]] = {}
    for row in rows:
        alike.setdefault(row[0].compiled.shape, []).append(row)
    written: dict[_Shape, Iterator[str]] = {}
    for shape, group in alike.items():
        lines = _of_one_shape(group, shape)
        if lines is None:
            return None
        written[shape] = iter(lines)
    return [next(written[row[0].compiled.shape]) for row in rows]


class _Hole(NamedTuple):
    """A place of a row, and how its values may begin and end if nothing there is to be escaped."""

    at: int
    is_code: bool
    not_first: frozenset[str] = frozenset()
    not_last: frozenset[str] = frozenset()
    starts_span: bool = False
    ends_span: bool = False

    def takes(self, values: Sequence[str]) -> bool:
        """Tell whether no value is empty, and all of them begin and end so."""
        if not all(values):
            return False
        if self.starts_span:
            begins_so = "".join([value[0] for value in values]).isalnum()
        else:
            begins_so = not self.not_first or self.not_first.isdisjoint([v[0] for v in values])
        if not begins_so:
            return False
        if self.ends_span:
            return "".join([value[-1] for value in values]).isalnum()
        return not self.not_last or self.not_last.isdisjoint([v[-1] for v in values])


class _Shape:
    """What templates have in common whose fixed texts alone differ: how many places, which holes.

    :param width: how many places a row has.
    :param holes: the holes in their order; ``None`` where the fixed texts ask for thought.
    """

    places: Sequence[int] | None
    """Which places of a row fill the holes, in their order."""

    def __init__(self, width: int, holes: tuple[_Hole, ...] | None) -> None:
        self.width = width
        self.places = None if holes is None else tuple([hole.at for hole in holes])
        self._is_plain = holes is not None
        self._holes: Sequence[_Hole] = holes or ()

    def takes(self, columns: Sequence[_Column]) -> bool:
        """Tell whether a line is what its template's fixed texts and the values make as they are.

        :raises TypeError: for a value that is no text.
        """
        if not self._is_plain:
            return False
        texts: list[str] = []
        for hole in self._holes:
            values = columns[hole.at]
            if not hole.takes(values):
                return False
            if not hole.is_code:
                texts += values
            elif (
                "`" in (code := "".join(values))
                or not code.isprintable()
                or not hides_nothing("\n".join(values))
            ):
                return False
        return is_bland("!".join(texts))

    def lines(self, columns: Sequence[_Column]) -> list[str]:
        """Return the lines of values that it takes."""
        templates = columns[0]
        statics = templates[0].compiled.statics
        if len(set(map(id, templates))) > 1:
            fixed: Any = zip(*[each.compiled.statics for each in templates], strict=True)
        elif statics == ("", ""):  # a line is its value
            return list(columns[self._holes[0].at])
        else:
            fixed = map(repeat, statics, repeat(len(templates)))
        head, *behind = fixed
        parts = [head]
        for hole, below in zip(self._holes, behind, strict=True):
            parts += columns[hole.at], below
        return list(map("".join, zip(*parts, strict=True)))


_shape = lru_cache(maxsize=None)(_Shape)
"""The shape of that width and those holes: the same object for the same."""


class _Writer(NamedTuple):
    """What writes the rows of a template; kept in its ``compiled``."""

    shape: _Shape
    statics: tuple[str, ...]
    """The fixed texts: one before each hole, and one behind the last."""
    write: Callable[[_Row], str | None]
    """From any row to Markdown, or ``None`` if it is not plain."""


def _shape_of(template: Any) -> _Shape | None:
    """The shape of a template; ``None`` if its rows take thought, whatever they hold."""
    if type(template) is not Template:
        return None
    if template.compiled is None:
        template.compiled = _compiled(template) or False
    return template.compiled.shape if template.compiled else None


def _compiled(template: Template) -> _Writer | None:
    marks = [segment.mark for segment in template.segments]
    if any(bool(left) is bool(right) for left, right in pairwise(marks)):
        return None
    statics, holes = _statics_and_holes(template.segments)
    write = _lone_writer(template) if marks == [""] else _marked_writer(template)
    return _Writer(_shape(len(template.fields) + 1, holes), statics, write)


def _lone_writer(template: Template) -> Callable[[_Row], str | None]:
    (segment,) = template.segments
    return lambda row: line_of(segment.text(row[1:]))


def _marked_writer(template: Template) -> Callable[[_Row], str | None]:
    segments = template.segments

    def write(row: _Row) -> str | None:
        values = row[1:]
        return marked_line([(segment.mark, segment.text(values)) for segment in segments])

    return write


def _statics_and_holes(
    segments: Sequence[Segment],
) -> tuple[tuple[str, ...], tuple[_Hole, ...] | None]:
    """The fixed texts and what is between them; no holes if the texts ask for thought."""
    statics = [""]
    holes: list[_Hole] = []
    for place, segment in enumerate(segments):
        edges = _Edges(place == 0, place == len(segments) - 1)
        if not _is_bland_around(segment, edges):
            return (), None
        statics[-1] += segment.mark
        last = len(segment.parts) - 1
        for index, (literal, field) in enumerate(segment.parts):
            statics[-1] += literal
            if field is not None:
                is_first, is_last = index == 0 and not literal, index == last
                holes.append(_hole(field + 1, segment.mark, edges, _Edges(is_first, is_last)))
                statics.append("")
        statics[-1] += segment.mark
    return tuple(statics), tuple(holes)


class _Edges(NamedTuple):
    """Whether something is the first and the last of what it is a part of."""

    first: bool
    last: bool


def _hole(at: int, mark: str, in_line: _Edges, in_segment: _Edges) -> _Hole:
    """The hole at a place of a row, under a mark."""
    first, last = in_segment
    if mark == "`":
        return _Hole(at, is_code=True, not_first=_SPACE if first else _NONE)
    if mark:
        return _Hole(at, is_code=False, starts_span=first, ends_span=last)
    not_first = FIRST_WITH_CARE if first and in_line.first else _NONE
    not_last = (_SPACE if in_line.last else _BEFORE_MARK) if last else _NONE
    return _Hole(at, is_code=False, not_first=not_first, not_last=not_last)


_NONE: frozenset[str] = frozenset()
_SPACE = frozenset(" ")
_BEFORE_MARK = frozenset("!")


def _is_bland_around(segment: Segment, in_line: _Edges) -> bool:
    """Tell whether a segment's fixed texts, and their edges, are plain whatever fills its holes."""
    literals = [literal for literal, _ in segment.parts]
    for literal in literals:
        if not is_bland(literal) or literal[:1] in _JOINTS or literal[-1:] in _JOINTS:
            return False
    if not all(literals[1:]):  # two values side by side could make an address
        return False
    first, last = literals[0][:1], literals[-1][-1:] if segment.parts[-1][1] is None else ""
    if segment.mark == "`":
        return first != " "
    if segment.mark:
        return all(not edge or edge.isalnum() for edge in (first, last))
    if in_line.first and first in FIRST_WITH_CARE:
        return False
    return last != (" " if in_line.last else "!")


_JOINTS = frozenset("wW.:/")
"""Characters that could be a part of an address together with what is beside them."""
