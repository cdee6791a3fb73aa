"""The items of a list that are one line each: those of one shape are written together.

What holds of one text mostly holds of all texts that stand in the same place of other lines, so one
look at all of them tells it. A line that needs thought is left out, and written by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import partial
from itertools import pairwise, repeat
from typing import Any, NamedTuple, TypeAlias

from ujsx._columns import by_shape, in_halves
from ujsx.mdast._nodes import InlineCode, ListItem, Node, Paragraph, Text

from ._attention import stands
from ._characters import PUNCTUATION, character_class
from ._edges import FIRST, LAST, mean_something_in, means_something
from ._inline import code_span, inline_code
from ._phrasing import SPANS
from ._runs import only_text
from ._state import Writing

_Beside: TypeAlias = tuple[object, ...]
_Shape: TypeAlias = tuple[type[Any], ...]
"""The kinds of phrasing that a line consists of."""


def written_together(items: Sequence[ListItem], writing: Writing) -> list[str | None]:
    """Return the Markdown of the items that are one plain line, each without its marker."""
    written: list[str | None] = [None] * len(items)
    places = [
        place
        for place, item in enumerate(items)
        if item.checked is None and len(item.children) == 1 and _is_line(item.children[0])
    ]
    lines: list[Any] = [items[place].children[0] for place in places]
    for rows in by_shape([line.children for line in lines], _types):
        if _may_be_plain(rows.shape, writing):
            columns = list(map(_texts, rows.shape, rows.columns))
            made = in_halves(partial(_lines, rows.shape, writing), columns)
            for place, line in zip(rows.places, made, strict=True):
                written[places[place]] = line
    return written


def _is_line(node: Node) -> bool:
    position = node.position
    return type(node) is Paragraph and (position is None or position.spelling is None)


def _types(nodes: Sequence[Any]) -> Iterable[type[Any]]:
    return map(type, nodes)


def _may_be_plain(shape: _Shape, writing: Writing) -> bool:
    """Tell whether nodes of these kinds, one after the other, can stand in a plain line."""
    return (
        bool(shape)
        and all(kind is Text or kind is InlineCode or kind in writing.plain_marks for kind in shape)
        and not any(
            left is right or (left in SPANS and right in SPANS) for left, right in pairwise(shape)
        )
        and writing.phrasing_handlers[InlineCode] is inline_code
    )


def _texts(kind: type[Node], nodes: Sequence[Any]) -> Sequence[str]:
    if kind in SPANS:
        return [only_text(node) for node in nodes]
    return [node.value for node in nodes]


def _lines(shape: _Shape, writing: Writing, texts: Sequence[Sequence[str]]) -> Sequence[str] | None:
    """Return lines of these texts, or ``None`` if one of them needs thought."""
    columns: list[_Column] = []
    for kind, values in zip(shape, texts, strict=True):
        column = _column(kind, values, writing, is_alone=shape == (Text,)) if all(values) else None
        if column is None:
            return None
        columns.append(column)
    for left, right in pairwise([_EDGE, *columns, _EDGE]):
        if not _stand_beside(left, right):
            return None
    parts: list[Iterable[str]] = []
    for column in columns:
        mark = column.mark
        parts += (repeat(mark), column.written, repeat(mark)) if mark else (column.written,)
    lines = map("".join, zip(*parts))  # noqa: B905 - a mark repeats for ever
    if columns[0].may_start_block or any(column.has_line_ends for column in columns):
        lines = map(writing.line_starts.escape, lines)
    return list(lines)


class _Column(NamedTuple):
    """The texts that stand in the same place of lines of one shape."""

    written: Sequence[str] = ()
    mark: str = ""
    """What stands around each of them."""

    first: Collection[str] = ("",)
    """The characters with which they begin."""

    last: Collection[str] = ("",)

    begins: Collection[str] = ()
    """What is written first, of what the table of edges has."""

    ends: Collection[str] = ()

    is_to_others: _Beside = ("block",)
    """What it is to the text beside it, by the tables of edges."""

    has_line_ends: bool = False

    may_start_block: bool = False
    """Whether one could mean something at the start of a line."""


_EDGE = _Column()
"""Stands for the edges of the lines."""


def _column(
    kind: type[Node], values: Sequence[str], writing: Writing, *, is_alone: bool
) -> _Column | None:
    all_of_them = ",".join(values)
    is_quiet = writing.escapes.is_quiet(all_of_them)
    has_line_ends = not is_quiet and ("\n" in all_of_them or "\r" in all_of_them)
    first = {value[0] for value in values}
    if kind is InlineCode:
        if has_line_ends:
            return None
        if is_quiet and " " not in first:
            return _Column(values, "`", "`", "`", *_CODE)
        codes = [code_span(value) for value in values]
        return _Column(codes, "", "`", "`", *_CODE, may_start_block="`" in all_of_them)
    if "[" in all_of_them or (has_line_ends and "<" in all_of_them):
        return None
    last = {value[-1] for value in values}
    if not is_quiet:
        escape = writing.escapes.lone if is_alone else writing.escapes.text
        values = [escape(value, brackets=False) for value in values]
    begins, ends = FIRST.keys() & first, LAST.keys() & last
    if kind is Text:
        may_start_block = not first.isdisjoint(writing.line_starts.starters)
        is_text = begins, ends, ("anything",)
        return _Column(values, "", first, last, *is_text, has_line_ends, may_start_block)
    mark = writing.plain_marks[kind].run
    if mean_something_in(mark, begins, ends):
        return None
    around = _seen_as(kind, mark[0])
    return _Column(values, mark, first, last, *around, has_line_ends, not is_quiet)


def _seen_as(kind: type[Node], edge: str) -> tuple[Collection[str], Collection[str], _Beside]:
    """What a column is to the texts beside it that begins and ends with one and the same character."""
    return FIRST.keys() & edge, LAST.keys() & edge, (kind, edge, "anything")


def _stand_beside(left: _Column, right: _Column) -> bool:
    """Tell whether nothing is written otherwise because of what stands on the other side."""
    if (right.begins and means_something(FIRST, right.begins, *left.is_to_others)) or (
        left.ends and means_something(LAST, left.ends, *right.is_to_others)
    ):
        return False
    if left.mark in _SPANS:
        return _all_stand(left.last, _PUNCTUATION if right.mark else _classes(right.first))
    if right.mark in _SPANS:
        return _all_stand(right.first, _PUNCTUATION if left.mark else _classes(left.last))
    return True


def _all_stand(inside: Collection[str], outside: Collection[int]) -> bool:
    return all(stands(inner, outer) for inner in _classes(inside) for outer in outside)


def _classes(characters: Collection[str]) -> Collection[int]:
    return set(map(character_class, characters))


_CODE = _seen_as(InlineCode, "`")
_SPANS = frozenset({"*", "**", "~", "~~"})
_PUNCTUATION = (PUNCTUATION,)
"""What a mark is to what stands beside it."""
