"""Working memory: what was heard lately, in slots and in a pool that fades."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, Literal

from pydantic import Field, create_model

from hud_components._models import HudItem, Kept, Line
from hud_components.declaring._items_section import ItemsSection, ItemT, Split
from hud_components.declaring._lines import Wording
from hud_components.declaring._props import UNSET, ItemsProp
from hud_components.declaring._worth import DONE_OR_OLD, LONG, NEWEST_FEW, SHORT
from hud_components.folding import Verb
from hud_components.memory._slots import (
    DECAY,
    FORGOTTEN,
    POOL,
    SLOTS,
    Slot,
    by_relevance,
    is_fading,
)
from hud_components.memory._verbs import (
    ClearSlot,
    Notice,
    Remember,
    slot_names,
    told_of_clearing,
    told_of_leaving,
)
from ujsx import DefinitionError, Density, Disclosure, Examples, Rung
from ujsx.components import fields_of, settled

TOKENS = 400
"""Tokens that working memory takes at most: about 1,600 characters, as the founding document has it."""


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
    """How an item is written: what kind of thing it is, and what it says."""
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
        is_reported=True,
    ),
)
"""What can happen to working memory."""


@settled
class WorkingMemory(ItemsSection[ItemT], Generic[ItemT]):
    """What was heard lately: the newest few of each kind, and a pool that fades.

    A slot holds so many things; the one that was heard the longest ago leaves it for the pool. What
    is in the pool counts ``decay ** age``, and is forgotten below ``forgotten``; a mention makes it new.
    Items are grouped by their kind; which of them are shown where not all are goes by what they count.
    """

    slots: ClassVar[tuple[Slot, ...]] = SLOTS
    """The kinds, in the order in which they are shown."""

    decay: ClassVar[float] = DECAY
    """What is left of a score with each age; above 0, below 1."""

    forgotten: ClassVar[float] = FORGOTTEN
    """The score below which a thing in the pool is forgotten."""

    disclosure: ClassVar[Disclosure] = Disclosure(
        (
            Rung(Density.MINIMAL, 0),
            Rung(Density.MINIMAL, 1, is_spare=True, width=SHORT, worth=DONE_OR_OLD),
            Rung(Density.COMPACT, 3, worth=NEWEST_FEW),
            Rung(Density.COMPACT, 6, worth=DONE_OR_OLD),
            Rung(Density.FULL, 15, width=LONG, worth=DONE_OR_OLD),
            Rung(Density.FULL, 15, worth=DONE_OR_OLD),
            *(
                Rung(Density.FULL, limit, is_spare=True, worth=DONE_OR_OLD)
                for limit in (20, 30, 45)
            ),
            Rung(Density.FULL, worth=DONE_OR_OLD),
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
        """Return the items that count most, by their kinds, and the others."""
        rank = {each.name: place for place, each in enumerate(self.slots)}
        places = by_relevance(items)
        kept = places if limit is None else places[:limit]

        def place_of(place: int) -> tuple[int, bool, int, int]:
            item = items[place]
            return rank.get(item.slot, len(rank)), is_fading(item), item.said_at, place

        shown = [items[place] for place in sorted(kept, key=place_of)]
        return shown, [items[place] for place in places[len(kept) :]], 0


def _check(section: type[WorkingMemory[Any]]) -> None:
    """Refuse slots that cannot be told apart, that hold nothing, or that no item can name."""
    what = section.__name__
    names = [each.name for each in section.slots]
    for each in section.slots:
        if not (each.name.isidentifier() and each.name == each.name.lower()) or each.name == POOL:
            raise DefinitionError(
                f"{what}.slots: {each.name!r} is no name of a slot; use lower-case letters, digits and"
                f" underscores, and not {POOL!r}"
            )
        if each.size < 1:
            raise DefinitionError(f"{what}.slots: {each.name} holds {each.size} things; 1 at least")
        if not each.label.strip() or not each.label.isprintable() or {*"{}*`~"} & {*each.label}:
            raise DefinitionError(
                f"{what}.slots: {each.label!r} is no label of {each.name}; write plain words"
            )
    for kind, values in (("name", names), ("label", [each.label for each in section.slots])):
        if len({*values}) < len(values):
            raise DefinitionError(f"{what}.slots: two have the same {kind}; give one another")
    if not 0 < section.decay < 1 or not 0 < section.forgotten < 1:
        raise DefinitionError(f"{what}: decay and forgotten are above 0 and below 1")
    field = fields_of(section.value).get("slot")
    known = () if field is None else getattr(field.annotation, "__args__", ())
    if {*known} != {*names, POOL}:
        raise DefinitionError(
            f"{what}: {section.value.__name__}.slot takes {', '.join(map(repr, known)) or 'nothing'}, and"
            f" the slots are {', '.join(map(repr, (*names, POOL)))}; make them the same, or take"
            " working_memory(*slots)"
        )


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

    :param slots: the kinds of things, in the order in which they are shown; ``*SLOTS`` for the usual ones.
    :param name: what its operations begin with.
    :raises DefinitionError: for slots that cannot be told apart, or hold nothing.

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
