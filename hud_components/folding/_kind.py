"""The identity of a section's items: ids, texts, and whether an item is over."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, count
from typing import Any, TypeVar

from hud_components._models import HudModel
from hud_components.folding._edits import with_values
from hud_components.folding._index import Index, taken
from hud_components.folding._payload import New

ItemT = TypeVar("ItemT", bound=HudModel)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of item."""

    text: str
    """The field in which an item says what it is."""

    prefix: str = ""
    """What the ids that the store makes begin with."""

    done: str | None = None
    """The field that marks an item as over; None where items are never over."""

    key: str = "id"
    """The field that later events name an item by."""

    order: str | None = None
    """The field that holds an item's place, counted from 1; None where none does."""

    says_once: bool = False
    """Whether no two open items say the same text, whatever else they say."""

    def index(self, items: tuple[ItemT, ...]) -> Index[ItemT]:
        """Return the index of items of this kind, to be given back with ``carrying``."""
        return taken(items) or Index(items, self.key, self.text, self.done)

    def is_open(self, item: HudModel) -> bool:
        """Tell whether the item still asks for something."""
        return self.done is None or not getattr(item, self.done)


def duplicate(
    kind: Kind, index: Index[ItemT], new: New, without: Collection[str] = ()
) -> ItemT | None:
    """Return the open item that already says all that ``new`` says, if there is one.

    Items whose ids are in ``without`` do not count. Texts are compared as they are. A field that
    ``new`` leaves empty says nothing: a decision recorded again without its details is a duplicate,
    one with other details is not.

    >>> from hud_components import Decision, DecisionsList, DecisionDraft
    >>> from hud_components.folding import joined
    >>> new = joined("DecisionRecord", New, DecisionDraft, None)(summary="Use JWT")
    >>> kind, known = DecisionsList.kind, Decision(id="d-2", summary="Use JWT", details="Stateless.")
    >>> duplicate(kind, kind.index((known,)), new)
    Decision(summary='Use JWT', details='Stateless.', label=None, id='d-2', recorded_at=0)
    """
    text: Any = getattr(new, kind.text)
    numbers = index.saying(text, is_open=True)
    if not numbers:
        return None
    if kind.says_once:
        item = index[numbers[0]]
        return None if getattr(item, kind.key) in without else item
    said = {name: value for name, value in new if name != "id" and value not in ("", None, False)}
    for number in numbers:
        item = index[number]
        if getattr(item, kind.key) not in without and all(
            getattr(item, name) == value for name, value in said.items()
        ):
            return item
    return None


def made_id(kind: Kind, version: int, taken: Container[str], place: int | None = None) -> str:
    """Return the short id of an item: its prefix, and the version of the event that creates it.

    ``place`` tells the items of one event apart. An id that an author has taken is passed over.

    >>> made_id(Kind("summary", prefix="d"), 12, frozenset())
    'd-12'
    >>> made_id(Kind("summary", prefix="d"), 12, frozenset({"d-12"}))
    'd-12.1'
    """
    base = f"{kind.prefix}-{version}"
    candidate = base if place is None else f"{base}.{place}"
    number = place or 0
    while candidate in taken:
        number += 1
        candidate = f"{base}.{number}"
    return candidate


def with_ids(kind: Kind, items: tuple[Any, ...], version: int) -> tuple[Any, ...]:
    """Return the items, each with an id of its own; the very items where they have that.

    An item gets another where it has none, or one that an item before it has.

    >>> from hud_components import PlainItem
    >>> with_ids(Kind("id", prefix="d"), (PlainItem(id="d-1"), PlainItem(id="d-1"), PlainItem()), 12)
    (PlainItem(id='d-1'), PlainItem(id='d-12'), PlainItem(id='d-12.1'))
    """
    if kind.key != "id":
        return items
    ids = {item.id for item in items}
    if len(ids) == len(items) and "" not in ids:
        return items
    free = _free_ids(kind, version, ids)
    seen = {""}
    own: list[Any] = []
    for item in items:
        if item.id in seen:
            own.append(with_values(item, id=next(free)))
        else:
            seen.add(item.id)
            own.append(item)
    return tuple(own)


def _free_ids(kind: Kind, version: int, taken: Container[str]) -> Iterator[str]:
    """The ids that :func:`made_id` gives one after the other, each looked at once however many there are."""
    base = f"{kind.prefix}-{version}"
    every = chain((base,), (f"{base}.{number}" for number in count(1)))
    return (each for each in every if each not in taken)


def numbered(kind: Kind, items: Iterable[ItemT]) -> tuple[ItemT, ...]:
    """Return the items with their places, counted from 1, where such items hold them."""
    if kind.order is None:
        return tuple(items)
    return tuple(
        with_values(item, **{kind.order: place}) for place, item in enumerate(items, start=1)
    )
