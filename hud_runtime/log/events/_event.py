"""Events as data: drafts, envelopes, and what is wrong with one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeAlias, cast

from pydantic import BaseModel, Field, SerializeAsAny, ValidationError, model_serializer
from pydantic_core import ErrorDetails

from hud_components import Actor, CodingEvent, HudModel, Milliseconds
from hud_components.folding import LARGEST, Payload
from hud_runtime._errors import EventError
from hud_runtime._limits import Limits
from ujsx import FrozenMapping
from ujsx.components import fields_of, first_text
from ujsx.errors import complaint, did_you_mean, is_raised, listed, quoted, shown

if TYPE_CHECKING:
    from hud_runtime.log.events._catalog import EventCatalog

# The types of events, as far as type checkers and editors can know them.

EventType: TypeAlias = CodingEvent | str
"""The type of an event: what a domain's sections declare, and what every session has."""


# An event before the store has taken it: no id, no version, perhaps no time; and whether it is too long.


class Validated(Mapping[str, object]):
    """The fields that a model was given, as a payload that is not validated a second time.

    >>> from hud_components import NoteDraft
    >>> dict(Validated(NoteDraft(content="Port 8080")))
    {'content': 'Port 8080'}
    """

    def __init__(self, model: BaseModel) -> None:
        self.model = model

    def __getitem__(self, name: str) -> object:
        if name not in self.model.model_fields_set:
            raise KeyError(name)
        return getattr(self.model, name)

    def __iter__(self) -> Iterator[str]:
        given = self.model.model_fields_set
        return (name for name in fields_of(type(self.model)) if name in given)

    def __len__(self) -> int:
        return len(self.model.model_fields_set)

    def given(self) -> dict[str, object]:
        """Return the fields by name, in the model's order."""
        values = vars(self.model)
        return {name: values[name] for name in self}


@dataclass(frozen=True, slots=True)
class EventDraft:
    """The argument of :meth:`HudSession.record`, as a value.

    >>> EventDraft("note.add", {"content": "Port 8080"}).actor
    'agent'
    """

    type: EventType
    """What kind of thing happened."""

    payload: Mapping[str, object]
    """What exactly; checked against the type's model when it is recorded."""

    turn: int | None = None
    """The agent's turn; None means that of the event before."""

    timestamp: int | None = None
    """When, in milliseconds since the epoch; None means when it is recorded."""

    actor: Actor = "agent"
    """Who says it."""


Place: TypeAlias = tuple[str | int, ...]


def check_size(event_type: str, value: BaseModel, limits: Limits) -> None:
    """Refuse a payload, or a whole event, that has a text above the limit.

    :raises EventError: that names the field, its size, and what raises the limit.

    >>> from hud_runtime.log.events import PAYLOADS
    >>> check_size("note.add", PAYLOADS["note.add"](content="Port 8080"), Limits(text=5))
    Traceback (most recent call last):
    hud_runtime._errors.EventError: note.add: the field "content" has 9 characters, and 5 is the limit; UJSX_MAX_TEXT or Limits(text=…) raises it
    """
    found = _too_long(value, limits.text)
    if found is not None:
        place, size = found
        name = ".".join(map(str, place))
        raise EventError(f'{event_type}: the field "{name}" {limits.refusal("text", size)}')


Holder: TypeAlias = "BaseModel | tuple[object, ...] | FrozenMapping[str, object]"


def _too_long(value: Holder, limit: int) -> tuple[Place, int] | None:
    """The place of the first text above the limit, and its size."""
    parts: Iterable[tuple[str | int, object]]
    if isinstance(value, tuple):
        parts = enumerate(value)
    else:
        parts = value.__dict__.items() if isinstance(value, BaseModel) else value.items()
    for name, part in parts:
        if isinstance(part, str):
            if len(part) > limit:
                return (name,), len(part)
        elif isinstance(part, (BaseModel, tuple, FrozenMapping)):
            within = cast("Holder", part)
            if (found := _too_long(within, limit)) is not None:
                place, size = found
                return (name, *place), size
    return None


