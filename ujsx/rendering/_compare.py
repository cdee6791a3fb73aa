"""The first difference of two renderings, and the cause of the broken prefix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, NamedTuple, TypeAlias, cast

from pydantic import BaseModel

from ujsx.components._element import Child, Displayable, Element
from ujsx.elements import Paragraph
from ujsx.errors import shown
from ujsx.rendering._rendered import UNSAID, PartOrigin, Rendered

# The fields that differ between the origins of two rendered parts.

PLACES = ("rung", "depth")
"""The fields for a part's place and form; they are reported before its content."""


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field that differs. ``before`` or ``after`` is ``None`` if it does not exist."""

    field: str
    """Its path within the component: ``notes[3].content``, ``rung``."""

    before: object
    after: object

    def __str__(self) -> str:
        if self.before is None:
            return f"{self.field} is new: {shown(self.after)}"
        if self.after is None:
            return f"{self.field} is gone: {shown(self.before)}"
        return f"{self.field} was {shown(self.before)}, is {shown(self.after)}"


def differences(before: PartOrigin, after: PartOrigin) -> list[FieldChange]:
    """Return the fields that differ, the rung first, then props, children, and bound values.

    Of bound values, only fields with the name of a prop of the component are compared, if there are any: a section
    takes its data from them.
    """
    changes: list[FieldChange] = []
    if before.rung != after.rung:
        rungs = (str(each.rung or "hidden") for each in (before, after))
        changes.append(FieldChange("rung", *rungs))
    if before.depth != after.depth:
        changes.append(FieldChange("depth", before.depth, after.depth))
    changes += _within("", before.heading, after.heading)
    changes += _within("", before.content, after.content)
    changes += _bound(before, after)
    changes += _within("texts", before.texts, after.texts)
    return changes


def _bound(before: PartOrigin, after: PartOrigin) -> Iterator[FieldChange]:
    changes = list(_within("", before.values, after.values))
    named = [each for each in changes if _second(each.field) in after.props]
    yield from named or changes


def _second(field: str) -> str:
    """Return the name after that of the bound value's class."""
    return field.partition(".")[2].partition("[")[0]


def _within(path: str, before: Any, after: Any) -> Iterator[FieldChange]:
    """Descend into two values as far as they are alike; unreadable values are skipped."""
    if before is UNSAID or after is UNSAID:
        return
    if before is after or (type(before) is type(after) and before == after):
        return
    if type(before) is not type(after):
        yield FieldChange(path or "node", before, after)
    elif isinstance(before, Element):
        element = cast("Element", before)
        yield from _within(path, element.component, after.component)
        yield from _within(_joined(path, "children"), element.children, after.children)
    elif isinstance(before, tuple):
        yield from _in_order(path, cast("tuple[object, ...]", before), after)
    elif isinstance(before, BaseModel):
        yield from _by_key(path, vars(before), vars(cast("BaseModel", after)))
    elif isinstance(before, Mapping):
        yield from _by_key(path, cast("Mapping[str, object]", before), after)
    else:
        yield FieldChange(path or "text", before, after)


def _by_key(
    path: str, before: Mapping[str, object], after: Mapping[str, object]
) -> Iterator[FieldChange]:
    for name in dict.fromkeys([*before, *after]):
        yield from _within(_joined(path, name), before.get(name), after.get(name))


def _in_order(
    path: str, before: tuple[object, ...], after: tuple[object, ...]
) -> Iterator[FieldChange]:
    """Return the first difference of two sequences: an added, removed or changed item."""
    pairs = enumerate(zip(before, after, strict=False))
    place = next((n for n, (a, b) in pairs if a != b), min(len(before), len(after)))
    here = f"{path}[{place}]"
    left, right = before[place + 1 :], after[place + 1 :]
    if before[place:] == right:
        yield FieldChange(here, None, after[place])
    elif left == after[place : place + len(left)] and (left or place == len(after)):
        yield FieldChange(here, before[place], None)  # items were added at the end
    elif place < min(len(before), len(after)):
        yield from _within(here, before[place], after[place])
    else:
        yield FieldChange(path, f"{len(before)} items", f"{len(after)} items")


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


@dataclass(frozen=True, slots=True)
class PrefixBreak:
    """The first node whose text differs, and the reason."""

    node: str
    """The component's class name, with its key in brackets if it has one; or the part's label."""

    path: str
    """Its path in the tree: ``Hud / NotesSection``."""

    line: int
    """The first line of the text that differs, from 1."""

    changes: tuple[FieldChange, ...]
    """The fields that differ, those with values visible in the text first; none if the renderings do not tell."""

    @property
    def field(self) -> str | None:
        """The first field that differs."""
        return self.changes[0].field if self.changes else None

    def __str__(self) -> str:
        why = f": {self.changes[0]}" if self.changes else ""
        return f"{self.path} breaks the prefix in line {self.line}{why}"


