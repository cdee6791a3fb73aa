"""The items of a section under events: identity, payloads, an index, and edits that preserve unchanged objects."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left, insort
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache, lru_cache
from itertools import chain, count
from operator import attrgetter
from types import NoneType
from typing import Annotated, Any, ClassVar, Generic, Literal, NamedTuple, TypeVar, cast, get_args

from pydantic import (
    BaseModel,
    Field,
    SerializerFunctionWrapHandler,
    create_model,
    model_serializer,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic.json_schema import SkipJsonSchema

from hud_components._models import SOURCE, Actor, HudModel, HudValue, Line
from ujsx.calls import Answering
from ujsx.components import described_like, fields_of


class Moment(NamedTuple):
    """The time and the source of an event: all that a verb may use beside its arguments."""

    version: int
    """The event's place in its session."""

    turn: int
    """The agent's turn."""

    timestamp: int
    """Milliseconds since the Unix epoch."""

    actor: Actor
    """The source."""


# Finding items of a section without a linear search.
#
# A section is a tuple. The newest one of a session carries an index: items by id, and open ones by text. An event takes
# the index from the tuple that it changes, updates it, and passes it to the new tuple. An older tuple has none, and
# gets a new one. So an index is never stale, and not part of any value: equality, repr, JSON and pickling ignore it.

ItemT = TypeVar("ItemT")

INDEX = "_index"
"""The attribute for a tuple's index."""


class Items(Answering, tuple[ItemT, ...]):  # noqa: SLOT001 (it may carry an index)
    """A tuple that may carry an index of itself.

    >>> Items("ab") == ("a", "b"), repr(Items("ab"))
    (True, "('a', 'b')")
    """

    _instead: ClassVar[Mapping[str, str]] = {
        'session.record("…", …); session.call("hud", {"op": "help"}) lists what there is': "append add extend insert push remove pop clear",
        "for item in state[Order], or state[Order][0], without .items": "items",
    }

    def __reduce__(self) -> tuple[object, ...]:
        return tuple, (tuple(self),)


class Index(Generic[ItemT]):
    """The items of one section by key and, if they have one, by text."""

    def __init__(
        self, items: tuple[ItemT, ...], key: str, text: str | None = None, end: End | None = None
    ) -> None:
        self._key, self._text, self._end = key, text, end
        self.items = list(items)
        self.is_changed = False
        """Whether the items differ from those of the original tuple."""
        # Each item has a permanent number; its place is the rank of that number.
        self._numbers = list(range(len(items)))
        self._next = len(items)
        self._by_key: dict[str, list[int]] = {}
        self._by_text: dict[tuple[str, bool], list[int]] = {}
        self._sorted: list[str] | None = None
        for number, item in enumerate(items):
            self._enter(number, item)

    def __contains__(self, key: object) -> bool:
        return key in self._by_key

    def __getitem__(self, number: int) -> ItemT:
        """Return the item with this number."""
        return self.items[bisect_left(self._numbers, number)]

    def with_key(self, key: str) -> list[int]:
        """Return the numbers of the items with this key: usually one, or none."""
        return [*self._by_key.get(key, ())]

    def saying(self, text: str, *, is_open: bool) -> list[int]:
        """Return the numbers of the open items, or the others, with this text, in order."""
        return self._by_text.get((text, is_open), [])

    def beginning(self, start: str) -> Iterator[str]:
        """Yield the keys with this prefix."""
        if self._sorted is None:
            self._sorted = sorted(self._by_key)
        keys = self._sorted
        for place in range(bisect_left(keys, start), len(keys)):
            if not keys[place].startswith(start):
                return
            yield keys[place]

    def append(self, item: ItemT) -> None:
        """Append an item."""
        number, self._next = self._next, self._next + 1
        self._numbers.append(number)
        self._enter(number, item)
        self.items.append(item)
        self.is_changed = True

    def replace(self, number: int, item: ItemT) -> None:
        """Replace an item by one with the same key."""
        place = bisect_left(self._numbers, number)
        self._leave(number, self.items[place])
        self._enter(number, item)
        self.items[place] = item
        self.is_changed = True

    def remove(self, number: int) -> None:
        """Remove an item."""
        place = bisect_left(self._numbers, number)
        self._leave(number, self.items[place])
        del self._numbers[place], self.items[place]
        self.is_changed = True

    def move_to_end(self, number: int, item: ItemT) -> None:
        """Replace an item by one with the same key and text, and move it to the end."""
        place = bisect_left(self._numbers, number)
        last, self._next = self._next, self._next + 1
        del self._numbers[place], self.items[place]
        self._numbers.append(last)
        self.items.append(item)
        _take_last(self._by_key[getattr(item, self._key)], number, last)
        if self._text is not None:
            _take_last(self._by_text[self._says(item)], number, last)
        self.is_changed = True

    def _says(self, item: ItemT) -> tuple[str, bool]:
        is_open = self._end is None or not self._end.has(item)
        return getattr(item, cast("str", self._text)), is_open

    def _enter(self, number: int, item: ItemT) -> None:
        key = getattr(item, self._key)
        if key not in self._by_key and self._sorted is not None:
            insort(self._sorted, key)
        _put_in(self._by_key, key, number)
        if self._text is not None:
            _put_in(self._by_text, self._says(item), number)

    def _leave(self, number: int, item: ItemT) -> None:
        key = getattr(item, self._key)
        _take_out(self._by_key, key, number)
        if key not in self._by_key and self._sorted is not None:
            del self._sorted[bisect_left(self._sorted, key)]
        if self._text is not None:
            _take_out(self._by_text, self._says(item), number)


