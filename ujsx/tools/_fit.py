"""Makes arguments fit their model, where what was meant is beyond doubt.

The model decides: arguments are validated strictly, and each complaint is looked up in a table of
what can be mended safely. What is left when nothing more can be mended is the error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import reduce
from math import inf, isinf
from operator import getitem
from types import MappingProxyType
from typing import Any, TypeAlias, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ujsx.tools._json import as_list, as_object, parsed, written
from ujsx.tools._names import variant_of
from ujsx.tools._place import place
from ujsx.tools._result import Repair, RepairKind
from ujsx.tools._unknown import refused, unknown, unknown_within

ROUNDS = 8
"""How often complaints are mended: one round may bring the next to light, one level deeper."""

AT_ONCE = 50
"""Complaints that are mended in a round."""

_WHOLE = re.compile(r"\s*[+-]?\d{1,18}\s*", re.ASCII)
_NUMBER = re.compile(r"\s*[+-]?\d{1,18}(\.\d{1,18})?([eE][+-]?\d{1,3})?\s*", re.ASCII)

Mended: TypeAlias = tuple[RepairKind, Any]
"""What was done to a value, and what it is now."""

Path: TypeAlias = tuple[str | int, ...]
"""Where a value stands in the arguments."""


def fitted(
    model: type[BaseModel], arguments: dict[str, Any], at: tuple[str, ...], repairs: list[Repair]
) -> BaseModel:
    """Return the model's instance that the arguments make.

    ``null`` for an argument that need not be given means that it is not given: schemas in which
    every argument is required, and flat ones, leave a model no other way to say so.

    :param at: where the arguments stood in what came.
    :raises ValidationError: with what is wrong after all repairs.
    :raises CallError: for what is no JSON data.
    """
    data: dict[str, Any] = parsed(written(arguments))
    for name in [name for name, value in data.items() if value is None]:
        field = model.model_fields.get(name)
        if field is None or not field.is_required():
            del data[name]
            repairs.append(Repair("null", place((*at, name))))
    for _ in range(ROUNDS):
        try:
            return validated(model, data)
        except ValidationError as error:
            found: dict[Path, RepairKind] = {}
            for complaint in details(error)[:AT_ONCE]:
                _mend(model, data, complaint, found)
            if not found:
                raise
            repairs += (Repair(kind, place((*at, *where))) for where, kind in found.items())
    return validated(model, data)


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


def _mend(
    model: type[BaseModel],
    data: dict[str, Any],
    detail: ErrorDetails,
    found: dict[Path, RepairKind],
) -> None:
    """Mend what is complained about, and add to ``found`` what was done.

    A union complains once for each of its members; the first that can be satisfied is.
    """
    where, kind = detail["loc"], detail["type"]
    if kind in {"missing", "extra_forbidden"} and len(where) == 1:
        _rename(model, data, str(where[0]), found)
        return
    path = _path(data, where)
    if not path or path in found:
        return
    *above, last = path
    parent: Any = reduce(getitem, above, cast("Any", data))
    if parent[last] is None and above and as_object(parent) is not None:
        del parent[last]  # if it has to be given, the next round says so
        found[path] = "null"
        return
    mend = MENDS.get(kind)
    mended = None if mend is None else mend(parent[last], detail)
    if mended is not None:
        found[path], parent[last] = mended


def _rename(
    model: type[BaseModel], data: dict[str, Any], name: str, found: dict[Path, RepairKind]
) -> None:
    """Give an argument the name that its field has, whichever of the two was complained about."""
    fields = {field.alias or each for each, field in model.model_fields.items()}
    if name in fields:
        given = [each for each in data if each not in fields and variant_of(each, [name])]
        pair = (given[0], name) if len(given) == 1 else None
    else:
        meant = variant_of(name, fields - set(data))
        pair = (name, meant) if meant is not None and name in data else None
    if pair is not None:
        data[pair[1]] = data.pop(pair[0])
        found[pair[0],] = "name"


def _path(data: dict[str, Any], where: Iterable[str | int]) -> Path:
    """Return the place of the value that a complaint is about.

    Inside a union, a complaint has the union's labels in its place, which the data have not.
    """
    inside: Any = data
    path: list[str | int] = []
    for part in where:
        here: Any = cast("Any", inside) if isinstance(inside, dict | list) else None
        with suppress(LookupError, TypeError):  # a label of a union
            inside = here[part]
            path.append(part)
    return tuple(path)


def _integer(value: object, _detail: ErrorDetails) -> Mended | None:
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return "number", int(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return "number", int(value)
    return None


def _number(value: object, _detail: ErrorDetails) -> Mended | None:
    number = float(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else inf
    return None if isinf(number) else ("number", number)


def _boolean(value: object, _detail: ErrorDetails) -> Mended | None:
    words = {"true": True, "false": False}
    word = value.strip().lower() if isinstance(value, str) else None
    return None if word not in words else ("boolean", words[word])


def _text(value: object, _detail: ErrorDetails) -> Mended | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return "text", str(value)
    only = as_list(value)
    if only is not None and len(only) == 1 and isinstance(only[0], str):
        return "list", only[0]
    return None


def _list(value: object, _detail: ErrorDetails) -> Mended | None:
    if isinstance(value, str) and value.strip()[:1] == "[":
        items = as_list(_data(value))
        if items is not None:
            return "json text", items
    return None if value is None else ("list", [value])


def _object(value: object, _detail: ErrorDetails) -> Mended | None:
    data = as_object(_data(value)) if isinstance(value, str) else None
    return None if data is None else ("json text", data)


def _choice(value: object, detail: ErrorDetails) -> Mended | None:
    expected = str(detail.get("ctx", {}).get("expected", ""))
    choices = [word for word in re.findall(r"'([^']*)'", expected) if word != value]
    meant = variant_of(value, choices)
    return None if meant is None else ("name", meant)


def _data(text: str) -> Any:
    try:
        return parsed(text)
    except ValueError:
        return None


MENDS: Mapping[str, Callable[[object, ErrorDetails], Mended | None]] = MappingProxyType(
    {
        "int_type": _integer,
        "int_parsing": _integer,
        "int_from_float": _integer,
        "float_type": _number,
        "float_parsing": _number,
        "bool_type": _boolean,
        "bool_parsing": _boolean,
        "string_type": _text,
        "list_type": _list,
        "tuple_type": _list,
        "set_type": _list,
        "frozen_set_type": _list,
        "dict_type": _object,
        "model_type": _object,
        "model_attributes_type": _object,
        "mapping_type": _object,
        "literal_error": _choice,
        "enum": _choice,
    }
)
"""What may be done about each type of complaint of Pydantic's."""
