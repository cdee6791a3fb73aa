"""Arguments against their model: strict validation, and what it complains about."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ujsx.tools._json import written
from ujsx.tools._unknown import refused, unknown, unknown_within


def validated(model: type[BaseModel], data: dict[str, Any]) -> BaseModel:
    """Validate strictly, as JSON: a list may fill a tuple, a text never a number.

    A name that the model has no place for is an error, unless it says ``extra="allow"``.

    :raises ValidationError: with all of what is wrong.
    """
    try:
        made = model.model_validate_json(written(data), strict=True)
    except ValidationError as error:
        names = unknown(model, data)
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
            found.append(detail)
    return found