def taken(items: tuple[ItemT, ...]) -> Index[ItemT] | None:
    """Take the index from a tuple that carries one: the caller then owns it."""
    # Atomic, so that only one of two threads gets it.
    return items.__dict__.pop(INDEX, None) if isinstance(items, Items) else None


def with_index(index: Index[ItemT], items: tuple[ItemT, ...]) -> tuple[ItemT, ...]:
    """Return the items of an index with the index; ``items`` itself if they are the same."""
    if index.is_changed:
        if not index.items:
            return ()  # there is only one empty tuple, and clearing it again changes nothing
        index.is_changed = False
        made: Items[ItemT] = Items(index.items)
        made.__dict__[INDEX] = index
        return made
    if isinstance(items, Items):
        items.__dict__[INDEX] = index
    return items  # pyright: ignore[reportUnknownVariableType]


def _put_in(by: dict[Any, list[int]], name: object, number: int) -> None:
    numbers = by.get(name)
    if numbers is None:
        by[name] = [number]
    else:
        insort(numbers, number)


def _take_out(by: dict[Any, list[int]], name: object, number: int) -> None:
    numbers = by[name]
    if len(numbers) == 1:
        del by[name]
    else:
        del numbers[bisect_left(numbers, number)]


def _take_last(numbers: list[int], number: int, last: int) -> None:
    """Replace a number by one above all others."""
    numbers.remove(number)
    numbers.append(last)


ModelT = TypeVar("ModelT", bound=HudModel)

_set = object.__setattr__
_FIELDS = vars(BaseModel)["__dict__"]
"""The stored fields of a model."""


def with_sections(state: ModelT, **sections: object) -> ModelT:
    """Return the state with other sections; the same object if they are unchanged."""
    changed = {name: value for name, value in sections.items() if getattr(state, name) is not value}
    return replaced(state, changed) if changed else state


def with_values(model: ModelT, **values: object) -> ModelT:
    """Return the model with other values; the same object if they are unchanged."""
    changed = {name: value for name, value in values.items() if getattr(model, name) != value}
    return replaced(model, changed) if changed else model


def validated(model: ModelT) -> ModelT:
    """Return the model after its own validators, if it has any.

    :raises ValidationError: from its validators.
    """
    kind = type(model)
    if not _has_validators(kind):
        return model
    return kind.model_validate({name: getattr(model, name) for name in model.model_fields_set})


@cache
def _has_validators(kind: type[HudModel]) -> bool:
    found = kind.__pydantic_decorators__
    return bool(found.validators or found.field_validators or found.model_validators)


def replaced(model: ModelT, changed: dict[str, object]) -> ModelT:
    """Return ``model_copy(update=changed)``, without its deep inspection: five times as fast."""
    made = object.__new__(type(model))
    _FIELDS.__set__(made, _FIELDS.__get__(model) | changed)
    _set(made, "__pydantic_fields_set__", model.__pydantic_fields_set__ | changed.keys())
    _set(made, "__pydantic_extra__", None)
    _set(made, "__pydantic_private__", None)
    return made


