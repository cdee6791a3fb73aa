"""An event as a row, and a row as an event."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import Any

import msgspec
from pydantic import BaseModel, ValidationError
from pydantic_core import SchemaSerializer

from hud_runtime._errors import EventError, StoreDamagedError
from hud_runtime.events import PAYLOADS, Event, EventCatalog, Stored, explain
from hud_runtime.store._engine import Row
from hud_runtime.store._upcast import FORMAT, upcast
from ujsx.components import fields_of

COLUMNS = "id, session_id, version, type, turn, timestamp, actor, format, payload"
"""The columns of an event, in the order that the digest covers."""

ADVICE = "`ujsx doctor` tells what else is damaged; restore a backup, or repair the store"
"""The advice on a damaged row."""

FIELDS = set(fields_of(Event))
"""All of an event's fields are given. The set is shared: events are frozen, and copies copy it."""


def _setter(slot: str) -> Callable[[Any, Any], None]:
    """Return what sets a slot of a model, without looking it up by its name each time."""
    setter: Callable[[Any, Any], None] = BaseModel.__dict__[slot].__set__
    return setter


_new = object.__new__
_set_values = _setter("__dict__")
_set_given = _setter("__pydantic_fields_set__")
_set_extra = _setter("__pydantic_extra__")
_set_private = _setter("__pydantic_private__")
_as_json = msgspec.json.Encoder().encode


def to_row(event: Event) -> Row:
    """Return the values of :data:`COLUMNS`, and the digest."""
    payload: SchemaSerializer = event.payload.__pydantic_serializer__
    stored = event.payload if isinstance(event.payload, Stored) else None
    row = (
        event.id,
        event.session_id,
        event.version,
        event.type,
        event.turn,
        event.timestamp,
        event.actor,
        FORMAT,
        payload.to_json(event.payload).decode() if stored is None else stored.text,
    )
    return (*row, digest(row))


def digest(row: Row) -> bytes:
    """Return 16 bytes that tell whether a row is as it was written.

    They protect against a bad disk, not against a person: there is no key in them.

    >>> digest(("1", "s", 1)) == digest(("1", "s", 2))
    False
    """
    return blake2b(_as_json(row), digest_size=16).digest()


def from_row(row: Row, catalog: EventCatalog = PAYLOADS) -> Event:
    """Return the event of a row of :data:`COLUMNS` and its digest.

    The columns of an envelope are checked by the table itself, so only the payload is validated,
    and the event is made as ``model_construct`` makes it, without its look at aliases and
    defaults: that alone would take as long as all the rest.

    What the catalog cannot read is kept as it stands, :class:`Stored`. Whether the digest fits is
    looked at only then: :func:`sound` does that for all.

    Raises :class:`StoreDamagedError` that names the session and the version.
    """
    event_id, session_id, version, type_name, turn, timestamp, actor, written, payload, _ = row
    try:
        if written != FORMAT:
            payload = upcast(type_name, written, payload)
        model, read = catalog.reader(type_name)
        said = read(payload)
    except (ValidationError, EventError) as error:
        sound(row)
        reason = str(error) if isinstance(error, EventError) else _reason(catalog, type_name, error)
        model, said = Event, Stored(text=payload, reason=reason)
    made = _new(model)
    _set_values(
        made,
        {
            "id": event_id,
            "session_id": session_id,
            "version": version,
            "turn": turn,
            "timestamp": timestamp,
            "actor": actor,
            "type": type_name,
            "payload": said,
        },
    )
    _set_given(made, FIELDS)
    _set_extra(made, None)
    _set_private(made, None)
    return made


def sound(row: Row) -> Row:
    """Return a row of :data:`COLUMNS` and its digest.

    Raises :class:`StoreDamagedError` that names the session and the version, if they do not match.
    """
    if digest(row[:-1]) != row[-1]:
        raise StoreDamagedError(
            f'event {row[2]} of session "{row[1]}" is not as it was written; {ADVICE}'
        )
    return row


def _reason(catalog: EventCatalog, type_name: str, error: ValidationError) -> str:
    return explain(type_name, catalog[type_name], error)
