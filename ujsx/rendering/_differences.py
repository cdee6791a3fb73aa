"""The fields that differ between the sources of two parts of renderings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from pydantic import BaseModel

from ujsx.components._element import Element
from ujsx.errors import shown
from ujsx.rendering._origin import Origin
from ujsx.rendering._packed import UNSAID

PLACES = ("rung", "depth")
"""The fields that say where and how a part is shown; they come before what it shows."""


@dataclass(frozen=True, slots=True)
class Change:
    """A field that differs. ``before`` or ``after`` is ``None`` where there is no such thing."""

    field: str
    """Where it is, from the component on: ``notes[3].content``, ``rung``."""

    before: object
    after: object

    def __str__(self) -> str:
        if self.before is None:
            return f"{self.field} is new: {shown(self.after)}"
        if self.after is None:
            return f"{self.field} is gone: {shown(self.before)}"
        return f"{self.field} was {shown(self.before)}, is {shown(self.after)}"


def differences(before: Origin, after: Origin) -> list[Change]:
    """Return the fields that differ, the rung first, then props, children, and what is bound.

    Of the values that are bound to the context, only fields that a prop of the component has the
    name of count, where there are such: a section takes its data from there.
    """
    changes: list[Change] = []
    if before.rung != after.rung:
        rungs = (str(each.rung or "hidden") for each in (before, after))
        changes.append(Change("rung", *rungs))
    if before.depth != after.depth:
        changes.append(Change("depth", before.depth, after.depth))
    changes += _within("", before.heading, after.heading)
    changes += _within("", before.content, after.content)
    changes += _bound(before, after)
    changes += _within("texts", before.texts, after.texts)
    return changes


def _bound(before: Origin, after: Origin) -> Iterator[Change]:
    changes = list(_within("", before.values, after.values))
    named = [each for each in changes if _second(each.field) in after.props]
    yield from named or changes


def _second(field: str) -> str:
    """The name behind that of the bound value's class."""
    return field.partition(".")[2].partition("[")[0]


def _within(path: str, before: Any, after: Any) -> Iterator[Change]:
    """Walk into two values as far as they are alike; of what is unsaid there is nothing to say."""
    if before is UNSAID or after is UNSAID:
        return
    if before is after or (type(before) is type(after) and before == after):
        return
    if type(before) is not type(after):
        yield Change(path or "node", before, after)
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
        yield Change(path or "text", before, after)


def _by_key(
    path: str, before: Mapping[str, object], after: Mapping[str, object]
) -> Iterator[Change]:
    for name in dict.fromkeys([*before, *after]):
        yield from _within(_joined(path, name), before.get(name), after.get(name))


def _in_order(path: str, before: tuple[object, ...], after: tuple[object, ...]) -> Iterator[Change]:
    """The first place where two sequences part: an item that came, one that went, or one that changed."""
    pairs = enumerate(zip(before, after, strict=False))
    place = next((n for n, (a, b) in pairs if a != b), min(len(before), len(after)))
    here = f"{path}[{place}]"
    left, right = before[place + 1 :], after[place + 1 :]
    if before[place:] == right:
        yield Change(here, None, after[place])
    elif left == after[place : place + len(left)] and (left or place == len(after)):
        yield Change(here, before[place], None)  # whatever came behind the others
    elif place < min(len(before), len(after)):
        yield from _within(here, before[place], after[place])
    else:
        yield Change(path, f"{len(before)} items", f"{len(after)} items")


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
