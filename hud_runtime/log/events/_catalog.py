"""The events of a domain: the models of what they say, and readers of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from typing import Annotated, Any, Literal, TypeAlias, Union, cast

from pydantic import Field, TypeAdapter, ValidationError, create_model

from hud_components import CODING, Domain, HudSection
from hud_components.declaring import SpelledName, Spellings, respelt
from hud_components.folding import Payload
from hud_runtime._errors import EventError
from hud_runtime.log.events._about_session import session_start
from hud_runtime.log.events._event import Event, EventDraft, Validated, explain, line_of
from ujsx.calls import as_meant
from ujsx.components import fields_of
from ujsx.errors import did_you_mean, quoted

Reader: TypeAlias = tuple[type[Event], Callable[[str], Any]]
"""The model of a type's events, and what reads its payload from JSON."""

Maker: TypeAlias = Callable[[Domain[Any]], type[Payload]]


def _about_sections(name: str) -> Maker:
    """Give what makes a model of a domain's sections, from a module that is imported when it is needed."""

    def made(domain: Domain[Any]) -> type[Payload]:
        from hud_runtime.log.events import _about

        make: Maker = getattr(_about, name)
        return make(domain)

    return made


def _fact(name: str) -> Maker:
    """Give a model that is the same in all domains, from a module that is imported when it is needed."""

    def made(_domain: Domain[Any]) -> type[Payload]:
        from hud_runtime.log.events import _about

        model: type[Payload] = getattr(_about, name)
        return model

    return made


_FIRST: Mapping[str, Maker] = {
    "session.start": session_start,
    "session.title": _fact("SessionTitle"),
    "session.look": _fact("SessionLook"),
}

_LAST: Mapping[str, Maker] = {
    "section.clear": _about_sections("section_clear"),
    "section.replace": _about_sections("section_replace"),
    "section.pin": _about_sections("section_pin"),
    "section.fold": _about_sections("section_fold"),
    "section.reset": _about_sections("section_reset"),
    "context.snapshot": _fact("ContextSnapshot"),
    "context.intervention": _fact("ContextIntervention"),
    "compact.before": _fact("CompactBefore"),
    "compact.after": _fact("CompactAfter"),
    "compact.failed": _fact("CompactFailed"),
    "layout.set": _fact("LayoutSet"),
    "layout.reset": _fact("LayoutReset"),
}

_OF_THE_STORE: Mapping[str, Maker] = {
    "event.erase": _fact("EventErase"),
    "session.domain": _fact("SessionDomain"),
}
"""What the store itself says in a log. It is read like the others, and nobody else records it."""


