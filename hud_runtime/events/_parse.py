"""From a name and a dictionary to a payload, with errors that say what to write instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from hud_runtime._errors import EventError
from hud_runtime.events._payload import Payload
from hud_runtime.events._types import PAYLOADS, EventType
from ujsx.errors import did_you_mean, quoted

SHOWN = 80
"""Characters of a wrong value that a message repeats."""


def known_type(name: object) -> EventType:
    """Return ``name`` as an event type, or raise :class:`EventError` with the nearest one.

    >>> known_type("note.ad")
    Traceback (most recent call last):
    hud_runtime._errors.EventError: unknown event type "note.ad"; did you mean "note.add"?
    """
    if isinstance(name, str) and name in PAYLOADS:
        return cast("EventType", name)
    raise EventError(f"unknown event type {quoted(str(name))}; {did_you_mean(str(name), PAYLOADS)}")


def parse_payload(event_type: str, data: Mapping[str, object]) -> Payload:
    """Return the payload of an event of this type.

    Raises :class:`EventError` that names the field and its value.

    >>> parse_payload("note.add", {"content": "Port 8080"})
    NoteAdd(content='Port 8080', id=None)
    >>> parse_payload("note.add", {"contnet": "Port 8080"})
    Traceback (most recent call last):
    hud_runtime._errors.EventError: note.add: unknown field "contnet"; did you mean "content"?
    """
    model = PAYLOADS[known_type(event_type)]
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise EventError(explain(event_type, model, error)) from None


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
            hint = did_you_mean(str(detail["loc"][-1]), model.model_fields)
            return f"unknown field {place}; {hint}"
        case "missing":
            return f"the field {place} is missing"
        case "value_error":
            return detail["msg"].removeprefix("Value error, ")
        case "string_unicode":
            return no_text(name, detail["input"])
        case _:
            message = detail["msg"][:1].lower() + detail["msg"][1:]
            return f"the field {place} is {_shown(detail['input'])}: {message}"


def no_text(place: str, value: object) -> str:
    r"""Return the sentence for a field whose text no file can hold.

    >>> print(no_text("details", "a\ud83d"))
    the field "details" is 'a\ud83d', which is no Unicode text: half of a surrogate pair, or a byte that is no UTF-8, stands for no character
    """
    what = f"the field {quoted(place)}" if place else "the name of a field"
    return (
        f"{what} is {_shown(value)}, which is no Unicode text: half of a surrogate pair, or a byte"
        " that is no UTF-8, stands for no character"
    )


def _shown(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}…"
