"""Blocks of a quotation that are too long: their first characters, whole items and rows where it can be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from msgspec.structs import replace

from hud_components.words._cut import cut, line
from hud_components.words._quotation import MOST_LEVELS, settled
from hud_components.words._quoted import Blocks, is_spread
from ujsx import mdast
from ujsx.mdast.util import to_string


def words_of(blocks: Iterable[Any]) -> Iterator[str]:
    """Yield what blocks say, a line for each: items with their markers, rows with their cells."""
    for block in blocks:
        kind: type[Any] = block.__class__
        if kind is mdast.Heading:
            yield f"{to_string(block)}:"
        elif kind is mdast.List:
            for marker, item in _marked(block):
                first, *rest = words_of(item.children)
                yield marker + first
                yield from rest
        elif kind is mdast.Blockquote:
            yield from words_of(block.children)
        elif kind is mdast.Table:
            for row in block.children:
                yield " ".join(filter(None, (to_string(cell).strip() for cell in row.children)))
        else:
            yield to_string(block)


def _marked(block: mdast.List) -> Iterator[tuple[str, mdast.ListItem]]:
    """Yield the items of a list, each with what tells it apart."""
    for place, item in enumerate(block.children, block.start or 1):
        done = "" if item.checked is None else f"[{'x' if item.checked else ' '}] "
        yield (f"{place}. " if block.ordered else "- ") + done, item


def length_of(blocks: Iterable[Any]) -> int:
    """Return how many characters blocks say, and one between two lines."""
    return max(sum(len(words) + 1 for words in words_of(blocks)) - 1, 0)


def as_line(blocks: Blocks) -> Blocks:
    """Return what blocks say as a paragraph of one line without marks; nothing for nothing."""
    return paragraph(" ".join(filter(None, (line(words) for words in words_of(blocks)))))


def paragraph(text: str) -> Blocks:
    """Return a text as a paragraph of it; nothing for nothing."""
    return (mdast.Paragraph((mdast.Text(text),)),) if text else ()


class Shortened(NamedTuple):
    """Blocks of which only the first are left, and how many characters are missing."""

    blocks: Blocks
    missing: int


def cut_blocks(blocks: Blocks, width: int, length: int) -> Shortened:
    r"""Return the first blocks, which say at most ``width`` characters.

    :param length: how many characters all of them say, by :func:`length_of`: more than the width.

    >>> from hud_components.words._quotation import quoted
    >>> from hud_components.words._quoted import source_of
    >>> blocks = quoted("- one thing\n- another, *longer* thing", 1)
    >>> blocks, missing = cut_blocks(blocks, 28, length_of(blocks))
    >>> print(source_of(blocks), missing)
    - one thing
    - another, *long*… 8
    """
    room = _Room(width + 1)
    kept = _fitting(blocks, room)
    while kept and type(kept[-1]) is mdast.Heading:  # nothing of what it is the title of
        kept.pop()
    shown = settled(kept, MOST_LEVELS)
    if not shown:
        room.is_cut = True
        shown = paragraph(cut(line(" ".join(words_of(blocks))), width))
    return Shortened(shown, length - length_of(shown) + room.is_cut)


class _Room:
    """The room that is left in characters, and whether something had to be cut."""

    __slots__ = ("is_cut", "is_full", "left")

    def __init__(self, left: int) -> None:
        self.left = left
        self.is_full = self.is_cut = False

    def takes(self, words: str) -> bool:
        """Tell whether a line of words has room, and take it."""
        self.is_full = self.is_full or len(words) >= self.left
        if not self.is_full:
            self.left -= len(words) + 1
        return not self.is_full

    def shortened(self, text: str) -> str:
        """The beginning of a text, without the mark of its cut; nothing where that says little."""
        if self.left - 1 < _LEAST:
            return ""
        self.is_cut = True
        return cut(text, self.left - 1).removesuffix("…")


_LEAST = 12
"""Characters of a block that is cut at least."""


def _fitting(blocks: Iterable[Any], room: _Room) -> list[Any]:
    fitting = (_CUTS.get(block.__class__, _cut_leaf)(block, room) for block in blocks)
    kept: list[Any] = []
    for block in fitting:
        if block is not None:
            kept.append(block)
        if room.is_full:
            break
    return kept


def _cut_leaf(block: Any, room: _Room) -> Any:
    words = next(words_of((block,)))
    if room.takes(words):
        return block
    short = room.shortened(words) if type(block) is not mdast.Heading else ""
    if not short:
        return None
    if type(block) is mdast.Code:
        return replace(block, value=f"{short}…")
    return mdast.Paragraph((*_beginning(block.children, len(short)), mdast.Text("…")))


def _beginning(nodes: Iterable[Any], width: int) -> Iterator[Any]:
    """The first characters of phrasing."""
    for node in nodes:
        said = len(to_string(node))
        if said <= width:
            yield node
        elif width > 0:
            begun: dict[str, Any] = (
                {"children": tuple(_beginning(node.children, width))}
                if hasattr(node, "children")
                else {"value": node.value[:width]}
            )
            yield replace(node, **begun, position=None)
        width -= said


def _cut_list(block: mdast.List, room: _Room) -> Any:
    items: list[Any] = []
    for marker, item in _marked(block):
        room.left -= len(marker)
        children = tuple(_fitting(item.children, room))
        if children:
            items.append(replace(item, children=children, spread=is_spread(children)))
        if room.is_full:
            break
    return replace(block, children=tuple(items)) if items else None


def _cut_quote(block: mdast.Blockquote, room: _Room) -> Any:
    children = tuple(_fitting(block.children, room))
    return mdast.Blockquote(children) if children else None


def _cut_table(block: mdast.Table, room: _Room) -> Any:
    rows = [
        row
        for row, words in zip(block.children, words_of((block,)), strict=True)
        if room.takes(words)
    ]
    return replace(block, children=tuple(rows)) if len(rows) > 1 or not room.is_full else None


_CUTS: Mapping[type, Callable[[Any, _Room], Any]] = {
    mdast.List: _cut_list,
    mdast.Blockquote: _cut_quote,
    mdast.Table: _cut_table,
}