class EventCatalog(Mapping[str, type[Payload]]):
    """The models of what a domain's events say, by type. Each is made when it is first asked for.

    >>> catalog = catalog_of(CODING)
    >>> catalog["note.add"].__name__, len(catalog)
    ('NoteAdd', 44)
    """

    def __init__(self, domain: Domain[Any]) -> None:
        self.domain = domain
        self.types = (*_FIRST, *domain.happenings, *_LAST)
        """All types, those of the domain between those of every session."""
        self._types = frozenset(self.types)
        self._payloads: dict[str, type[Payload]] = {}
        self._models: dict[str, type[Event]] = {}
        self._readers: dict[str, Reader] = {}

    def __getitem__(self, event_type: str) -> type[Payload]:
        found = self._payloads.get(event_type)
        return self._made(event_type) if found is None else found

    def _made(self, event_type: str) -> type[Payload]:
        current = self.domain.current_type(event_type)
        if current in self.domain.happenings:
            made = self.domain.payload(current)
        else:
            made = self._payloads.get(current) or {**_FIRST, **_LAST, **_OF_THE_STORE}[current](
                self.domain
            )
            made = self._payloads.setdefault(current, made)
        return self._payloads.setdefault(event_type, made)

    def __contains__(self, event_type: object) -> bool:
        return event_type in self._types

    def __iter__(self) -> Iterator[str]:
        return iter(self.types)

    def __len__(self) -> int:
        return len(self.types)

    def known(self, name: object) -> str:
        """Return the event type that ``name`` is, or that it means by other words, as operations have them.

        Raises :class:`EventError` with the nearest ones.

        >>> catalog_of(CODING).known("notes.add")
        'note.add'
        >>> catalog_of(CODING).known("note.ad")
        Traceback (most recent call last):
        hud_runtime._errors.EventError: unknown event type "note.ad"; did you mean "note.add"? also known: note.update
        """
        if isinstance(name, str) and name in self._types:
            return name
        if not isinstance(name, str):
            raise EventError(f"the type of an event comes first, as a text; write {line_of(name)}")
        if name in _OF_THE_STORE:
            call = "erase(session, version)" if name == "event.erase" else "move(session, domain)"
            raise EventError(f"{name}: the store alone records it: store.{call}")
        meant, hint = self._spellings.meant(name)
        if meant in self._types:
            return str(meant)
        if meant is not None:
            field = self._anew[meant].field
            hint = f'did you mean "section.replace" with {field}=[…]?'
        hint = hint or did_you_mean(name, self.types)
        raise EventError(f"unknown event type {quoted(name)}; {hint}")

    @cached_property
    def _spellings(self) -> Spellings:
        """The words that types are understood by."""
        happenings = self.domain.happenings
        known = [
            SpelledName.of(each, happenings[each].section, happenings[each].verb)
            if each in happenings
            else SpelledName.of(each)
            for each in self.types
        ]
        return Spellings([*known, *(SpelledName.anew(*each) for each in self._anew.items())])

    @cached_property
    def _anew(self) -> Mapping[str, type[HudSection]]:
        """The operations that say all items of a section anew, whose event is that of any section."""
        sections = [each for each in self.domain.fields.values() if each.can_replace and each.kind]
        own = self.domain.operations
        return {f"{each.name}.set": each for each in sections if f"{each.name}.set" not in own}

    def spelt(self, draft: EventDraft) -> EventDraft:
        """Return a draft under today's names, where its type or its fields have others that mean them beyond doubt.

        Raises :class:`EventError` for a type that is not known.

        >>> catalog_of(CODING).spelt(EventDraft("notes.record", {"note": "Port 8080"}))
        EventDraft(type='note.add', payload={'content': 'Port 8080'}, turn=None, timestamp=None, actor='agent')
        """
        event_type = self.known(draft.type)
        given, model = draft.payload, self[event_type]
        if not given.keys() <= fields_of(model).keys():
            only = given.get("payload")
            if len(given) == 1 and isinstance(only, Mapping):
                given = cast("Mapping[str, object]", only)
            happening = self.domain.happenings.get(event_type)
            meant = respelt(happening.section if happening else None, model, given, cased=True)
            given = as_meant(given, meant)
        elif event_type == draft.type:
            return draft
        return replace(draft, type=event_type, payload=given)

    def parse(self, event_type: str, data: Mapping[str, object]) -> Payload:
        """Return the payload of an event of this type.

        Raises :class:`EventError` that names the field and its value.

        >>> catalog_of(CODING).parse("note.add", {"content": "Port 8080"})
        NoteAdd(content='Port 8080', id=None)
        """
        model = self[self.known(event_type)]
        if isinstance(data, Validated):
            said = data.model
            if isinstance(said, model):
                return said
            if model.drafted is not None and isinstance(said, model.drafted):
                given = data.given()
                return model.model_construct(set(given), **given)
        try:
            return model.model_validate(dict(data))
        except ValidationError as error:
            raise EventError(explain(event_type, model, error)) from None

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
        """Return ``name`` as a type that events have or once had; nothing is recorded under the latter.

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
        """Return what reads a type's payload from JSON, and the model that its events have.

        A payload that its model does not read as it stands is brought up to date by the domain.

        Raises :class:`EventError` for a type that is not known.
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
        """Return the event that ``data`` describes, as ``event.model_dump()`` wrote it.

        Raises :class:`EventError` for an unknown type or a value that does not fit.
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

    @cached_property
    def adapter(self) -> TypeAdapter[Event]:
        """The adapter of all events, for reading, writing and their JSON schema."""
        union: Any = Union  # for type checkers, which know it only in annotations
        models = tuple(self.model(event_type) for event_type in self.types)
        annotated: Any = Annotated
        return TypeAdapter(annotated[union[models], Field(discriminator="type")])


def _read(
    validate: Callable[[str], Any], catalog: EventCatalog, event_type: str, payload: str
) -> Any:
    """Read a payload as it stands or, where that fails, brought up to date by its domain.

    :raises ValidationError: for one that its model does not read.
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
    """Return the JSON of a payload, which the model does not read as it stands, brought up to date.

    :raises EventError: where an upcast fails: it is the author's.
    """
    try:
        return json.dumps(catalog.domain.upcast(event_type, payload, strict=strict))
    except Exception as failed:
        why = explain(event_type, catalog[event_type], error)
        raise EventError(f"{why}; its upcast failed: {type(failed).__name__}: {failed}") from failed


