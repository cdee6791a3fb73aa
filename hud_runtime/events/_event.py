"""One event of a session: the envelope, and a payload that its type determines.

Events form one discriminated union over ``type``: for each row of :data:`PAYLOADS` there is a
subclass of :class:`Event` whose ``type`` is that literal and whose payload is that model. They
are made when first needed, and they are what :func:`make_event` and :func:`read_event` return.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal, Union

from pydantic import Field, SerializeAsAny, TypeAdapter, ValidationError, create_model

from hud_components import HudModel, Milliseconds
from hud_runtime._errors import EventError
from hud_runtime.events._parse import explain, known_type
from hud_runtime.events._payload import LARGEST, Payload
from hud_runtime.events._types import PAYLOADS, Actor, EventType


class Event(HudModel):
    """Something that happened in a session, as it stands in the log."""

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

    type: EventType
    """What kind of thing happened."""

    payload: SerializeAsAny[Payload]
    """What exactly; its class follows from the type."""


@cache
def event_model(event_type: EventType) -> type[Event]:
    """Return the model of the events of one type.

    >>> event_model("note.add").__name__
    'NoteAddEvent'
    """
    payload = PAYLOADS[event_type]
    literal: Any = Literal  # for type checkers, which know it only in annotations
    fields: dict[str, Any] = {"type": (literal[event_type], ...), "payload": (payload, ...)}
    name = f"{payload.__name__}Event"
    return create_model(name, __base__=Event, __doc__=payload.__doc__, **fields)


@cache
def event_adapter() -> TypeAdapter[Event]:
    """Return the adapter of the whole union, for reading, writing and its JSON schema.

    >>> event_adapter().json_schema()["discriminator"]["propertyName"]
    'type'
    """
    union: Any = Union  # for type checkers, which know it only in annotations
    models = tuple(event_model(event_type) for event_type in PAYLOADS)
    annotated: Any = Annotated
    adapter: TypeAdapter[Event] = TypeAdapter(annotated[union[models], Field(discriminator="type")])
    return adapter


def read_event(data: Mapping[str, object]) -> Event:
    """Return the event that ``data`` describes, as ``event.model_dump()`` wrote it.

    Raises :class:`EventError` for an unknown type or a value that does not fit.

    >>> event = read_event({"id": "1", "session_id": "s", "version": 1, "turn": 0,
    ...     "timestamp": 0, "actor": "user", "type": "task.set",
    ...     "payload": {"description": "Add a login"}})
    >>> event.payload
    TaskSet(description='Add a login')
    """
    model = event_model(known_type(data.get("type")))
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise EventError(explain(str(data["type"]), model, error)) from None
