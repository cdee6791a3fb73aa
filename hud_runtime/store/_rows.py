"""An event as a row, and a row as an event."""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from typing import Any, TypeVar

import msgspec
from pydantic import BaseModel, ValidationError
from pydantic_core import SchemaSerializer, SchemaValidator

from hud_runtime._errors import EventError, StoreDamagedError
from hud_runtime.events import PAYLOADS, Event, event_model, known_type
from hud_runtime.store._database import Row
from hud_runtime.store._upcast import FORMAT, upcast

COLUMNS = "id, session_id, version, type, turn, timestamp, actor, format, payload"
"""What makes an event, in the order that the digest covers."""

ModelT = TypeVar("ModelT", bound=BaseModel)

_as_json = msgspec.json.Encoder().encode


def to_row(event: Event) -> Row:
    """Return the values of :data:`COLUMNS`, and the digest."""
    payload: SchemaSerializer = event.payload.__pydantic_serializer__
    row = (
        event.id,
        event.session_id,
        event.version,
        event.type,
        event.turn,
        event.timestamp,
        event.actor,
        FORMAT,
        payload.to_json(event.payload).decode(),
    )
    return (*row, digest(row))


def digest(row: Row) -> bytes:
    """Return 16 bytes that tell whether a row is as it was written.

    They protect against a bad disk, not against a person: there is no key in them.

    >>> digest(("1", "s", 1)) == digest(("1", "s", 2))
    False
    """
    return blake2b(_as_json(row), digest_size=16).digest()


def from_row(row: Row) -> Event:
    """Return the event of a row of :data:`COLUMNS`.

    Raises :class:`StoreDamagedError` that names the session and the version.
    """
    event_id, session_id, version, type_name, turn, timestamp, actor, written, payload = row
    try:
        model, reader = _readers(type_name)
        return trusted(
            model,
            {
                "id": event_id,
                "session_id": session_id,
                "version": version,
                "turn": turn,
                "timestamp": timestamp,
                "actor": actor,
                "type": type_name,
                "payload": reader.validate_json(upcast(type_name, written, payload)),
            },
        )
    except (ValidationError, EventError) as error:
        raise StoreDamagedError(
            f'event {version} of session "{session_id}" cannot be read: {error}'
        ) from error


def trusted(model: type[ModelT], values: dict[str, Any]) -> ModelT:
    """Return a model with all of its fields, which are known to be right.

    The columns of an envelope are checked by the table itself, so only the payload is validated.
    ``model_construct`` does the same for any model; leaving out its look at aliases and defaults
    makes a read twice as fast.
    """
    made = model.__new__(model)
    object.__setattr__(made, "__dict__", values)
    object.__setattr__(made, "__pydantic_fields_set__", set(values))
    object.__setattr__(made, "__pydantic_extra__", None)
    object.__setattr__(made, "__pydantic_private__", None)
    return made


@cache
def _readers(type_name: str) -> tuple[type[Event], SchemaValidator]:
    known = known_type(type_name)
    validator: Any = PAYLOADS[known].__pydantic_validator__
    return event_model(known), validator