def with_indexes(state: ModelT, fields: Iterable[str]) -> ModelT:
    """Return an equal state whose lists can carry an index, for one that was read or inherited."""
    lists = {name: getattr(state, name) for name in fields}
    return with_sections(state, **{name: Items(one) for name, one in lists.items() if one})


def same_if_equal(old: tuple[ModelT, ...], new: tuple[ModelT, ...]) -> tuple[ModelT, ...]:
    """Return ``old`` if ``new`` contains identical objects in the same order."""
    same = len(old) == len(new) and all(a is b for a, b in zip(old, new, strict=True))
    return old if same else new


# The path of a file as a session has it: relative to the working directory when it lies inside it.
#
# So ``reproduce.py`` and ``/testbed/reproduce.py`` are one file.

DRIVE = re.compile(r"[A-Za-z]:[\\/]")


def path_within(path: str, root: str | None, directory: str | None = None) -> str:
    """Return ``path`` relative to ``root`` if inside it, else in full.

    A relative path is resolved from ``directory``, by default ``root``.

    >>> path_within("/testbed/src/../reproduce.py", "/testbed")
    'reproduce.py'
    >>> path_within("auth.py", "/app", "/app/src"), path_within("/etc/hosts", "/app")
    ('src/auth.py', '/etc/hosts')
    """
    base = _slashes(root) if root else ""
    here = _slashes(directory) if directory else base
    full = _slashes(path)
    if not is_absolute(full) and here:
        full = posixpath.join(here, full)
    full = posixpath.normpath(full)
    around = posixpath.normpath(base).rstrip("/") + "/" if base else ""
    return full[len(around) :] if around and full.startswith(around) else full


def _slashes(path: str) -> str:
    return path.replace("\\", "/") if DRIVE.match(path) else path


def is_absolute(path: str) -> bool:
    """Tell whether a path begins at the root of a file system.

    >>> is_absolute("/app"), is_absolute("C:/app"), is_absolute("app")
    (True, True, False)
    """
    return path.startswith("/") or DRIVE.match(path) is not None


# Payloads of events, built from the fields for authors.
#
# A payload contains what its author can know. A new item may have its own id; otherwise the store creates one. An
# operation on an item has its ``id``. Fields, constraints and descriptions are those of the draft: nothing is defined
# twice, and a value valid for a new item is valid for a changed one.

BaseT = TypeVar("BaseT", bound="Payload")

LARGEST = 2**53 - 1
"""The largest integer that all JSON readers keep exact (RFC 8259, section 6)."""


class Payload(HudModel):
    """What an event says, beyond who said it and when."""

    _is_repaired: ClassVar[bool] = False

    drafted: ClassVar[type[BaseModel] | None] = None
    """The model that it has its fields and rules from, beside an id: what is valid there is valid here."""

    emptied: ClassVar[frozenset[str]] = frozenset()
    """Fields of what a model fills in whose value an empty text takes away."""


class New(Payload):
    """A new item."""

    id: Line | None = None
    """An id of the author's choice; the store makes a short one where there is none."""


class Target(Payload):
    """An operation on one item."""

    id: Line
    """The item's id, the beginning of the id, or the item's exact text."""


class Order(Payload):
    """The items change places."""

    ids: Annotated[tuple[Line, ...], Field(min_length=1)]
    """The items in their new order; those that are not named follow in their old one."""


class MoreWords(Target):
    """More words for an item."""

    text: Line
    """What is added, on a line of its own."""


class Change(Payload):
    """New values for some fields; a field that is not given stays as it is."""

    def values(self) -> dict[str, object]:
        """Return the fields that change, with their new values."""
        given = (name for name in fields_of(type(self)) if name in self.model_fields_set)
        return {name: getattr(self, name) for name in given if name != "id"}

    @model_validator(mode="after")
    def _says_something(self) -> Change:
        if not self.values():
            known = ", ".join(name for name in fields_of(type(self)) if name != "id")
            raise ValueError(f"nothing would change; give at least one of: {known}")
        return self

    @model_serializer(mode="wrap")
    def _only_what_changes(self, write: SerializerFunctionWrapHandler) -> dict[str, object]:
        written = write(self)
        return {name: value for name, value in written.items() if name in self.model_fields_set}


class ItemChange(Change, Target):
    """New values for some fields of an item; a field that is not given stays as it is."""


