"""What broke the prefix that two renderings have in common.

A provider's prompt cache holds a prefix: what stands behind the first byte that differs is read and
billed anew. A comparison names the first node that differs, the field that made it differ, and how
many tokens that costs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import TypeAlias

from ujsx.rendering._differences import Change, differences
from ujsx.rendering._outline import Piece
from ujsx.rendering._rendered import Rendered


@dataclass(frozen=True, slots=True)
class PrefixBreak:
    """The first node whose text differs, and why."""

    node: str
    """The component's class name, its key in brackets where it has one; or what stands there."""

    path: str
    """Where it stands in the tree: ``Hud / NotesSection``."""

    line: int
    """The first line of the text that differs, from 1."""

    changes: tuple[Change, ...]
    """The fields that differ, the first one first; none where the renderings do not say."""

    @property
    def field(self) -> str | None:
        """The first field that differs."""
        return self.changes[0].field if self.changes else None

    def __str__(self) -> str:
        why = f": {self.changes[0]}" if self.changes else ""
        return f"{self.path} breaks the prefix in line {self.line}{why}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two renderings have in common, from the front."""

    place: int
    """Where they part, in characters: so many both begin with."""

    kept: float
    """The share of the previous text, in bytes, that is still its prefix: from 0 to 1."""

    kept_tokens: int
    """The tokens of what both begin with."""

    lost_tokens: int
    """The tokens behind it in the previous text: a cache held them, and they are of no more use."""

    new_tokens: int
    """The tokens behind it in the current text: they are read and billed anew."""

    broken: PrefixBreak | None
    """What broke the prefix; ``None`` when the current text begins with all of the previous."""

    def __str__(self) -> str:
        if self.broken is None:
            return f"the prefix is kept; {self.new_tokens} tokens are new behind it"
        return (
            f"{self.broken}; {self.kept:.0%} of the text is kept, {self.lost_tokens} tokens are "
            f"lost behind it"
        )


def compare(previous: Rendered, current: Rendered) -> Comparison:
    """Return what broke the prefix that ``current`` has in common with ``previous``.

    Tokens are counted as ``current`` counts them.

    >>> from ujsx import Component, Disclosure, render_document
    >>> class Count(Component):
    ...     disclosure = Disclosure()
    ...     number: int
    ...     def render(self, ctx, children):
    ...         return f"Number {self.number}."
    >>> print(compare(*(render_document(Count(number=number)) for number in (17, 18))))
    Count breaks the prefix in line 1: number was 17, is 18; 73% of the text is kept, 2 tokens are lost behind it
    """
    before, after = previous.text, current.text
    place = _common(before, after)
    count = current.count_tokens
    return Comparison(
        place,
        _size(before[:place]) / _size(before) if before else 1.0,
        count(after[:place]),
        count(before[place:]),
        count(after[place:]),
        _broken(previous, current, place) if place < len(before) else None,
    )


def _broken(previous: Rendered, current: Rendered, place: int) -> PrefixBreak:
    """The first piece that is not what it was."""
    line = current.text.count("\n", 0, place) + 1
    # What stands between components grows together when one of them goes: that is no cause.
    kept = _kept(previous, place) | _kept(current, place)
    found = list(_different(_placed(previous), _placed(current)))
    causes = (each for each in found if not kept & {id(each[0]), id(each[1])})
    _, piece, changes = next(causes, found[0])
    return PrefixBreak(piece.label, piece.around + piece.label, line, tuple(changes))


def _kept(rendered: Rendered, place: int) -> set[int]:
    """The ids of the pieces before ``place`` that have no component of their own."""
    kept: set[int] = set()
    end = 0
    for part, text in zip(rendered.parts, rendered.texts, strict=True):
        end += len(text)
        if end <= place and _is_plain(part.piece):
            kept.add(id(part.piece))
    return kept


def _different(old: _Pieces, new: _Pieces) -> Iterator[tuple[Piece, Piece, list[Change]]]:
    """The pieces that differ, came or went, as they were and are, in the current order."""
    before = iter(old.items())
    for known_as, (piece, text) in new.items():
        if known_as in old:
            yield from _gone(takewhile(lambda each: each[0] != known_as, before), new)  # noqa: B023 - used at once
            was, its_text = old[known_as]
            if its_text != text:
                yield was, piece, differences(was, piece)
        elif text:
            yield piece, piece, [Change(piece.label, None, text)]
    yield from _gone(before, new)
    first = next(iter(new.values() or old.values()))[0]  # the same pieces in another order
    yield first, first, [Change("order", tuple(map(_label, old)), tuple(map(_label, new)))]


def _gone(
    former: Iterable[tuple[_Known, tuple[Piece, str]]], new: _Pieces
) -> Iterator[tuple[Piece, Piece, list[Change]]]:
    for known_as, (piece, text) in former:
        if known_as not in new and text:
            yield piece, piece, [Change(piece.label, text, None)]


def _is_plain(piece: Piece) -> bool:
    return piece.ladder is None and piece.heading is None


_Known: TypeAlias = tuple[str, str, int]
_Pieces: TypeAlias = dict[_Known, tuple[Piece, str]]


def _placed(rendered: Rendered) -> _Pieces:
    """The pieces with their texts, by what they are known by: path, name, and their number there."""
    placed: _Pieces = {}
    counts: dict[tuple[str, str], int] = {}
    for part, text in zip(rendered.parts, rendered.texts, strict=True):
        piece = part.piece
        known_as = piece.around, "" if _is_plain(piece) else piece.label
        counts[known_as] = counts.get(known_as, -1) + 1
        placed[*known_as, counts[known_as]] = piece, text
    return placed


def _label(known_as: _Known) -> str:
    around, name, number = known_as
    return f"{around}{name}[{number}]"


def _common(left: str, right: str) -> int:
    """How many characters both begin with; whole slices are compared, which is quick."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
