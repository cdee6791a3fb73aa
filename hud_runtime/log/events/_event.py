"""Events as data: drafts, envelopes, the models of their payloads, and readers."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, is_dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import Annotated, Any, ClassVar, Literal, TypeAlias, Union, cast

from pydantic import (
    BaseModel,
    Field,
    SerializeAsAny,
    TypeAdapter,
    ValidationError,
    create_model,
    model_serializer,
)
from pydantic_core import ErrorDetails

from hud_components import CODING, CodingEvent, Domain, HudSection, Line, State
from hud_components.declaring import (
    OPENS_NONE,
    Actor,
    HudModel,
    Meant,
    Milliseconds,
    PlainItem,
    SpelledName,
    Spellings,
    respelt,
    value_shown,
    verbs_of,
)
from hud_components.folding import LARGEST, Add, Payload, Set
from hud_runtime._errors import EventError
from hud_runtime._limits import Limits
from ujsx import FrozenMapping
from ujsx.calls import as_meant
from ujsx.components import described_like, fields_of, first_text
from ujsx.errors import (
    UjsxError,
    complaint,
    did_you_mean,
    is_raised,
    listed,
    mistakes_of,
    quoted,
    shown,
)

# The types of events, as far as type checkers and editors can know them.

EventType: TypeAlias = CodingEvent | str
"""The type of an event: one that a domain's sections declare, or that all sessions have."""


# The first event of a session.


class SessionStart(Payload):
    """A session begins: always its first event, so that the log alone tells the state."""

    project: Line | None = None
    """The project it works on."""

    title: Line | None = None
    """What the session is called."""

    parent: Line | None = None
    """The session that started this one."""

    parent_version: Annotated[int, Field(ge=0)] | None = None
    """The parent's version whose state is inherited."""

    inherited: State | None = None
    """What the session starts with: the project's defaults, and the parent's state."""


def session_start(domain: Domain[Any]) -> type[SessionStart]:
    """Return the model of the first event of a domain's sessions; it names every domain but coding."""
    fields: dict[str, Any] = {"inherited": (domain.state | None, None)}
    if domain.name != CODING.name:
        literal: Any = Literal  # for type checkers, which know it only in annotations
        named = Field(default=domain.name, description="The domain that the session belongs to.")
        fields["domain"] = (literal[domain.name], named)
    doc = SessionStart.__doc__
    made = create_model("SessionStart", __base__=SessionStart, __doc__=doc, **fields)
    return described_like(made, SessionStart)


# An event before it is recorded: no id, no version, perhaps no time; and the check of its size.


class ValidatedFields(Mapping[str, object]):
    """The fields passed to a model, as a payload that is not validated again.

    >>> from hud_components import NoteDraft
    >>> dict(ValidatedFields(NoteDraft(content="Port 8080")))
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
    """The arguments of :meth:`HudSession.record`, as a value.

    >>> EventDraft("note.add", {"content": "Port 8080"}).actor
    'agent'
    """

    type: EventType
    """The type of the event."""

    payload: Mapping[str, object]
    """The fields, validated against the type's model on recording."""

    turn: int | None = None
    """The agent's turn; None means that of the last event."""

    timestamp: int | None = None
    """The time in milliseconds since the epoch; None means the time of recording."""

    actor: Actor = "agent"
    """The source of the event."""


Place: TypeAlias = tuple[str | int, ...]


def check_size(event_type: str, value: BaseModel, limits: Limits) -> None:
    """Check that a payload, or a whole event, has no text above the limit.

    :raises EventError: with the field, its size, and the variable that raises the limit.

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
    """Return the place of the first text above the limit, and its size."""
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

    _also: ClassVar[Mapping[str, str]] = {
        "payload": "data body args arguments fields",
        "timestamp": "time createdat date ts at recordedat",
        "version": "seq sequence number position index revision offset",
        "type": "kind eventtype",
    }

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

    def _stands_for(self, name: str) -> str | None:
        fields = fields_of(type(self.payload))
        own = "id" if name in {"item_id", "itemId"} else name
        return f"payload.{own}" if own in fields else None


# The explanation of an event's invalid data: one sentence with the fix.

SHOWN = 80
"""Characters of a wrong value in a message."""


def explain(event_type: str, model: type[BaseModel], error: ValidationError) -> str:
    """Return one sentence for the most useful of Pydantic's errors.

    An unknown field comes first: it is mostly the misspelled name of a missing one.
    """
    details = sorted(mistakes_of(error), key=lambda one: one["type"] != "extra_forbidden")
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
    """Return the sentence about a text's length, and its limit."""
    most = detail.get("ctx", {})["max_length"]
    return f"has {len(detail['input']):,} characters, and holds {most:,} at most"