@lru_cache(maxsize=1_024)
def joined(
    name: str, base: type[BaseT], draft: type[BaseModel] | None, doc: str | None
) -> type[BaseT]:
    """Return a payload with the fields of a draft.

    >>> from hud_components import NoteDraft
    >>> joined("NoteAdd", New, NoteDraft, "A note is kept.")(content="Port 8080")
    NoteAdd(content='Port 8080', id=None)
    """
    bases: tuple[Any, ...] = (base,) if draft is None or issubclass(base, draft) else (base, draft)
    made: type[BaseT] = create_model(name, __base__=bases, __doc__=doc, __module__=base.__module__)
    made.drafted = draft or base
    return made


def changeable(
    name: str, base: type[BaseT], draft: type[BaseModel], doc: str | None
) -> type[BaseT]:
    """Return a payload with all of ``draft``'s fields, none of them required.

    ``null`` is allowed only if the draft allows it, and removes the value.

    >>> from hud_components import NoteDraft
    >>> model = changeable("NoteUpdate", ItemChange, NoteDraft, "A note reads anew.")
    >>> model(id="n-2", content="Port 8080").values()
    {'content': 'Port 8080'}
    """
    fields: dict[str, Any] = {
        field: (_same(info), Field(default=None, json_schema_extra=_without_default))
        for field, info in fields_of(draft).items()
        if field not in fields_of(base)
    }
    made = create_model(name, __base__=base, __doc__=doc, __module__=base.__module__, **fields)
    return described_like(made, draft)


@lru_cache(maxsize=1_024)
def emptiable(change: type[BaseT]) -> type[BaseT]:
    """Return a tool's arguments to change an item, or a value: an empty text removes a part of it.

    In a schema in which everything is required, null means unchanged, so another value replaces the payload's null, for
    each optional field. They are listed by ``emptied``. For an item the schema states it; for a value, the answer to a
    null does.

    >>> from hud_components import DecisionDraft
    >>> payload = changeable("DecisionUpdate", ItemChange, DecisionDraft, "A decision reads anew.")
    >>> asked = emptiable(payload)
    >>> sorted(asked.emptied), asked(id="d-2", label="").values()
    (['label'], {'label': ''})
    """
    of_item = issubclass(change, Target)
    fields: dict[str, Any] = {
        name: (
            _or_empty(info) if of_item else _or_silently_empty(info),
            Field(default=None, json_schema_extra=_without_default),
        )
        for name, info in fields_of(change).items()
        if NoneType in get_args(info.annotation)
    }
    if not fields:
        return change
    made = create_model(
        change.__name__,
        __base__=change,
        __doc__=change.__doc__,
        __module__=change.__module__,
        **fields,
    )
    made.emptied = frozenset(fields)
    return described_like(made, change)


EMPTY = ""
"""The argument that removes a value from an item."""

_EMPTY: Any = Annotated[Literal[""], Field(description="Takes it away.")]


def _or_empty(info: FieldInfo) -> Any:
    # Bounds apply to the value, and not to the empty text.
    value: Any = Annotated[info.annotation, *info.metadata] if info.metadata else info.annotation
    return Annotated[value | _EMPTY, Field(description=info.description)]


def _or_silently_empty(info: FieldInfo) -> Any:
    """Return the type of a field that an empty text also removes, though its schema does not state it."""
    unsaid: Any = SkipJsonSchema
    return Annotated[_same(info) | unsaid[Literal[""]], Field(description=info.description)]


def _same(info: FieldInfo) -> Any:
    return Annotated[info.annotation, Field(description=info.description), *info.metadata]


def _without_default(schema: dict[str, Any]) -> None:
    # The default means "not passed"; a schema with it would invite a null.
    schema.pop("default", None)


class End(NamedTuple):
    """The end of an item: a field, and the values of it with which the item is over.

    >>> from hud_components import Step
    >>> End("completed").has(Step(description="Test", completed=True))
    True
    """

    field: str
    values: tuple[Any, ...] = (True,)

    def has(self, item: object) -> bool:
        """Tell whether an item is over."""
        return getattr(item, self.field, None) in self.values  # a parsed item may lack it

    def word(self, value: object) -> str:
        """Return the word for an item whose field has a value: the choice, or the field that is true.

        >>> End("was_read").word(True), End("status", ("passed", "failed")).word("failed")
        ('was read', 'failed')
        """
        said = self.field if value is True else getattr(value, "value", value)
        return str(said).replace("_", " ")


