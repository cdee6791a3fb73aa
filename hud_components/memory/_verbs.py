"""The events of working memory: something is heard, is heard again, is over, or is forgotten."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from pydantic import BaseModel, Field, create_model

from hud_components._models import Line
from hud_components.folding import (
    Add,
    Index,
    Kind,
    Moment,
    Payload,
    Verb,
    carrying,
    made_id,
    said_again,
    said_now,
    with_values,
)
from hud_components.folding._verb import Folded
from hud_components.memory._slots import POOL, Slot, ages, is_fading, score


class Remembering(Protocol):
    """A section of working memory, as its verbs see it."""

    value: Any
    kind: Kind
    slots: Sequence[Slot]
    decay: float
    forgotten: float


@dataclass(frozen=True, slots=True)
class Remember(Add):
    """Something is heard; what is known already is new again."""

    def apply(self, section: Folded, value: Any, said: Any, moment: Moment) -> Any:
        memory: Any = section
        index = memory.kind.index(value)
        _hear(memory, index, [said], moment)
        _settle(memory, index, moment)
        return carrying(index, value)

    def made(
        self, section: Folded, said: Any, item_id: str, moment: Moment, order: Any = None
    ) -> Any:
        """Return the item that a draft makes: it was heard at this moment."""
        item = Add.made(self, section, said, item_id, moment, order)
        return with_values(item, seen=moment.version)


@dataclass(frozen=True, slots=True)
class Notice(Verb):
    """Something was heard by who reads along: things that are new, known ones, and what is over."""

    def _payload(self, section: Folded, name: str) -> type[Payload]:
        draft: Any = section.draft
        fields: dict[str, Any] = {
            "found": (tuple[draft, ...], Field(default=(), description="What was heard.")),
            "again": (
                tuple[Line, ...],
                Field(default=(), description="The texts of known things that were mentioned."),
            ),
            "over": (
                tuple[Line, ...],
                Field(default=(), description="The texts of things that no longer hold."),
            ),
        }
        return create_model(name, __base__=Payload, __doc__=self.doc, **fields)

    def apply(self, section: Folded, value: Any, said: Any, moment: Moment) -> Any:
        memory: Any = section
        index = memory.kind.index(value)
        for text in said.over:
            for number in [*index.saying(text, is_open=True)]:
                index.remove(number)
        for text in said.again:
            for number in [*index.saying(text, is_open=True)]:
                index.replace(number, with_values(index[number], seen=moment.version, fading=False))
        _hear(memory, index, said.found, moment)
        _settle(memory, index, moment)
        return carrying(index, value)


@dataclass(frozen=True, slots=True)
class ClearSlot(Verb):
    """All things of one kind are gone, those that had to leave their slot among them."""

    def _payload(self, section: Folded, name: str) -> type[Payload]:
        field: Any = (
            section.draft.model_fields["slot"].annotation,
            Field(description="Which one."),
        )
        return create_model(name, __base__=Payload, __doc__=self.doc, slot=field)

    def arguments_of(self, section: Folded, payload: type[Payload]) -> type[BaseModel]:
        """Return the model of what a caller of the tool fills in."""
        return payload

    def apply(self, section: Folded, value: Any, said: Any, moment: Moment) -> Any:
        kept = tuple(item for item in value if item.slot != said.slot)
        return value if len(kept) == len(value) else kept


def slot_names(slots: Iterable[Slot]) -> Any:
    """Return the type of the field that names a slot, or the pool."""
    literal: Any = Literal  # for type checkers, which know it only in annotations
    return literal[(*(each.name for each in slots), POOL)]


def _hear(memory: Remembering, index: Index[Any], drafts: Sequence[Any], moment: Moment) -> None:
    """Take in what was heard: known texts are new again, others get a place at the end."""
    several = len(drafts) > 1
    for place, draft in enumerate(drafts, start=1):
        known = index.saying(draft.content, is_open=True)
        if known:
            item = index[known[0]]
            slot = item.slot if draft.slot == POOL else draft.slot
            anew = said_again(item, moment, slot=slot)
            index.replace(known[0], with_values(anew, seen=moment.version, fading=False))
            continue
        own = getattr(draft, "id", None)
        name = own or made_id(memory.kind, moment.version, index, place if several else None)
        if name in index:
            continue
        said = {field: given for field, given in draft if field != "id"}
        source = said_now(memory.value, moment)
        index.append(memory.value(**said, id=name, seen=moment.version, **source))


def _settle(memory: Remembering, index: Index[Any], moment: Moment) -> None:
    """Let what is too much for a slot fade from now on, and forget what has faded."""
    for slot in memory.slots:
        held = [each for each in index.items if each.slot == slot.name and not each.fading]
        if len(held) > slot.size:
            oldest_first = sorted(held, key=lambda each: each.seen)
            for item in oldest_first[: len(held) - slot.size]:
                number = index.with_key(item.id)[0]
                index.replace(number, with_values(item, fading=True, seen=moment.version))
    old = ages(index.items)
    if score(len(old), memory.decay) >= memory.forgotten:
        return  # the oldest is younger than that
    gone = [
        each.id
        for each in index.items
        if is_fading(each) and score(old[each.seen], memory.decay) < memory.forgotten
    ]
    for name in gone:
        for number in index.with_key(name):
            index.remove(number)


def told_of_leaving(before: Sequence[Any], after: Sequence[Any]) -> str:
    """Return what an answer says of things that had to leave their slot, or were forgotten."""
    was_held = {each.id for each in before if not is_fading(each)}
    left = sum(each.id in was_held and is_fading(each) for each in after)
    ids = {each.id for each in after}
    gone = sum(each.id not in ids for each in before)
    parts = [
        _counted(left, "left its slot, and fades from now on"),
        _counted(gone, "faded, and is forgotten"),
    ]
    return " ".join(filter(None, parts))


def told_of_clearing(before: Sequence[Any], after: Sequence[Any]) -> str:
    """Return how many things are gone."""
    count = len(before) - len(after)
    return f"{count} {'is' if count == 1 else 'are'} gone."


def _counted(count: int, became: str) -> str:
    if not count:
        return ""
    if count > 1:
        became = became.replace("its slot, and fades", "their slots, and fade").replace(
            " is ", " are "
        )
    return f"{count} {became}."
