"""The values that callers give for events: drafts, or a type with a text; for anything else, the line to write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from hud_components import Actor
from hud_runtime._errors import EventError
from hud_runtime.events._draft import EventDraft
from ujsx.components import fields_of, first_text
from ujsx.errors import listed, quoted, shown

if TYPE_CHECKING:
    from hud_runtime.events._catalog import EventCatalog


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
