"""Which fields differ between two pieces of a tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from pydantic import BaseModel

from ujsx.components._element import Element
from ujsx.errors import shown
from ujsx.rendering._outline import Piece


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


def differences(before: Piece, after: Piece) -> list[Change]:
    """Return the fields that differ, the rung first, then props, children, and what is bound.

    Of the values that are bound to the context, only fields that a prop of the component has the
    name of count, where there are such: a section takes its data from there.
    """
    changes: list[Change] = []
    if before.rung != after.rung:
        rungs = (str(piece.rung or "hidden") for piece in (before, after))
        changes.append(Change("rung", *rungs))
    if before.context.depth != after.context.depth:
        changes.append(Change("depth", before.context.depth, after.context.depth))
    changes += _within("", before.heading, after.heading)
    changes += _within("", _whole(before), _whole(after))
    changes += _bound(before, after)
    changes += _within("texts", dict(before.context.texts), dict(after.context.texts))
    return changes


def _whole(piece: Piece) -> object:
    """A component with a ladder stands alone in its piece."""
    return piece.nodes[0] if piece.ladder is not None else piece.nodes


def _bound(before: Piece, after: Piece) -> Iterator[Change]:
    props = type(after.ladder).model_fields if after.ladder is not None else {}
    changes = list(_within("", _by_name(before), _by_name(after)))
    named = [each for each in changes if each.field.partition(".")[2].partition("[")[0] in props]
    yield from named or changes


def _by_name(piece: Piece) -> dict[str, object]:
    return {kind.__name__: value for kind, value in piece.context.values.items()}


def _within(path: str, before: Any, after: Any) -> Iterator[Change]:
    """Walk into two values as far as they are alike."""
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
    elif isinstance(before, dict):
        yield from _by_key(path, cast("dict[str, object]", before), after)
    else:
        yield Change(path or "text", before, after)


def _by_key(path: str, before: dict[str, object], after: dict[str, object]) -> Iterator[Change]:
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