class Event(HudModel):
    """Something that happened in a session, as it stands in the log."""

    _made_by: ClassVar[str] = 'session.record("…", …), or EventDraft("…", {…})'

    id: Annotated[str, Field(min_length=1)]
    """Unique, and ordered by the time at which the store took it (a UUID of version 7)."""

    session_id: Annotated[str, Field(min_length=1)]
    """The session it belongs to."""

    version: Annotated[int, Field(ge=1)]
    """Its place in the session: 1, 2, 3 … without a gap."""

    turn: Annotated[int, Field(ge=0, le=LARGEST)]
    """The agent's turn in which it happened; 0 before the first."""

    timestamp: Annotated[Milliseconds, Field(le=LARGEST)]
    """When it happened."""

    actor: Actor
    """Who says it."""

    type: str
    """What kind of thing happened."""

    payload: SerializeAsAny[Payload]
    """What exactly; its class follows from the type."""


# The explanation of an event's invalid data: one sentence that says what to write instead.

SHOWN = 80
"""Characters of a wrong value that a message repeats."""


def explain(event_type: str, model: type[BaseModel], error: ValidationError) -> str:
    """Return one sentence for the most telling of Pydantic's complaints.

    An unknown field comes first: what is missing is most often what was misspelt.
    """
    details = sorted(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
    return f"{event_type}: {_sentence(details[0], model)}"


def _sentence(detail: ErrorDetails, model: type[BaseModel]) -> str:
    name = ".".join(map(str, detail["loc"]))
    place = quoted(name)
    match detail["type"]:
        case "extra_forbidden":
            hint = did_you_mean(str(detail["loc"][-1]), fields_of(model))
            return f"unknown field {place}; {hint}"
        case "missing":
            return f"the field {place} is missing"
        case _ if is_raised(detail):
            return complaint(detail)
        case "string_type" if isinstance(detail["input"], list | tuple):
            each = shown(cast("object", detail["input"]), width=SHOWN)
            return f"the field {place} is of one item; record an event for each of {each}"
        case "string_unicode":
            return no_text(name, detail["input"])
        case "string_too_long":
            return f"the field {place} {too_long(detail)}"
        case _:
            message = detail["msg"][:1].lower() + detail["msg"][1:]
            return f"the field {place} is {shown(detail['input'], width=SHOWN)}: {message}"


def too_long(detail: ErrorDetails) -> str:
    """Return how long a text is, and how long it may be."""
    most = detail.get("ctx", {})["max_length"]
    return f"has {len(detail['input']):,} characters, and holds {most:,} at most"


def no_text(place: str, value: object) -> str:
    r"""Return the sentence for a field whose text no file can hold.

    >>> print(no_text("details", "a\ud83d"))
    the field "details" is 'a\ud83d', which is not Unicode text: half of a surrogate pair, or a byte that is not UTF-8, stands for no character
    """
    what = f"the field {quoted(place)}" if place else "the name of a field"
    return (
        f"{what} is {shown(value, width=SHOWN)}, which is not Unicode text: half of a surrogate pair, or a byte"
        " that is not UTF-8, stands for no character"
    )


# The values that callers give for events: drafts, or a type with a text; for anything else, the line to write.


def not_drafts(given: Iterable[object]) -> EventError:
    """Return the refusal of what is no list of drafts, with the line to write.

    >>> print(not_drafts([("note.add", {"content": "Port 8080"})]))
    record_all takes a list of drafts; write [EventDraft("note.add", {'content': 'Port 8080'})]
    """
    several = [*given]
    others = (each for each in several if not isinstance(each, EventDraft))
    kind, fields = _parts(next(others, several[0]))
    line = f"[EventDraft({kind}, {shown(fields) if fields else '{…}'})]"
    return EventError(f"record_all takes a list of drafts; write {line}")


def draft_of(
    catalog: EventCatalog,
    given: tuple[object, object, Mapping[str, object]],
    turn: int | None,
    timestamp: int | None,
    actor: Actor,
) -> EventDraft:
    """Return the draft of an event that was given by its type, a text and fields; or whole, in place of the type.

    :raises EventError: as :func:`payload_of` does, and for what is no draft, with the line to write.
    """
    event_type, text, payload = given
    if isinstance(event_type, EventDraft) and text is None and not payload:
        return event_type
    if isinstance(event_type, Mapping) and text is None and not payload:
        whole = dict(cast("Mapping[str, Any]", event_type))
        event_type, text = whole.pop("type", None), whole.pop("payload", None)
        if text is None:
            payload = whole
        elif whole:  # an id, a turn, a time: an event that there is already
            raise EventError(f"an event has no {listed([*whole])} here; write {line_of(given[0])}")
    if not isinstance(event_type, str):
        raise EventError(f"the type of an event comes first, as a text; write {line_of(given[0])}")
    fields = payload if text is None else payload_of(catalog, event_type, text, payload)
    return EventDraft(event_type, fields, turn, timestamp, actor)


def payload_of(
    catalog: EventCatalog, event_type: str, text: object, payload: Mapping[str, object]
) -> Mapping[str, object]:
    """Return the fields of a payload, the one that a text stands for, or those of a mapping, among them.

    :raises EventError: where a text cannot stand for one, or others are required, too, with the line to write.
    """
    if isinstance(text, Mapping):
        fields = cast("Mapping[object, object]", text)
        return {**{str(name): each for name, each in fields.items()}, **payload}
    event_type = catalog.known(event_type)
    model = catalog[event_type]
    field, given = first_text(model), catalog.spelt(EventDraft(event_type, payload)).payload
    if field is None or field in given:
        known = ", ".join(f"{name}=…" for name in fields_of(model))
        raise EventError(f"{event_type}: a text alone does not fit; its fields are {known}")
    if isinstance(text, Sequence) and not isinstance(text, str):
        several: object = cast("object", text)
        line = f"EventDraft({quoted(event_type)}, {{{quoted(field)}: each}}) for each in {shown(several)}"
        raise EventError(f"{event_type}: one event is about one item; write record_all({line})")
    needed = [name for name, each in fields_of(model).items() if each.is_required()]
    lacks = [each for each in needed if each not in {field, *given}]
    if lacks:
        line = line_of((event_type, {field: text, **payload}), lacks)
        raise EventError(f"{event_type} also requires {listed(lacks)}; write {line}")
    return {field: text, **payload}


def line_of(given: object, lacks: Iterable[str] = ()) -> str:
    """Return the line that records what somebody gave for an event.

    :param lacks: fields that have no value yet.

    >>> print(line_of({"type": "note.add", "content": "Port 8080"}))
    record("note.add", content='Port 8080')
    """
    kind, fields = _parts(given)
    said = [f"{name}={shown(value)}" for name, value in fields.items()]
    return f"record({', '.join([kind, *said, *(f'{name}=…' for name in lacks)])})"


def _parts(given: object) -> tuple[str, Mapping[str, Any]]:
    """The type and the fields of what somebody gave for an event, as far as they can be told."""
    parts: Any = (given,)
    if isinstance(given, EventDraft):
        parts = (given.type, given.payload)
    elif isinstance(given, Mapping):
        named = cast("Mapping[str, Any]", given)
        rest = {key: each for key, each in named.items() if key not in {"type", "payload"}}
        parts = (named.get("type"), named.get("payload", rest))
    elif isinstance(given, tuple):
        parts = cast("Any", given)
    kind, fields = cast("tuple[Any, Any]", (*parts, None, None)[:2])
    return (
        quoted(kind if isinstance(kind, str) else _example()),
        cast("Mapping[str, Any]", fields) if isinstance(fields, Mapping) else {},
    )


def _example() -> str:
    """A type of event that stands for any."""
    from hud_components import CODING

    section = CODING.fields[CODING.example or ""]
    return next(name for name, each in CODING.happenings.items() if each.section is section)


# The stored form of an event that its domain cannot read, or not any more: JSON.


class Stored(Payload):
    """Kept as it is, and counted when a state is folded; `ujsx doctor` names it.

    >>> Stored(text='{"what": "Restart"}').model_dump()
    {'what': 'Restart'}
    """

    text: str
    """The payload's JSON."""

    reason: str = ""
    """Why it cannot be read."""

    def data(self) -> Any:
        """Return the payload as data; None for one that is nested too deeply for Python to read."""
        try:
            return json.loads(self.text)
        except RecursionError:
            return None

    @model_serializer(mode="plain")
    def _as_it_is(self) -> Any:
        return json.loads(self.text)