def choice_of(values: Iterable[Any], said: object) -> Any:
    """Return the value that is meant, also an enum's member by its value, or ``None``.

    >>> choice_of((1, True), True), choice_of(("open", "done"), "closed")
    (True, None)
    """
    for each in values:
        plain = each.value if isinstance(each, Enum) and not isinstance(said, Enum) else each
        if plain == said and isinstance(said, type(plain)) and isinstance(plain, type(said)):
            return each
    return None


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of item."""

    text: str
    """The main field of an item."""

    prefix: str = ""
    """The prefix of the store's ids."""

    end: End | None = None
    """The mark of items that are over; None if they never are."""

    key: str = "id"
    """The field that identifies an item in later events."""

    order: str | None = None
    """The field with an item's place, from 1, or None."""

    says_once: bool = False
    """True if open items have unique texts, whatever their other fields."""

    def index(self, items: tuple[ModelT, ...]) -> Index[ModelT]:
        """Return the index of items of this kind; return it with ``with_index``."""
        return taken(items) or Index(items, self.key, self.text, self.end)

    @property
    def done(self) -> str | None:
        """The field that is true for an item that is over; None without one, or for a choice."""
        return self.end.field if self.end is not None and self.end.values == (True,) else None

    def is_open(self, item: HudModel) -> bool:
        """Tell whether the item is open."""
        return self.end is None or not self.end.has(item)


def duplicate(kind: Kind, index: Index[ModelT], new: New) -> ModelT | None:
    """Return the open item that already contains all of ``new``, if there is one.

    Texts are compared exactly. Empty fields of ``new`` are ignored: a
    decision recorded again without its details is a duplicate, one with other details is not.

    >>> from hud_components import Decision, DecisionsList, DecisionDraft
    >>> from hud_components.folding._items import joined
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
        return index[numbers[0]]
    said = {name: value for name, value in new if name != "id" and value not in ("", None, False)}
    for number in numbers:
        item = index[number]
        if all(getattr(item, name) == value for name, value in said.items()):
            return item
    return None


def known_items(
    kind: Kind, items: Sequence[ModelT], given: Iterable[Mapping[str, object]]
) -> list[ModelT | None]:
    """Return the known item for each given one, by id, or else by text; None for a new one.

    By text, an item that is over matches only if the given one states whether it is.

    >>> from hud_components import NextSteps, Step
    >>> steps = Step(id="s-2", description="Test"), Step(id="s-3", description="Ship", completed=True)
    >>> told = [{"description": "Test"}, {"description": "Ship"}, {"id": "s-3", "description": "Ship it"}]
    >>> [item and item.id for item in known_items(NextSteps.kind, steps, told)]
    ['s-2', None, 's-3']
    """
    by_key = {getattr(item, kind.key): item for item in items}
    told = [*given]
    named = {str(each.get(kind.key)) for each in told}
    free: dict[object, list[ModelT]] = {}
    for item in sorted(items, key=kind.is_open, reverse=True):
        if getattr(item, kind.key) not in named:
            free.setdefault(getattr(item, kind.text), []).append(item)
    found: list[ModelT | None] = []
    for each in told:
        alike = free.get(each.get(kind.text), [])
        if str(each.get(kind.key)) in by_key:
            found.append(by_key[str(each[kind.key])])
        elif alike and (
            kind.is_open(alike[0]) or (kind.end is not None and kind.end.field in each)
        ):
            found.append(alike.pop(0))
        else:
            found.append(None)
    return found


def made_id(kind: Kind, version: int, taken: Container[str], place: int | None = None) -> str:
    """Return the short id of an item: its prefix, and the version of the event that creates it.

    ``place`` distinguishes the items of one event. An id used by an author is skipped.

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
    """Return the items, each with a unique id; the same object if they have them.

    An item gets a new id if it has none, or that of an earlier item.

    >>> from hud_components.declaring import PlainItem
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
    """Yield the free ids of :func:`made_id` in order, checking each once."""
    base = f"{kind.prefix}-{version}"
    every = chain((base,), (f"{base}.{number}" for number in count(1)))
    return (each for each in every if each not in taken)


def numbered(kind: Kind, items: Iterable[ModelT]) -> tuple[ModelT, ...]:
    """Return the items with their places, from 1, if this kind stores them."""
    if kind.order is None:
        return tuple(items)
    return tuple(
        with_values(item, **{kind.order: place}) for place, item in enumerate(items, start=1)
    )


# The source of an item's words, stored with the item if its model has fields for it.

TRUST: tuple[Actor, ...] = ("user", "agent", "host", "tool")
"""The actors in order of trust: a tool's output may be anybody's."""


def least_trusted(*actors: Actor) -> Actor:
    """Return the least trusted actor: a combination is only as trusted as its worst source.

    >>> least_trusted("agent", "tool", "user")
    'tool'
    """
    return max(actors, key=TRUST.index)


def said_now(model: Any, moment: Moment) -> dict[str, Any]:
    """Return the source fields for this moment; none if they are not stored."""
    tells_own = getattr(model, "tells_own", None)  # faster than issubclass, for each new item
    if tells_own is None:
        return {}
    if moment.actor == "agent" and not tells_own:
        return _OWN
    return {"said_by": moment.actor, "said_in": moment.turn, "said_at": moment.version}


_OWN: dict[str, Any] = {name: fields_of(HudValue)[name].default for name in SOURCE}
"""The source fields of the agent's own words in models that only record other sources."""


