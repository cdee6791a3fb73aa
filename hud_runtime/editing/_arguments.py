"""The arguments of an operation, checked as a call of it would be: what does not fit is a problem."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails, to_jsonable_python

from hud_components.declaring import Partial, as_text, is_set
from hud_components.folding import Verb
from hud_runtime.editing._editable import Editable
from hud_runtime.editing._result import Edit, Problem
from hud_runtime.editing._rows import Row, SourcePlace
from ujsx.errors import complaint, is_raised, listed, shown


def called(
    kind: Editable, verb: Verb, arguments: Mapping[str, object], place: SourcePlace, title: str
) -> Edit | list[Problem]:
    """Return the call of an operation, or why its arguments do not fit.

    :param title: that of the section, for problems.
    """
    try:
        valid = kind.arguments(verb).model_validate(arguments)
    except ValidationError as error:
        return [*_problems(error, kind, verb, place, title)]
    return Edit(kind.operation(verb), _sent(valid), place.line)


def checked(
    kind: Editable, verb: Verb, values: Mapping[str, object], place: SourcePlace, title: str
) -> list[Problem]:
    """Return why there can be no item, or value, of these fields; nothing if there can."""
    try:
        kind.section.value.model_validate(values)
    except ValidationError as error:
        return [*_problems(error, kind, verb, place, title)]
    return []


def taken(
    kind: Editable, verb: Verb, row: Row, place: SourcePlace, title: str
) -> dict[str, object] | list[Problem]:
    """Return what a row tells that an operation takes, or what it tells that nobody can say."""
    said: dict[str, object] = {}
    problems: list[Problem] = []
    for name, value in row.said.items():
        info = kind.section.value.model_fields[name]
        usual = info.get_default(call_default_factory=True)
        what = ""
        if not kind.takes(verb, name):
            if row.told.get(name, "") != (as_text(usual) if is_set(usual) else ""):
                what = "only operations set it; leave it out"
        elif is_set(value) or value != usual:
            try:
                said[name] = merged(row, name, None)
            except ValueError as error:
                what = f"{error}; `hud {kind.operation(verb)}` takes all of it"
        if what:
            problems.append(Problem(what, place.line, place.column, title, name))
    return problems or said


def merged(row: Row, name: str, old: object) -> object:
    """Return what a row says of a field, where its value was another one.

    :raises ValueError: where it says too little, with the reason.
    """
    look, value = row.form.looks.get(name), row.said[name]
    if look is not None and look.merge is not None and is_set(value) and name in row.values:
        return look.merge(old, row.values[name])
    if isinstance(value, Partial):
        known = row.form.examples[name]
        is_choice = look is None or look.write is as_text
        instead = f"one of {listed(known)}" if is_choice else f"it like {shown(known[0])}"
        raise ValueError(f"write {instead}, not {shown(value)}")  # noqa: TRY004 - of a text, not a type
    return value


def _problems(
    error: ValidationError, kind: Editable, verb: Verb, place: SourcePlace, title: str
) -> Iterator[Problem]:
    for each in error.errors():
        field = ".".join(map(str, each["loc"])) or None
        message = _message(each, kind.operation(verb))
        yield Problem(message, place.line, place.column, title, field)


def _message(error: ErrorDetails, operation: str) -> str:
    if error["type"] == "missing":
        return f"it is required, and this line does not tell it; `hud {operation}` takes it"
    if error["type"] == "string_too_short":
        return f"{error['msg']}; write something"
    given = error["input"]
    if is_raised(error) or not isinstance(given, str):
        return complaint(error)
    return f"{error['msg']}, not {shown(given)}"


def _sent(valid: BaseModel) -> dict[str, Any]:
    """The arguments that were given, as a call of the tool has them: dates are texts there."""
    return {
        name: value if isinstance(value, tuple) else to_jsonable_python(value)
        for name, value in valid.model_dump(exclude_unset=True).items()
    }
