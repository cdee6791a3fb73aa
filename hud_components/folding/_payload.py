"""Payloads of events, made of the fields that an author can fill in.

A payload holds what its author can know. A new item may bring an id of its own; otherwise the
store makes one. An operation on an item names it by ``id``. Fields, constraints and descriptions
are those of the draft: nothing is written twice, and what is valid for a new item is valid for a
changed one.
"""

from __future__ import annotations

from functools import lru_cache
from types import NoneType
from typing import Annotated, Any, ClassVar, Literal, TypeVar, get_args

from pydantic import (
    BaseModel,
    Field,
    SerializerFunctionWrapHandler,
    create_model,
    model_serializer,
    model_validator,
)
from pydantic.fields import FieldInfo

from hud_components._models import HudModel, Line
from ujsx.components import described_like, fields_of

BaseT = TypeVar("BaseT", bound="Payload")

LARGEST = 2**53 - 1
"""The largest number that JSON readers everywhere keep exact (RFC 8259, section 6)."""


class Payload(HudModel):
    """What an event says, beyond who said it and when."""

    is_repaired: ClassVar[bool] = False

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


class Words(Target):
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

    ``null`` is allowed only where the draft allows it: there it takes the value away.

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
    """Return what a model fills in to change an item: an empty text takes a value away.

    In a schema in which everything is required null says "as it was", so another word is needed where the payload has null:
    for each field that may be missing from an item. They are named by ``emptied``.

    >>> from hud_components import DecisionDraft
    >>> payload = changeable("DecisionUpdate", ItemChange, DecisionDraft, "A decision reads anew.")
    >>> asked = emptiable(payload)
    >>> sorted(asked.emptied), asked(id="d-2", label="").values()
    (['label'], {'label': ''})
    """
    fields: dict[str, Any] = {
        name: (
            Annotated[
                info.annotation | _EMPTY, Field(description=info.description), *info.metadata
            ],
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
"""What a model sends for a value that an item is not to have any more."""

_EMPTY: Any = Annotated[Literal[""], Field(description="Takes it away.")]


def _same(info: FieldInfo) -> Any:
    return Annotated[info.annotation, Field(description=info.description), *info.metadata]


def _without_default(schema: dict[str, Any]) -> None:
    # The default stands for "not given"; a schema that showed it would invite a null.
    schema.pop("default", None)
