"""Working memory: recent observations, in slots and in a decaying pool."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Literal, NamedTuple, Protocol

from pydantic import BaseModel, Field, create_model

from hud_components._models import HudItem, Kept, Line
from hud_components.declaring._items_section import ItemsSection, ItemT, Split
from hud_components.declaring._lines import Wording
from hud_components.declaring._section import UNSET, ItemsProp
from hud_components.declaring._state import Width, Worth
from hud_components.folding import (
    Add,
    Index,
    Kind,
    Moment,
    Payload,
    Verb,
    made_id,
    said_again,
    said_now,
    with_index,
    with_values,
)
from hud_components.folding._verb import VerbSection
from ujsx import DefinitionError, Density, Disclosure, Examples, Rung
from ujsx.components import drop_class_variables, fields_of

# The slots of working memory, and the decay of everything else.
#
# Figures are those of the founding document on working memory (phase 3), with two differences: its formula ``exp(-0.85
# * age)`` loses 57 % with each event, but its text states 15 %, so a score here is ``0.85 ** age``; and it adds the
# count of mentions, so that anything mentioned once stays forever. Here a mention resets the age.


class Slot(NamedTuple):
    """A kind of thing of which the newest few are remembered, whatever else is observed."""

    name: str
    """Its name in the tools, the events and the tags: lower-case letters, digits, ``_``."""

    size: int
    """Its capacity; the oldest item leaves first."""

    label: str
    """The label shown before its items."""

    doc: str
    """Its content, in a few words."""


SLOTS: tuple[Slot, ...] = (
    Slot("error", 3, "Error", "errors that are to be fixed"),
    Slot("decision", 5, "Decision", "what was decided"),
    Slot("todo", 3, "Todo", "what is to be done"),
    Slot("dependency", 3, "Dependency", "files and packages that the work needs"),
)
"""The slots of the founding document, in the order of display."""

POOL = "pool"
"""The pool for items in no slot, where they decay."""

DECAY = 0.85
"""The factor of a score after each event: a loss of 15 %."""

FORGOTTEN = 0.01
"""The score below which a thing in the pool is forgotten."""


def score(age: int, decay: float = DECAY) -> float:
    """Return the score of an item in the pool at an age: 1 for a new one.

    >>> round(score(1), 2), score(28) > FORGOTTEN > score(29)
    (0.85, True)
    """
    return math.pow(decay, age)


def ages(items: Iterable[Any]) -> Mapping[int, int]:
    """Return the ages of observations, by the version of their last event.

    The age is counted in memory events, as in the founding document, whose counter rises with each addition: the number
    of newer events that are still remembered. Turns are not counted, as a turn may add one item or fifty; nor are all
    events of the log, of which a turn has dozens unrelated to memory.

    >>> from hud_components.memory import MemoryItem
    >>> ages([MemoryItem(content="a", seen=4), MemoryItem(content="b", seen=9)])
    {9: 0, 4: 1}
    """
    newest_first = sorted({each.seen for each in items}, reverse=True)
    return {seen: age for age, seen in enumerate(newest_first)}


def is_fading(item: Any) -> bool:
    """Tell whether an item is in the pool: it never had a slot, or was displaced."""
    return bool(item.slot == POOL or item.fading)


def by_relevance(items: Sequence[Any]) -> list[int]:
    """Return the places of items by score, the highest first.

    An item in a slot scores 1 at any age, one in the pool its score; of equals the newest comes first. So slots precede
    the pool, and each is ordered from new to old.
    """

    def weight(place: int) -> tuple[bool, int, int, int]:
        item = items[place]
        return is_fading(item), -item.seen, -item.said_at, -place

    return sorted(range(len(items)), key=weight)


# The events of working memory: an observation is added, repeated, ended, or forgotten.


class MemorySection(Protocol):
    """A verb's view of a section of working memory."""

    value: Any
    kind: Kind
    slots: Sequence[Slot]
    decay: float
    forgotten: float


@dataclass(frozen=True, slots=True)
class Remember(Add):
    """Add an observation; a known one becomes new again."""

    def apply(self, section: VerbSection, value: Any, said: Any, moment: Moment) -> Any:
        memory: Any = section
        index = memory.kind.index(value)
        _hear(memory, index, [said], moment)
        _settle(memory, index, moment)
        return with_index(index, value)

    def made(
        self, section: VerbSection, said: Any, item_id: str, moment: Moment, order: Any = None
    ) -> Any:
        """Return the item for a draft, observed at this moment."""
        item = Add.made(self, section, said, item_id, moment, order)
        return with_values(item, seen=moment.version)


@dataclass(frozen=True, slots=True)
class Notice(Verb):
    """Record an observer's report: new observations, repeated ones, and ended ones."""

    def _payload(self, section: VerbSection, name: str) -> type[Payload]:
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

    def apply(self, section: VerbSection, value: Any, said: Any, moment: Moment) -> Any:
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
        return with_index(index, value)