def no_text(place: str, value: object) -> str:
    r"""Return the sentence about a field's text that no file can hold.

    >>> print(no_text("details", "a\ud83d"))
    the field "details" is 'a\ud83d', which is not Unicode text: half of a surrogate pair, or a byte that is not UTF-8, stands for no character
    """
    what = f"the field {quoted(place)}" if place else "the name of a field"
    return (
        f"{what} is {shown(value, width=SHOWN)}, which is not Unicode text: half of a surrogate pair, or a byte"
        " that is not UTF-8, stands for no character"
    )


# The forms of events that callers pass: drafts, or a type with a text. Other values get an error
# with the line to write.


def not_drafts(given: Iterable[object]) -> EventError:
    """Return the error for a value that is not a list of drafts, with the line to write.

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
    """Return the draft of an event passed as type, text and fields, or as a whole in place of the type.

    :raises EventError: as :func:`payload_of` does, and for a value that is not a draft, with the line to
        write.
    """
    event_type, text, payload = given
    if isinstance(event_type, EventDraft) and text is None and not payload:
        return event_type
    if isinstance(event_type, Mapping) and text is None and not payload:
        whole = dict(cast("Mapping[str, Any]", event_type))
        event_type, text = whole.pop("type", None), whole.pop("payload", None)
        if text is None:
            payload = whole
        elif whole:  # an id, a turn or a time: an existing event
            raise EventError(f"an event has no {listed([*whole])} here; write {line_of(given[0])}")
    if text is None and not payload and (said := _fields_of_item(given[0])) is not None:
        event_type, payload = _type_of_item(catalog, given[0]), said
    if not isinstance(event_type, str):
        raise EventError(f"the type of an event comes first, as a text; write {line_of(given[0])}")
    fields = payload if text is None else payload_of(catalog, event_type, text, payload)
    return EventDraft(event_type, fields, turn, timestamp, actor)


def _fields_of_item(given: object) -> dict[str, Any] | None:
    """Return the fields set in an item or a value: a model or a dataclass; None for anything else."""
    item: Any = given
    names: Iterable[str] = ()
    if isinstance(given, BaseModel) and not isinstance(given, Event):
        names = given.model_fields_set
    elif is_dataclass(given) and not isinstance(given, type):
        names = item.__dataclass_fields__
    return {name: getattr(item, name) for name in names} or None


def _type_of_item(catalog: EventCatalog, item: object) -> str:
    """Return the type of the event that adds an item, or sets a value.

    :raises EventError: for an item of no section, or of several, with the line for each.
    """
    kind, found, others = type(item), dict[str, str](), list[str]()
    for name, each in catalog.domain.section_events.items():
        value: Any = each.section.value
        is_kind = (value.__module__, value.__name__) == (kind.__module__, kind.__name__)
        if is_kind and isinstance(each.verb, Add | Set):
            found.setdefault(each.section.field, name)
        elif is_kind:
            others.append(name)
    if len(found) == 1:
        return next(iter(found.values()))
    lines = [f"record({quoted(name)}, {kind.__name__}(…))" for name in found.values()]
    if not lines and others:
        fields = fields_of(catalog[others[0]])
        needed = [name for name, info in fields.items() if info.is_required()]
        said = {name: getattr(item, name) for name in needed if hasattr(item, name)}
        line = line_of((others[0], said), [name for name in needed if name not in said])
        more = f"; its events are {listed(others)}" if others[1:] else ""
        raise EventError(f"{kind.__name__} is what its events make of it; write {line}{more}")
    if not lines:
        sections = listed([each.name for each in catalog.domain.fields.values()])
        raise EventError(
            f"no section lists {kind.__name__}; known: {sections}{_of_own_domain(catalog.domain)}"
        )
    raise EventError(f"{kind.__name__} is of {len(found)} sections; write {' or '.join(lines)}")


def payload_of(
    catalog: EventCatalog, event_type: str, text: object, payload: Mapping[str, object]
) -> Mapping[str, object]:
    """Return the fields of a payload, including the one from ``text``, or those of a mapping.

    A text is the first required text, and any value the only field that is required.

    :raises EventError: where the type has no text field, or requires others, with the line to write.
    """
    if isinstance(text, Mapping):
        fields = cast("Mapping[object, object]", text)
        return {**{str(name): each for name, each in fields.items()}, **payload}
    event_type = catalog.known(event_type)
    model = catalog[event_type]
    if isinstance(text, PlainItem) and first_text(model) == "id":
        text = text.id
    if (said := _fields_of_item(text)) is not None:
        taken = fields_of(model)
        return {**{name: each for name, each in said.items() if name in taken}, **payload}
    field, given = first_text(model), catalog.spelt(EventDraft(event_type, payload)).payload
    needed = [name for name, each in fields_of(model).items() if each.is_required()]
    left = [name for name in needed if name not in given]
    if field is None and len(left) == 1:
        [field] = left  # a number, a date
    if field is None or field in given:
        known = ", ".join(f"{name}=…" for name in fields_of(model))
        raise EventError(f"{event_type}: a text alone does not fit; its fields are {known}")
    if isinstance(text, Sequence) and not isinstance(text, str):
        several: object = cast("object", text)
        line = f"EventDraft({quoted(event_type)}, {{{quoted(field)}: each}}) for each in {shown(several)}"
        raise EventError(f"{event_type}: one event is about one item; write record_all({line})")
    lacks = [each for each in left if each != field]
    if lacks:
        line = line_of((event_type, {field: text, **payload}), lacks)
        raise EventError(f"{event_type} also requires {listed(lacks)}; write {line}")
    return {field: text, **payload}


def line_of(given: object, lacks: Iterable[str] = ()) -> str:
    """Return the line that records the event that a caller passed.

    :param lacks: required fields without a value.

    >>> print(line_of({"type": "note.add", "content": "Port 8080"}))
    record("note.add", content='Port 8080')
    """
    kind, fields = _parts(given)
    said = [f"{name}={shown(value)}" for name, value in fields.items()]
    return f"record({', '.join([kind, *said, *(f'{name}=…' for name in lacks)])})"


def _parts(given: object) -> tuple[str, Mapping[str, Any]]:
    """Return the type and the fields in a caller's value, as far as possible."""
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
    """Return an example of an event type."""
    from hud_components import CODING

    section = CODING.fields[CODING.example or ""]
    return next(name for name, each in CODING.section_events.items() if each.section is section)


