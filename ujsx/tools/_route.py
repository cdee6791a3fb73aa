"""From what a model sent to an operation and its arguments, whatever layout it had in mind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from ujsx._errors import shown
from ujsx.schema._router import ARGS, CALL, OP, TOOL
from ujsx.tools._catalog import Catalog
from ujsx.tools._json import CallError, as_list, as_object, check_json, read
from ujsx.tools._operation import Operation
from ujsx.tools._place import place
from ujsx.tools._result import Repair

NAMES = (OP, TOOL, "operation", "name")
"""Properties that may hold the operation's name, the most telling first."""

NESTED = (ARGS, "arguments", "parameters", "input")
"""Properties that may hold its arguments."""

Data: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Route:
    """An operation and the arguments that are meant for it."""

    operation: Operation
    arguments: Data
    at: tuple[str, ...]
    """Where the arguments stood in what came."""


def opened(arguments: object, repairs: list[Repair]) -> Data:
    """Return the arguments as an object, whether they came as one, as its JSON text, or not at all.

    :raises CallError: for anything else.
    """
    if isinstance(arguments, str | bytes | bytearray):
        arguments = _from_text(arguments, repairs)
    if arguments is None:
        return {}
    arguments = _only(arguments, "$", repairs)
    if isinstance(arguments, Mapping):
        items = cast("Any", arguments).items()
        return {str(name): value for name, value in items}
    _check_one(arguments, "$")
    raise CallError(f"the arguments are an object, not {shown(cast('Any', arguments))}", path="$")


def routed(arguments: Data, catalog: Catalog, repairs: list[Repair]) -> Route:
    """Return the operation that the arguments of a router name, and its own arguments.

    :raises CallError: where they name none.
    """
    data, at = _unwrapped(arguments, catalog, repairs)
    key = next((key for key in NAMES if isinstance(data.get(key), str)), None)
    if key is None:
        raise CallError(catalog.missing(), path=place(at))
    name = data.pop(key)
    operation = catalog.find(name)
    if operation is None:
        raise CallError(catalog.unknown(name), path=place((*at, key)))
    if name != operation.name:
        repairs.append(Repair("name", place((*at, key))))
    if key != OP:
        repairs.append(Repair("layout", place((*at, key))))
    return addressed(operation, data, at, repairs)


def addressed(
    operation: Operation, data: Data, at: tuple[str, ...], repairs: list[Repair]
) -> Route:
    """Return the arguments that are meant for ``operation``, from wherever they stand in ``data``.

    They are taken out of ``args`` and the like, unless the operation has an argument of that name.
    """
    fields = operation.arguments.model_fields
    for key in NESTED:
        if key in data and key not in fields:
            inner = data[key]
            if isinstance(inner, str):
                check_json(inner, place((*at, key)))
                inner = read(inner, place((*at, key)), repairs)
            nested = {} if inner is None else as_object(inner)
            if nested is not None:
                beside = {name: value for name, value in data.items() if name != key}
                repairs.append(Repair("layout", place((*at, key))))
                if any(value is not None for value in beside.values()):
                    return Route(operation, {**beside, **nested}, at)
                return Route(operation, nested, (*at, key))
    return Route(operation, data, at)


def _unwrapped(data: Data, catalog: Catalog, repairs: list[Repair]) -> tuple[Data, tuple[str, ...]]:
    """Take the call out of ``{"call": …}``, or out of ``{"notes.add": {…}}``."""
    if catalog.find(data.get(OP)) is not None:
        return data, ()
    call = data.get(CALL)
    if isinstance(call, str):
        check_json(call, place([CALL]))
        found = read(call, place([CALL]), repairs)
        call = {OP: call} if isinstance(found, str) else found
    call = _only(call, place([CALL]), repairs)
    _check_one(call, place([CALL]))
    inner = as_object(call)
    if inner is not None:
        beside = {each: value for each, value in data.items() if each != CALL and value is not None}
        return {**beside, **inner}, (CALL,)
    said = [each for each, value in data.items() if value is not None]
    operation = catalog.find(said[0]) if len(said) == 1 else None
    if operation is not None and as_object(data[said[0]]) is not None:
        return {OP: operation.name, ARGS: data[said[0]]}, (said[0],)
    return data, ()


def _only(value: object, path: str, repairs: list[Repair]) -> object:
    """Return the one thing in a list of one; anything else as it is."""
    items = as_list(value)
    if items is None or len(items) != 1:
        return value
    repairs.append(Repair("list", path))
    return items[0]


def _check_one(value: object, path: str) -> None:
    """Refuse several calls at once."""
    items = as_list(value)
    if items is not None and len(items) > 1:
        raise CallError(
            f"one operation in a call, not a list of {len(items)}; send the first, then call again "
            "for the next",
            path=path,
        )


def _from_text(text: str | bytes | bytearray, repairs: list[Repair]) -> object:
    if not isinstance(text, str):
        text = bytes(text).decode("utf-8", "replace")
    if not text.strip():
        return None
    check_json(text, "$")
    value = read(text, "$", repairs)
    if isinstance(value, str):
        raise CallError(f"the arguments are an object, not the text {shown(text)}", path="$")
    return value