@dataclass(frozen=True, slots=True)
class ClearSlot(Verb):
    """Remove all items of one kind, including those displaced from their slot."""

    def _payload(self, section: VerbSection, name: str) -> type[Payload]:
        field: Any = (
            section.draft.model_fields["slot"].annotation,
            Field(description="Which one."),
        )
        return create_model(name, __base__=Payload, __doc__=self.doc, slot=field)

    def arguments_of(self, section: VerbSection, payload: type[Payload]) -> type[BaseModel]:
        """Return the model of the tool's arguments."""
        return payload

    def apply(self, section: VerbSection, value: Any, said: Any, moment: Moment) -> Any:
        kept = tuple(item for item in value if item.slot != said.slot)
        return value if len(kept) == len(value) else kept


def slot_names(slots: Iterable[Slot]) -> Any:
    """Return the type of the field that names a slot, or the pool."""
    literal: Any = Literal  # type checkers know it only in annotations
    return literal[(*(each.name for each in slots), POOL)]


def _hear(memory: MemorySection, index: Index[Any], drafts: Sequence[Any], moment: Moment) -> None:
    """Add observations: known texts become new again, others are appended."""
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


def _settle(memory: MemorySection, index: Index[Any], moment: Moment) -> None:
    """Start the decay of items beyond a slot's capacity, and drop decayed ones."""
    for slot in memory.slots:
        held = [each for each in index.items if each.slot == slot.name and not each.fading]
        if len(held) > slot.size:
            oldest_first = sorted(held, key=lambda each: each.seen)
            for item in oldest_first[: len(held) - slot.size]:
                number = index.with_key(item.id)[0]
                index.replace(number, with_values(item, fading=True, seen=moment.version))
    old = ages(index.items)
    if score(len(old), memory.decay) >= memory.forgotten:
        return  # the oldest is younger
    gone = [
        each.id
        for each in index.items
        if is_fading(each) and score(old[each.seen], memory.decay) < memory.forgotten
    ]
    for name in gone:
        for number in index.with_key(name):
            index.remove(number)


def told_of_leaving(before: Sequence[Any], after: Sequence[Any]) -> str:
    """Return the answer's text about items displaced from their slot, or forgotten."""
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
    """Return the number of removed items as text."""
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


TOKENS = 400
"""The most tokens of working memory: about 1,600 characters, from the founding document."""


class MemoryItem(HudItem):
    """Something that was heard, and is worth keeping in mind for a while."""

    content: Line
    """What it is, in a sentence, or a path."""

    slot: Literal["error", "decision", "todo", "dependency", "pool"] = "pool"
    """What kind of thing it is; the pool is for all others, which fade."""

    fading: Kept[bool] = False
    """Whether it had to leave its slot for the pool."""

    seen: Kept[int] = 0
    """The version of the event in which it was last heard."""


def _lines(slots: Sequence[Slot]) -> Mapping[str, Any]:
    """Return the lines of an item: its kind, and its text."""
    kinds = [Wording(f"**{each.label}:** {{content}}", {"slot": each.name}) for each in slots]
    return {"full": (*kinds, Wording("{content}", {"slot": POOL}))}


VERBS: tuple[str | Verb, ...] = (
    Remember(
        "add",
        help="what to keep in mind for a while",
        doc="Something is worth keeping in mind for a while.",
        answer="Remembered {id}.",
        told="{id} remembered: {text}",
        renews=True,
        also=told_of_leaving,
    ),
    "remove",
    ClearSlot(
        "clear_slot",
        help="all of a kind",
        doc="All things of a kind no longer hold.",
        answer="Cleared.",
        told="{section} cleared of {said}",
        also=told_of_clearing,
    ),
    "clear",
    Notice(
        "notice",
        doc="Something was heard in what the user, the agent or a tool said.",
        told="{section}: heard {said}",
        is_operation=False,
        host_reported=True,
    ),
)
"""The verbs of working memory."""


