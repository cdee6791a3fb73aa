"""Arguments against their model: strict validation, and what it complains about.

Some data JSON can write and validation cannot read: half of a surrogate pair, and what is too deep.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ujsx.tools._json import CallError, as_list, as_object, place, written
from ujsx.tools._names import refused, unknown_by_type, unknown_within


def validated(model: type[BaseModel], data: dict[str, Any]) -> BaseModel:
    """Validate strictly, as JSON: a list may fill a tuple, a text never a number.

    A name that the model has no place for is an error, unless it says ``extra="allow"``.

    :raises ValidationError: with all of what is wrong.
    """
    try:
        made = model.model_validate_json(written(data), strict=True)
    except ValidationError as error:
        names = unknown_by_type(model, data)
        if not names:
            raise
        raise refused(error.title, data, names, error.errors(include_url=False)) from error
    names = list(unknown_within(made, data))
    if names:
        raise refused(model.__name__, data, names)
    return made


def details(error: ValidationError) -> list[ErrorDetails]:
    """Return Pydantic's complaints; those of a component, which raises its own error, from within."""
    found: list[ErrorDetails] = []
    for detail in error.errors(include_url=False):
        cause = getattr(detail.get("ctx", {}).get("error"), "__cause__", None)
        if isinstance(cause, ValidationError):
            for each in details(cause):
                each["loc"] = (*detail["loc"], *each["loc"])
                found.append(each)
        else:
            if detail["type"] == "unexpected_keyword_argument":  # of a dataclass
                detail["type"] = "extra_forbidden"
            found.append(detail)
    return found


Path: TypeAlias = tuple[str | int, ...]

_HALF = re.compile("[\ud800-\udfff]")
"""JSON may write half of a surrogate pair alone (RFC 8259, section 8.2); it is no character."""


def check_readable(error: ValidationError, data: dict[str, Any], at: tuple[str, ...]) -> None:
    """Say what to send in place of data that validation could not read as JSON.

    :param at: where the data stood in what came.
    :raises CallError: if that is what ``error`` complains of.
    """
    reasons = [each["msg"] for each in error.errors() if each["type"] == "json_invalid"]
    if not reasons:
        return
    for path, text, which in _texts(data, at):
        if half := _HALF.search(text):
            raise CallError(
                f"character {half.start() + 1} of the {which} is {ascii(half[0])[1:-1]}, half of a "
                "surrogate pair; send the whole character, or leave it out",
                path=place(path),
            ) from None
    if "recursion" in reasons[0]:
        raise CallError("nested too deep; send it again, flatter", path=place(at)) from None


def _texts(data: object, at: Path) -> Iterator[tuple[Path, str, str]]:
    """Yield the names and the texts in data, in their order: where, what, and which of the two."""
    left: list[tuple[Path, object]] = [(at, data)]
    while left:
        path, value = left.pop()
        if isinstance(value, str):
            yield path, value, "text"
        members = as_object(value) or {}
        yield from (((*path, name), name, "name") for name in members)
        inside = [*members.items(), *enumerate(as_list(value) or ())]
        left += (((*path, part), each) for part, each in reversed(inside))