# The stored form of an event that its domain cannot read: JSON.


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
        """Return the payload as data; None if it is nested too deeply for Python to read."""
        try:
            return json.loads(self.text)
        except RecursionError:
            return None

    @model_serializer(mode="plain")
    def _as_it_is(self) -> Any:
        return json.loads(self.text)


Reader: TypeAlias = tuple[type[Event], Callable[[str], Any]]
"""The model of a type's events, and the parser of its JSON payload."""

_FIRST = ("session.start", "session.title", "session.look")

_LAST = (
    "section.clear", "section.replace", "section.pin", "section.fold", "section.reset",
    "context.snapshot", "context.intervention", "compact.before", "compact.after", "compact.failed",
    "layout.set", "layout.reset",
)  # fmt: skip

_OF_THE_STORE = ("event.erase", "session.domain")
"""The events that only the store records."""


def _of_own_domain(domain: Domain[Any]) -> str:
    """Return the end of a message about a section that the coding HUD does not have; empty for another domain's."""
    line = "; pass your own domain to the store: HudStore.open(…, domain=…)"
    return line if domain is CODING else ""


class EventCatalog(Mapping[str, type[Payload]]):
    """The payload models of a domain's events, by type. Each is built on first use.

    >>> catalog = catalog_of(CODING)
    >>> catalog["note.add"].__name__, len(catalog)
    ('NoteAdd', 44)
    """

    def __init__(self, domain: Domain[Any]) -> None:
        self.domain = domain
        self.types = (*_FIRST, *domain.section_events, *_LAST)
        """All types: the domain's, between those that all sessions have."""
        self._types = frozenset(self.types)
        self._payloads: dict[str, type[Payload]] = {}
        self._models: dict[str, type[Event]] = {}
        self._readers: dict[str, Reader] = {}

    def __getitem__(self, event_type: str) -> type[Payload]:
        found = self._payloads.get(event_type)
        return self._build(event_type) if found is None else found

    def _build(self, event_type: str) -> type[Payload]:
        current = self.domain.current_type(event_type)
        if current in self.domain.section_events:
            made = self.domain.payload(current)
        elif current == "session.start":
            made = session_start(self.domain)
        elif current in {*_FIRST, *_LAST, *_OF_THE_STORE}:
            from hud_runtime.log.events._about import model_of  # most sessions need none soon

            made = model_of(self.domain, current)
        else:
            raise KeyError(event_type)
        return self._payloads.setdefault(event_type, made)

    def __contains__(self, event_type: object) -> bool:
        return event_type in self._types

    def __iter__(self) -> Iterator[str]:
        return iter(self.types)

    def __len__(self) -> int:
        return len(self.types)

    def known(self, name: object, given: Collection[str] = ()) -> str:
        """Return the event type for ``name``, which may be spelled as in operations.

        :param given: the names in the payload.

        Raises :class:`EventError` with the nearest types.

        >>> catalog_of(CODING).known("notes.add")
        'note.add'
        >>> catalog_of(CODING).known("note.ad")
        Traceback (most recent call last):
        hud_runtime._errors.EventError: unknown event type "note.ad"; did you mean "note.add", or note.update?
        """
        if isinstance(name, str) and name in self._types:
            return name
        if not isinstance(name, str):
            raise EventError(f"the type of an event comes first, as a text; write {line_of(name)}")
        if name in _OF_THE_STORE:
            call = "erase(session, version)" if name == "event.erase" else "move(session, domain)"
            raise EventError(f"{name}: only the store records it: store.{call}")
        meant, hint = self._meant(name)
        if meant in self._types:
            return str(meant)
        head = name.rpartition(".")[0]
        sections = [each.name for each in self.domain.fields.values()]
        if meant is not None:
            section = self._anew[meant]
            hint = f'did you mean "section.replace" with {section.field}=[…]?'
            adds = [each.type_of(section) for each in verbs_of(section) if isinstance(each, Add)]
            is_list = head in (section.name, section.event)
            if adds and not (is_list and fields_of(section.draft).keys().isdisjoint(given)):
                kind = section.value.__name__
                hint = f"did you mean {quoted(adds[0])}? For one value alone, declare class {kind}(HudValue)"
        heads = (*sections, *(each.partition(".")[0] for each in self.types))
        near = [each for each in self.types if name.startswith(each.partition(".")[0])]
        if near and self.domain.section_events.keys().isdisjoint(near):
            hint = f"did you mean {' or '.join(map(quoted, near))}?"
        elif head and not did_you_mean(head, heads).startswith("did"):
            hint = f"no section is called {quoted(head)}; known: {listed(sorted(sections))}"
            hint += _of_own_domain(self.domain)
        hint = hint or did_you_mean(name, self.types)
        if hint.endswith(OPENS_NONE):  # which only the author of the section can change
            hint = f'{hint}; declare Mark("reopen", done=False)'
        if name.endswith((".complete", ".done")) and head in sections:
            hint = f"{hint}; its items can be completed if a yes/no field of theirs is called done"
        raise EventError(f"unknown event type {quoted(name)}; {hint}")

    def line_for(self, name: str) -> str:
        """Return the call that records ``name``; empty for an unknown name.

        >>> catalog_of(CODING).line_for("notes.create"), catalog_of(CODING).line_for("notes.set")
        ('session.record("note.add", …)', 'session.record("section.replace", notes=[…])')
        """
        meant = self._meant(name)[0] or ""
        if meant in self._anew:
            return f'session.record("section.replace", {self._anew[meant].field}=[…])'
        return meant and f'session.record("{meant}", …)'

    @cached_property
    def _meant(self) -> Callable[[str], Meant]:
        """The cached reader of alternative spellings; hosts repeat the same foreign types."""
        section_events = self.domain.section_events
        known = [
            SpelledName.of(each, section_events[each].section, section_events[each].verb)
            if each in section_events
            else SpelledName.of(each)
            for each in self.types
        ]
        anew = (SpelledName.anew(*each) for each in self._anew.items())
        line = 'session.record("{name}", section="{section}")'
        known_as = Spellings([*known, *anew], self.domain.kind_of, line=line)
        return lru_cache(maxsize=16)(known_as.meant)

    @cached_property
    def _anew(self) -> Mapping[str, type[HudSection]]:
        """The operations that replace all items of a section; their event is the same for all sections."""
        sections = [each for each in self.domain.fields.values() if each.can_replace and each.kind]
        own = self.domain.operations
        return {f"{each.name}.set": each for each in sections if f"{each.name}.set" not in own}

    def spelt(self, draft: EventDraft) -> EventDraft:
        """Return a draft with current names in place of unambiguous alternatives.

        Raises :class:`EventError` for an unknown type.

        >>> catalog_of(CODING).spelt(EventDraft("notes.record", {"note": "Port 8080"}))
        EventDraft(type='note.add', payload={'content': 'Port 8080'}, turn=None, timestamp=None, actor='agent')
        """
        event_type = self.known(draft.type, draft.payload)
        given, model = draft.payload, self[event_type]
        fields = fields_of(model)
        lacks_id = "id" in fields and fields["id"].is_required() and "id" not in given
        if lacks_id or not given.keys() <= fields.keys():
            only = given.get("payload")
            if len(given) == 1 and isinstance(only, Mapping):
                given = cast("Mapping[str, object]", only)
            elif len(given) == 1 and isinstance(only, str) and (text := first_text(model)):
                given = {text: only}
            elif isinstance(only, BaseModel):
                line = ", ".join(
                    [f'record("{event_type}"', *(f"{each}=…" for each in fields_of(model))]
                )
                raise EventError(
                    f"{event_type}: a payload has the fields of the event, and a {type(only).__name__} is in the log"
                    f" already; write {line})"
                )
            section_event = self.domain.section_events.get(event_type)
            try:
                meant = respelt(
                    section_event.section if section_event else None, model, given, cased=True
                )
            except UjsxError as error:
                raise EventError(f"{event_type}: {error}") from None
            given = as_meant(given, meant)
        elif event_type == draft.type:
            return draft
        return replace(draft, type=event_type, payload=given)

    def parse(self, event_type: str, data: Mapping[str, object]) -> Payload:
        """Return the validated payload of an event of this type.

        Raises :class:`EventError` with the field and its value.

        >>> catalog_of(CODING).parse("note.add", {"content": "Port 8080"})
        NoteAdd(content='Port 8080', id=None)
        >>> catalog_of(CODING).parse("note.add", {"contnet": "Port 8080"})
        Traceback (most recent call last):
        hud_runtime._errors.EventError: note.add: unknown field "contnet"; did you mean "content"?
        """
        model = self[self.known(event_type)]
        if isinstance(data, ValidatedFields):
            said = data.model
            if isinstance(said, model):
                return said
            if model.drafted is not None and isinstance(said, model.drafted):
                given = data.given()
                return model.model_construct(set(given), **given)
        try:
            return model.model_validate(dict(data))
        except ValidationError as error:
            try:
                meant = dict(self._values_meant(event_type, model, error))
            except UjsxError as unclear:
                raise EventError(f"{event_type}: {unclear}") from None
            if meant:
                return self.parse(event_type, {**data, **meant})
            raise EventError(explain(event_type, model, error)) from None

    def _values_meant(
        self, event_type: str, model: type[Payload], error: ValidationError
    ) -> Iterator[tuple[str, object]]:
        """Yield the fields of refused values, each with the value meant: a text of a number, or what a line shows."""
        section_event = self.domain.section_events.get(event_type)
        section = None if section_event is None else section_event.section
        for each in error.errors():
            [name, *within] = each["loc"] or ("",)
            if within:
                continue
            if (each["type"], type(each["input"])) == ("string_type", int):
                yield str(name), str(each["input"])
            elif (value := value_shown(section, model, str(name), each["input"])) is not None:
                yield str(name), value

    def model(self, event_type: str) -> type[Event]:
        """Return the model of the events of one type.

        >>> catalog_of(CODING).model("note.add").__name__
        'NoteAddEvent'
        """
        made = self._models.get(event_type)
        if made is None:
            payload = self[event_type]
            literal: Any = Literal  # for type checkers, which know it only in annotations
            fields: dict[str, Any] = {"type": (literal[event_type], ...), "payload": (payload, ...)}
            name = f"{payload.__name__}Event"
            made = create_model(name, __base__=Event, __doc__=payload.__doc__, **fields)
            made = self._models.setdefault(event_type, made)
        return made

    def recorded(self, name: object) -> str:
        """Return ``name`` as a present or former event type; former ones cannot be recorded.

        Raises :class:`EventError` with the nearest type.
        """
        if isinstance(name, str) and self._is_recorded(name):
            return name
        raise EventError(
            f"unknown event type {quoted(str(name))}; {did_you_mean(str(name), self.types)}"
        )

    def _is_recorded(self, name: str) -> bool:
        return name in self._types or name in self.domain.former_types or name in _OF_THE_STORE

    def reader(self, event_type: str) -> Reader:
        """Return the event model of a type, and the parser of its JSON payload.

        A payload of an older form is upgraded by the domain.

        Raises :class:`EventError` for an unknown type.
        """
        found = self._readers.get(event_type)
        if found is None:
            if not self._is_recorded(event_type):
                raise EventError(f'the domain "{self.domain.name}" has no event of this type')
            validator: Any = self[event_type].__pydantic_validator__
            read = partial(_read, validator.validate_json, self, event_type)
            found = self._readers[event_type] = (self.model(event_type), read)
        return found

    def read(self, data: Mapping[str, object]) -> Event:
        """Return the event in ``data``, as ``event.model_dump()`` wrote it.

        Raises :class:`EventError` for an unknown type or an invalid value.
        """
        event_type = self.recorded(data.get("type"))
        model = self.model(event_type)
        try:
            return model.model_validate(data)
        except ValidationError as error:
            payload = data.get("payload")
            if isinstance(payload, Mapping):
                given = cast("Mapping[str, Any]", payload)
                today = _upcast(self, event_type, given, error, strict=True)
                with suppress(ValidationError):
                    return model.model_validate({**data, "payload": json.loads(today)})
            raise EventError(explain(event_type, model, error)) from None

    def of_store(
        self, event_type: str, payload: Mapping[str, object], stamp: tuple[str, str, int, int, int]
    ) -> Event:
        """Return an event that the store itself records.

        :param stamp: its id, its session, the version and turn before it, and its time.
        """
        event_id, session_id, version, turn, at = stamp
        return self.read(
            {
                "id": event_id,
                "session_id": session_id,
                "version": version + 1,
                "turn": turn,
                "timestamp": at,
                "actor": "host",
                "type": event_type,
                "payload": payload,
            }
        )

    @cached_property
    def adapter(self) -> TypeAdapter[Event]:
        """The adapter of all events, for parsing, writing and their JSON schema."""
        union: Any = Union  # for type checkers, which know it only in annotations
        models = tuple(self.model(event_type) for event_type in self.types)
        annotated: Any = Annotated
        return TypeAdapter(annotated[union[models], Field(discriminator="type")])


