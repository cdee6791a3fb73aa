"""The kinds of items that events create and name: where they live, and how they are told apart."""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias, TypeVar, cast

from hud_components import Blocker, Decision, ErrorRecord, HudState, Note, Step
from hud_runtime.events import EventType, New, SectionName
from hud_runtime.projection._index import Index, taken

Item: TypeAlias = Decision | Note | Step | Blocker | ErrorRecord
"""Something in the state that has an id."""

ItemT = TypeVar("ItemT", bound=Item)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of item."""

    section: SectionName
    """The field of the state that holds the items."""

    letter: str
    """What the ids that the store makes begin with."""

    text: str
    """The field in which an item says what it is."""

    done: Literal["completed", "resolved"] | None = None
    """The field that marks an item as over; None where items are never over."""

    def items(self, state: HudState) -> tuple[Item, ...]:
        """Return the state's items of this kind, oldest first."""
        return cast("tuple[Item, ...]", getattr(state, self.section))

    def index(self, items: tuple[ItemT, ...]) -> Index[ItemT]:
        """Return the index of items of this kind, to be given back with ``carrying``."""
        return taken(items) or Index(items, "id", self.text, self.done)

    def is_open(self, item: Item) -> bool:
        """Tell whether the item still asks for something."""
        return self.done is None or not getattr(item, self.done)


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "decision": Kind("decisions", letter="d", text="summary"),
        "note": Kind("notes", letter="n", text="content"),
        "step": Kind("next_steps", letter="s", text="description", done="completed"),
        "blocker": Kind("blockers", letter="b", text="description", done="resolved"),
        "error": Kind("errors", letter="e", text="message", done="resolved"),
    }
)
"""The kinds, by the part of an event's type before the dot."""


def kind_of(event_type: EventType) -> Kind | None:
    """Return the kind of item that events of this type are about, if any.

    >>> kind_of("note.add").section
    'notes'
    """
    return KINDS.get(event_type.partition(".")[0])


def kind_in(section: SectionName) -> Kind | None:
    """Return the kind of item that a section holds; None for the task and the files."""
    return next((kind for kind in KINDS.values() if kind.section == section), None)


def duplicate(
    kind: Kind, index: Index[ItemT], new: New, without: Collection[str] = ()
) -> ItemT | None:
    """Return the open item that already says all that ``new`` says, if there is one.

    Items whose ids are in ``without`` do not count. Texts are compared as they are. A field that ``new`` leaves empty says nothing: a decision
    recorded again without its details is a duplicate, one with other details is not.

    >>> from hud_runtime.events import DecisionRecord
    >>> kind, known = KINDS["decision"], Decision(id="d-2", summary="Use JWT", details="Stateless.")
    >>> duplicate(kind, kind.index((known,)), DecisionRecord(summary="Use JWT"))
    Decision(summary='Use JWT', details='Stateless.', label=None, id='d-2', recorded_at=0)
    """
    text = getattr(new, kind.text)
    numbers = index.saying(text, is_open=True)
    if not numbers:
        return None
    said = {name: value for name, value in new if name != "id" and value not in ("", None, False)}
    for number in numbers:
        item = index[number]
        if item.id not in without and all(getattr(item, name) == said[name] for name in said):
            return item
    return None


def made_id(kind: Kind, version: int, taken: Container[str], place: int | None = None) -> str:
    """Return the short id of an item: its letter, and the version of the event that creates it.

    ``place`` tells the items of one event apart. An id that an author has taken is passed over.

    >>> made_id(KINDS["decision"], 12, frozenset())
    'd-12'
    >>> made_id(KINDS["decision"], 12, frozenset({"d-12"}))
    'd-12.1'
    """
    base = f"{kind.letter}-{version}"
    candidate = base if place is None else f"{base}.{place}"
    number = place or 0
    while candidate in taken:
        number += 1
        candidate = f"{base}.{number}"
    return candidate
