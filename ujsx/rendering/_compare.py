"""The change that broke the common prefix of two renderings.

A provider's prompt cache holds a prefix: what stands behind the first byte that differs is read and
billed anew. A comparison names the first node that differs, the field that made it differ, and how
many tokens that costs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple, TypeAlias

from ujsx.components._display import Displayed
from ujsx.components._element import Child
from ujsx.elements import Paragraph
from ujsx.rendering._differences import PLACES, Change, differences
from ujsx.rendering._origin import Origin
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
    """The fields that differ, those whose values are read in the text first; none where the renderings do not say."""

    @property
    def field(self) -> str | None:
        """The first field that differs."""
        return self.changes[0].field if self.changes else None

    def __str__(self) -> str:
        why = f": {self.changes[0]}" if self.changes else ""
        return f"{self.path} breaks the prefix in line {self.line}{why}"


@dataclass(frozen=True, slots=True)
class Comparison(Displayed):
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

    def _as_document(self) -> Child:
        return Paragraph()[f"{self}."]

    def __str__(self) -> str:
        if self.broken is None:
            return f"the prefix is kept; {self.new_tokens} tokens are new behind it"
        return (
            f"{self.broken}; {self.kept:.0%} of the text is kept, {self.lost_tokens} tokens are "
            f"lost behind it"
        )


def compare(previous: Rendered, current: Rendered) -> Comparison:
    """Return what broke the prefix that ``current`` has in common with ``previous``.

    Tokens are counted as ``current`` counts them. A rendering that was pickled compares like any
    other; of components that this process cannot read it says less.

    >>> from ujsx import Component, Disclosure, render_document
    >>> class Count(Component):
    ...     disclosure = Disclosure()
    ...     number: int
    ...     def render(self, ctx, children):
    ...         return f"Number {self.number}."
    >>> print(compare(*(render_document(Count(number=number)) for number in (17, 18))))
    Count breaks the prefix in line 1: number was 17, is 18; 73% of the text is kept, 1 tokens are lost behind it
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
    """The first part that is not what it was."""
    line = current.text.count("\n", 0, place) + 1
    found = list(_different(_placed(previous, place), _placed(current, place)))
    # What stands between components grows together when one of them goes: that is no cause.
    causes = (each for each in found if not (each[0].is_kept or each[1].is_kept))
    was, part, changes = next(causes, found[0])
    origin = part.origin
    # A component may hold more than it shows, such as when a value was set: what is read comes first.
    changes.sort(
        key=lambda each: each.field not in PLACES and not _is_read(each, was.text, part.text)
    )
    return PrefixBreak(origin.label, origin.around + origin.label, line, tuple(changes))


def _is_read(change: Change, before: str, after: str) -> bool:
    """Tell whether the values of a field stand in the texts, as they are."""
    sides = ((change.before, before), (change.after, after))
    return all(value is None or _stands(value, text) for value, text in sides)


def _stands(value: object, text: str) -> bool:
    """Tell whether a text or a number stands in a text as words of its own."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return False
    forms = {str(value), f"{value:g}"} if isinstance(value, float) else {str(value)}
    return any(_is_word(each, text) for each in forms if each)


def _is_word(form: str, text: str) -> bool:
    """Tell whether letters and numbers stand somewhere between others, and are no part of them.

    It is no pattern: those are kept by ``re``, and so would be what somebody said.
    """
    place = text.find(form)
    while place >= 0:
        end = place + len(form)
        before = text[place - 1 : place]
        behind = text[end + 1 : end + 2] if text[end : end + 1] == "." else text[end : end + 1]
        if before != "." and not _is_letter(before) and not _is_letter(behind):
            return True
        place = text.find(form, end)
    return False


def _is_letter(character: str) -> bool:
    return character.isalnum() or character == "_"


class _Part(NamedTuple):
    """A part of a rendering: what it was made of, and its text."""

    origin: Origin
    text: str
    is_kept: bool
    """Whether it stands before the break, and is nothing but what stands between components."""


_Known: TypeAlias = tuple[str, str, int]
_Parts: TypeAlias = dict[_Known, _Part]


def _different(old: _Parts, new: _Parts) -> Iterator[tuple[_Part, _Part, list[Change]]]:
    """The parts that differ, came or went, as they were and are, in the current order."""
    before = iter(old.items())
    for known_as, part in new.items():
        if known_as in old:
            yield from _gone(takewhile(lambda each: each[0] != known_as, before), new)  # noqa: B023 - used at once
            was = old[known_as]
            if was.text != part.text:
                yield was, part, differences(was.origin, part.origin)
        elif part.text:
            yield part, part, [Change(part.origin.label, None, part.text)]
    yield from _gone(before, new)
    first = next(iter(new.values() or old.values()))  # the same parts in another order
    yield first, first, [Change("order", tuple(map(_label, old)), tuple(map(_label, new)))]


def _gone(
    former: Iterable[tuple[_Known, _Part]], new: _Parts
) -> Iterator[tuple[_Part, _Part, list[Change]]]:
    for known_as, part in former:
        if known_as not in new and part.text:
            yield part, part, [Change(part.origin.label, part.text, None)]


def _placed(rendered: Rendered, place: int) -> _Parts:
    """The parts by what they are known by: path, name, and their number there.

    :param place: where the renderings part.
    """
    placed: _Parts = {}
    counts: dict[tuple[str, str], int] = {}
    for node in rendered.nodes:
        origin = node.part.origin
        known_as = origin.around, "" if origin.is_plain else origin.label
        counts[known_as] = counts.get(known_as, -1) + 1
        is_kept = origin.is_plain and node.end <= place
        placed[*known_as, counts[known_as]] = _Part(origin, node.text, is_kept)
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