@drop_class_variables
class WorkingMemory(ItemsSection[ItemT], Generic[ItemT]):
    """What was heard lately: the newest few of each kind, and a pool that fades.

    A slot holds so many things; the one that was heard the longest ago leaves it for the pool. What
    is in the pool counts ``decay ** age``, and is forgotten below ``forgotten``; a mention makes it new.
    Items are grouped by their kind; which of them are shown where not all are goes by what they count.
    """

    slots: ClassVar[tuple[Slot, ...]] = SLOTS
    """The kinds, in the order in which they are shown."""

    decay: ClassVar[float] = DECAY
    """The factor of a score with each age; above 0, below 1."""

    forgotten: ClassVar[float] = FORGOTTEN
    """The score below which a thing in the pool is forgotten."""

    disclosure: ClassVar[Disclosure] = Disclosure(
        (
            Rung(Density.MINIMAL, 0),
            Rung(Density.MINIMAL, 1, only_if_room=True, width=Width.SHORT, worth=Worth.DONE_OR_OLD),
            Rung(Density.COMPACT, 3, worth=Worth.NEWEST_FEW),
            Rung(Density.COMPACT, 6, worth=Worth.DONE_OR_OLD),
            Rung(Density.FULL, 15, width=Width.LONG, worth=Worth.DONE_OR_OLD),
            Rung(Density.FULL, 15, worth=Worth.DONE_OR_OLD),
            *(
                Rung(Density.FULL, limit, only_if_room=True, worth=Worth.DONE_OR_OLD)
                for limit in (20, 30, 45)
            ),
            Rung(Density.FULL, worth=Worth.DONE_OR_OLD),
        ),
        floor=Density.MINIMAL,
    )
    budget: ClassVar[int | None] = TOKENS
    says_once: ClassVar[bool] = True
    verbs: ClassVar[tuple[str | Verb, ...]] = VERBS

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        if cls.name and cls.value is not None:
            _check(cls)
            if not cls.lines:
                cls.lines = _lines(cls.slots)
        super().__pydantic_init_subclass__(**kwargs)

    def split(self, items: Sequence[Any], limit: int | None) -> Split:
        """Return the most relevant items, by kind, and the others."""
        rank = {each.name: place for place, each in enumerate(self.slots)}
        places = by_relevance(items)
        kept = places if limit is None else places[:limit]

        def place_of(place: int) -> tuple[int, bool, int, int]:
            item = items[place]
            return rank.get(item.slot, len(rank)), is_fading(item), item.said_at, place

        shown = [items[place] for place in sorted(kept, key=place_of)]
        return shown, [items[place] for place in places[len(kept) :]], 0


def _check(section: type[WorkingMemory[Any]]) -> None:
    """Refuse slots that are indistinguishable, have no capacity, or cannot be named by an item."""
    what = section.__name__
    names = [each.name for each in section.slots]
    for each in section.slots:
        if not (each.name.isidentifier() and each.name == each.name.lower()) or each.name == POOL:
            rule = f"use lower-case letters, digits and underscores, and not {POOL!r}"
            raise DefinitionError(
                f"{what}.slots: {each.name!r} is not a valid name for a slot; {rule}"
            )
        if each.size < 1:
            raise DefinitionError(f"{what}.slots: {each.name} holds {each.size} things; 1 at least")
        if not each.label.strip() or not each.label.isprintable() or {*"{}*`~"} & {*each.label}:
            raise DefinitionError(
                f"{what}.slots: {each.label!r} is not a label of {each.name}; write plain words"
            )
    for kind, values in (("name", names), ("label", [each.label for each in section.slots])):
        if len({*values}) < len(values):
            raise DefinitionError(f"{what}.slots: two have the same {kind}; give one another")
    if not 0 < section.decay < 1 or not 0 < section.forgotten < 1:
        raise DefinitionError(f"{what}: decay and forgotten are above 0 and below 1")
    field = fields_of(section.value).get("slot")
    known = () if field is None else getattr(field.annotation, "__args__", ())
    if {*known} != {*names, POOL}:
        taken, own = (", ".join(map(repr, each)) for each in (known, (*names, POOL)))
        why = f"{section.value.__name__}.slot takes {taken or 'nothing'}, and the slots are {own}"
        raise DefinitionError(f"{what}: {why}; make them the same, or take working_memory(*slots)")


class AgentMemory(WorkingMemory[MemoryItem]):
    """What was heard lately, with the slots of the founding document."""

    name = "working_memory"
    title = "Working memory"
    noun = "memory|memories"

    examples: ClassVar[Examples] = lambda: {
        "each kind": AgentMemory(
            working_memory=(
                {"slot": "error", "content": "test_refresh: expected 401, got 200"},
                {"slot": "decision", "content": "Use JWT instead of sessions"},
                {"slot": "todo", "content": "Test expired tokens"},
                "The staging cluster runs PostgreSQL 16",
            )
        ),
    }

    working_memory: ItemsProp[MemoryItem] = UNSET
    """The items; those of the session when None."""


def working_memory(*slots: Slot, name: str = "working_memory") -> type[WorkingMemory[Any]]:
    """Return a section of working memory with other slots.

    :param slots: the kinds of things, in the order of display; ``*SLOTS`` for the default ones.
    :param name: the prefix of its operations.
    :raises DefinitionError: for slots that are indistinguishable, or have no capacity.

    >>> risks = working_memory(*SLOTS, Slot("risk", 2, "Risk", "what may go wrong"))
    >>> [each.name for each in risks.slots]
    ['error', 'decision', 'todo', 'dependency', 'risk']
    """
    kinds = ", ".join(f"{each.name}: {each.doc}" for each in slots)
    field: Any = Field(
        default=POOL, description=f"What kind of thing it is ({kinds}); else the pool."
    )
    item = create_model(
        "MemoryItem",
        __base__=MemoryItem,
        __doc__=MemoryItem.__doc__,
        __module__=__name__,
        slot=(slot_names(slots), field),
    )
    body = {
        "__module__": __name__,
        "__doc__": WorkingMemory.__doc__,
        "name": name,
        "title": "Working memory",
        "noun": "memory|memories",
        "value": item,
        "slots": tuple(slots),
    }
    kind: Any = type(WorkingMemory)
    made: type[WorkingMemory[Any]] = kind("OwnMemory", (WorkingMemory,), body)
    return made