def catalog_of(domain: Domain[Any]) -> EventCatalog:
    """Return the events of a domain, the same object for the same domain, which keeps it."""
    kept = vars(domain)
    found: EventCatalog | None = kept.get(_KEPT)
    return kept.setdefault(_KEPT, EventCatalog(domain)) if found is None else found


_KEPT = "_event_catalog"
"""Where a domain keeps its catalog: events of two catalogs would be of different classes."""

PAYLOADS = catalog_of(CODING)
"""The events of a coding session, each with the model of its payload."""


class _AsRecorded(EventCatalog):
    """Reads no payload: each stays the JSON that was recorded."""

    def reader(self, event_type: str) -> Reader:
        raise EventError(f'"{event_type}" is not read')


AS_RECORDED: EventCatalog = _AsRecorded(CODING)
"""Reads events without a look at what they say: each payload is :class:`Stored`."""


def read_event(data: Mapping[str, object], domain: Domain[Any] = CODING) -> Event:
    """Return the event that ``data`` describes, as ``event.model_dump()`` wrote it.

    Raises :class:`EventError` for an unknown type or a value that does not fit.

    >>> event = read_event({"id": "1", "session_id": "s", "version": 1, "turn": 0,
    ...     "timestamp": 0, "actor": "user", "type": "task.set",
    ...     "payload": {"description": "Add a login"}})
    >>> event.payload
    TaskSet(description='Add a login')
    """
    return catalog_of(domain).read(data)


def parse_payload(
    event_type: str, data: Mapping[str, object], domain: Domain[Any] = CODING
) -> Payload:
    """Return the payload of an event of this type.

    Raises :class:`EventError` that names the field and its value.

    >>> parse_payload("note.add", {"contnet": "Port 8080"})
    Traceback (most recent call last):
    hud_runtime._errors.EventError: note.add: unknown field "contnet"; did you mean "content"?
    """
    return catalog_of(domain).parse(event_type, data)


def known_type(name: object, domain: Domain[Any] = CODING) -> str:
    """Return ``name`` as an event type, or raise :class:`EventError` with the nearest one."""
    return catalog_of(domain).known(name)


def event_adapter(domain: Domain[Any] = CODING) -> TypeAdapter[Event]:
    """Return the adapter of all events of a domain.

    >>> event_adapter().json_schema()["discriminator"]["propertyName"]
    'type'
    """
    return catalog_of(domain).adapter


def event_model(event_type: str, domain: Domain[Any] = CODING) -> type[Event]:
    """Return the model of the events of one type.

    >>> event_model("note.add").__name__
    'NoteAddEvent'
    """
    return catalog_of(domain).model(event_type)