def with_sources(section: Any, before: Any, after: Any, moment: Moment) -> Any:
    """Return the result of an author's function for a section's value, with sources filled in.

    New items have the current source; changed words stay as untrusted as before, and new items that replace others may
    be derived from them. The place in the list, and whether an item is over, are not words.
    """
    model = section.value
    if not issubclass(model, HudValue):
        return after
    if section.kind is None:
        return after and _with_source(section, before, after, moment)
    # Unchanged items cost nothing: sessions have hundreds of files.
    key = attrgetter(section.kind.key)
    old = dict(zip(map(id, before), before, strict=True))
    made = dict(zip(map(id, after), after, strict=True))
    new = {number: made[number] for number in made.keys() - old.keys()}
    if not new:
        return after
    left = {key(old[number]): old[number] for number in old.keys() - made.keys()}
    keys = {key(item) for item in new.values()}
    gone = [item.said_by for name, item in left.items() if name not in keys]
    told = {
        number: _with_source(section, left.get(key(item)), item, moment, gone)
        for number, item in new.items()
    }
    if all(told[number] is item for number, item in new.items()):
        return after
    return tuple(told.get(id(item), item) for item in after)


def _with_source(
    section: Any, before: Any, after: Any, moment: Moment, gone: Sequence[Actor] = ()
) -> Any:
    given = [after.said_by] if "said_by" in after.model_fields_set else []
    if before is None:
        given += gone
    elif _words(section, before) == _words(section, after):
        return after
    else:
        given.append(before.said_by)
    by = moment._replace(actor=least_trusted(*given, moment.actor))
    return with_values(after, **said_now(type(after), by))


def _words(section: Any, item: HudModel) -> dict[str, Any]:
    """Return an item's words, without source, place, or whether it is over."""
    kind = section.kind
    aside = {*SOURCE} if kind is None else {*SOURCE, kind.done, kind.order}
    values: dict[str, Any] = vars(item)
    return {name: value for name, value in values.items() if name not in aside}


def said_anew(before: Any, moment: Moment) -> dict[str, Any]:
    """Return the source fields of an item with changed words, some of which may be old."""
    if not isinstance(before, HudValue):
        return {}
    by = least_trusted(before.said_by, moment.actor)
    return said_now(type(before), moment._replace(actor=by))


def said_again(before: ModelT, moment: Moment, **values: object) -> ModelT:
    """Return the model with other words; the same object if they are unchanged."""
    after = with_values(before, **values)
    return after if after is before else with_values(after, **said_anew(before, moment))


def report(
    kind: Kind, index: Index[ModelT], model: type[ModelT], key: str, moment: Moment, **words: Any
) -> int | None:
    """Give the item with a key other words, or add one; return the number of the known one."""
    numbers = index.with_key(key)
    if not numbers:
        index.append(model(**{kind.key: key}, **words, **said_now(model, moment)))
        return None
    known = index[numbers[0]]
    after = said_again(known, moment, **words)
    if after is not known:
        index.replace(numbers[0], after)
    return numbers[0]


def changed_where(
    items: tuple[ModelT, ...], is_meant: Callable[[ModelT], bool], **values: object
) -> tuple[ModelT, ...]:
    """Return items with other values in some of them; the same object if they are unchanged."""
    after = (with_values(each, **values) if is_meant(each) else each for each in items)
    return same_if_equal(items, tuple(after))
