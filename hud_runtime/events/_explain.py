"""The explanation of an event's invalid data: one sentence that says what to write instead."""

from __future__ import annotations

from typing import cast

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ujsx.components import fields_of
from ujsx.errors import complaint, did_you_mean, is_raised, quoted, shown

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
    the field "details" is 'a\ud83d', which is no Unicode text: half of a surrogate pair, or a byte that is no UTF-8, stands for no character
    """
    what = f"the field {quoted(place)}" if place else "the name of a field"
    return (
        f"{what} is {shown(value, width=SHOWN)}, which is no Unicode text: half of a surrogate pair, or a byte"
        " that is no UTF-8, stands for no character"
    )