def _read(
    validate: Callable[[str], Any], catalog: EventCatalog, event_type: str, payload: str
) -> Any:
    """Parse a payload as it is or, if that fails, after its domain's upgrade.

    :raises ValidationError: for an invalid payload.
    :raises EventError: where its upcast fails.
    """
    try:
        return validate(payload)
    except ValidationError as error:
        given: object = None
        with suppress(ValueError, RecursionError):
            given = json.loads(payload)
        if isinstance(given, dict):
            today = _upcast(catalog, event_type, cast("Mapping[str, Any]", given), error)
            with suppress(ValidationError):
                return validate(today)
        raise


def _upcast(
    catalog: EventCatalog,
    event_type: str,
    payload: Mapping[str, Any],
    error: ValidationError,
    *,
    strict: bool = False,
) -> str:
    """Return the JSON of a payload of an older form after its upgrade.

    :raises EventError: where the author's upcast fails.
    """
    try:
        return json.dumps(catalog.domain.upcast(event_type, payload, strict=strict))
    except Exception as failed:
        why = explain(event_type, catalog[event_type], error)
        raise EventError(f"{why}; its upcast failed: {type(failed).__name__}: {failed}") from failed


def catalog_of(domain: Domain[Any]) -> EventCatalog:
    """Return a domain's events: always the same object, which the domain stores."""
    kept = vars(domain)
    found: EventCatalog | None = kept.get(_KEPT)
    return kept.setdefault(_KEPT, EventCatalog(domain)) if found is None else found


_KEPT = "_event_catalog"
"""The attribute of a domain with its catalog: two catalogs would have different classes."""

PAYLOADS = catalog_of(CODING)
"""The events of a coding session, each with the model of its payload."""


class _AsRecorded(EventCatalog):
    """Parses no payload: each stays the recorded JSON."""

    def reader(self, event_type: str) -> Reader:
        raise EventError(f'"{event_type}" is not read')


AS_RECORDED: EventCatalog = _AsRecorded(CODING)
"""Reads events without parsing payloads: each is :class:`Stored`."""


def read_event(data: Mapping[str, object], domain: Domain[Any] = CODING) -> Event:
    """Return the event in ``data``, as ``event.model_dump()`` wrote it.

    Raises :class:`EventError` for an unknown type or an invalid value.

    >>> event = read_event({"id": "1", "session_id": "s", "version": 1, "turn": 0,
    ...     "timestamp": 0, "actor": "user", "type": "task.set",
    ...     "payload": {"description": "Add a login"}})
    >>> event.payload
    TaskSet(description='Add a login')
    """
    return catalog_of(domain).read(data)
