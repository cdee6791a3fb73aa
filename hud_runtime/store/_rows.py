"""An event as a row, and a row as an event."""

from __future__ import annotations

import json
from functools import cache
from hashlib import blake2b

from pydantic import TypeAdapter, ValidationError

from hud_runtime._errors import EventError, StoreDamagedError
from hud_runtime.events import PAYLOADS, Event, Payload, event_model, known_type
from hud_runtime.store._database import Row
from hud_runtime.store._upcast import FORMAT, upcast

COLUMNS = "id, session_id, version, type, turn, timestamp, actor, format, payload"
"""What makes an event, in the order that the digest covers."""


def to_row(event: Event) -> Row:
    """Return the values of :data:`COLUMNS`, and the digest."""
    payload = event.payload.model_dump_json()
    row = (
        event.id,
        event.session_id,
        event.version,
        event.type,
        event.turn,
        event.timestamp,
        event.actor,
        FORMAT,
        payload,
    )
    return (*row, digest(row))


def digest(row: Row) -> bytes:
    """Return 16 bytes that tell whether a row is as it was written.

    They protect against a bad disk, not against a person: there is no key in them.

    >>> digest(("1", "s", 1)) == digest(("1", "s", 2))
    False
    """
    text = json.dumps(row, ensure_ascii=False, separators=(",", ":"))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def from_row(row: Row) -> Event:
    """Return the event of a row of :data:`COLUMNS`.

    Raises :class:`StoreDamagedError` that names the session and the version.
    """
    event_id, session_id, version, type_name, turn, timestamp, actor, written, payload = row
    try:
        kind = known_type(type_name)
        # The envelope's columns are checked by the table itself: only the payload is validated.
        return event_model(kind).model_construct(
            id=event_id,
            session_id=session_id,
            version=version,
            turn=turn,
            timestamp=timestamp,
            actor=actor,
            type=kind,
            payload=_payload_adapter(kind).validate_json(upcast(kind, written, payload)),
        )
    except (ValidationError, EventError) as error:
        raise StoreDamagedError(
            f'event {version} of session "{session_id}" cannot be read: {error}'
        ) from error


@cache
def _payload_adapter(type_name: str) -> TypeAdapter[Payload]:
    return TypeAdapter(PAYLOADS[known_type(type_name)])