@dataclass(frozen=True, slots=True)
class Comparison(Displayable):
    """The common prefix of two renderings."""

    place: int
    """The length of the common prefix, in characters."""

    kept: float
    """The share of the previous text, in bytes, that is still a prefix: from 0 to 1."""

    kept_tokens: int
    """The tokens of the common prefix."""

    lost_tokens: int
    """The tokens after it in the previous text: cached, and now useless."""

    new_tokens: int
    """The tokens after it in the current text: read and billed again."""

    broken: PrefixBreak | None
    """The cause of the break; ``None`` if the current text begins with all of the previous one."""

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
    """Return the common prefix of two renderings, and the cause of its end.

    Tokens are counted with the counter of ``current``. Pickled renderings are compared like others; components that
    this process cannot load give less detail.

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
    """Return the first part that changed."""
    line = current.text.count("\n", 0, place) + 1
    found = list(_different(_placed(previous, place), _placed(current, place)))
    # The content between components merges when a component disappears: that is not the cause.
    causes = (each for each in found if not (each[0].is_kept or each[1].is_kept))
    was, part, changes = next(causes, found[0])
    origin = part.origin
    # A component may hold more than it shows, such as the time of a change: visible values come first.
    changes.sort(
        key=lambda each: each.field not in PLACES and not _is_read(each, was.text, part.text)
    )
    return PrefixBreak(origin.label, origin.around + origin.label, line, tuple(changes))


def _is_read(change: FieldChange, before: str, after: str) -> bool:
    """Tell whether the values of a field appear in the texts verbatim."""
    sides = ((change.before, before), (change.after, after))
    return all(value is None or _stands(value, text) for value, text in sides)


def _stands(value: object, text: str) -> bool:
    """Tell whether a text or a number appears in a text as separate words."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return False
    forms = {str(value), f"{value:g}"} if isinstance(value, float) else {str(value)}
    return any(_is_word(each, text) for each in forms if each)


def _is_word(form: str, text: str) -> bool:
    """Tell whether a form appears in a text, delimited by other than letters and digits.

    It uses no regular expression: ``re`` caches patterns, and would keep users' words.
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


class _ComparedPart(NamedTuple):
    """A part of a rendering: its origin and its text."""

    origin: PartOrigin
    text: str
    is_kept: bool
    """True if it precedes the break, and is only content between components."""


_Known: TypeAlias = tuple[str, str, int]
_Parts: TypeAlias = dict[_Known, _ComparedPart]


def _different(
    old: _Parts, new: _Parts
) -> Iterator[tuple[_ComparedPart, _ComparedPart, list[FieldChange]]]:
    """Return the changed, added and removed parts, before and after, in the current order."""
    before = iter(old.items())
    for known_as, part in new.items():
        if known_as in old:
            yield from _gone(takewhile(lambda each: each[0] != known_as, before), new)  # noqa: B023 - used at once
            was = old[known_as]
            if was.text != part.text:
                yield was, part, differences(was.origin, part.origin)
        elif part.text:
            yield part, part, [FieldChange(part.origin.label, None, part.text)]
    yield from _gone(before, new)
    first = next(iter(new.values() or old.values()))  # the same parts in another order
    yield first, first, [FieldChange("order", tuple(map(_label, old)), tuple(map(_label, new)))]


def _gone(
    former: Iterable[tuple[_Known, _ComparedPart]], new: _Parts
) -> Iterator[tuple[_ComparedPart, _ComparedPart, list[FieldChange]]]:
    for known_as, part in former:
        if known_as not in new and part.text:
            yield part, part, [FieldChange(part.origin.label, part.text, None)]


def _placed(rendered: Rendered, place: int) -> _Parts:
    """Return the parts by their identity: path, name, and number.

    :param place: the length of the common prefix.
    """
    placed: _Parts = {}
    counts: dict[tuple[str, str], int] = {}
    for node in rendered.nodes:
        origin = node.part.origin
        known_as = origin.around, "" if origin.is_plain else origin.label
        counts[known_as] = counts.get(known_as, -1) + 1
        is_kept = origin.is_plain and node.end <= place
        placed[*known_as, counts[known_as]] = _ComparedPart(origin, node.text, is_kept)
    return placed


def _label(known_as: _Known) -> str:
    around, name, number = known_as
    return f"{around}{name}[{number}]"


def _common(left: str, right: str) -> int:
    """Return the length of the common prefix, in characters; comparing whole slices is fast."""
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
