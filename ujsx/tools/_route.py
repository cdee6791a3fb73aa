"""From what a model sent to an operation and its arguments, whatever layout it had in mind."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from ujsx.components._documented import first_text
from ujsx.errors import shown
from ujsx.schema._router import ARGS, CALL, OP
from ujsx.tools._catalog import Catalog
from ujsx.tools._join import Disputed, check_disputed, joined
from ujsx.tools._json import CallError, as_list, as_object, is_item, place, read, told
from ujsx.tools._lenient import (
    ALSO_NAMES,
    CALL_IDS,
    ENVELOPE_FIELDS,
    ENVELOPE_TYPES,
    ENVELOPES,
    IN_USUAL_CASE,
    NAMES,
    NESTED,
    OF_ITEMS,
    PLURALS,
    STATUSES,
    SUBJECTS,
    VERBS,
)
from ujsx.tools._names import folded, names
from ujsx.tools._null import is_value
from ujsx.tools._operation import Operation
from ujsx.tools._result import Repair
from ujsx.tools._several import SeveralError

LEVELS = 5
"""How many envelopes may be inside each other."""

Data: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Route:
    """An operation and the arguments that are meant for it."""

    operation: Operation
    arguments: Data
    at: tuple[str, ...]
    """Where the arguments stood in what came."""


def opened(arguments: object, repairs: list[Repair], catalog: Catalog | None = None) -> Data:
    """Return the arguments as an object, whether they came as one, as its JSON text, or not at all.

    :param catalog: the operations of which a text alone may name one that reads; None where it is about one already.
    :raises SeveralError: for a list of them.
    :raises CallError: for anything else.
    """
    if isinstance(arguments, str | bytes | bytearray):
        arguments = _from_text(arguments, repairs, catalog)
    if arguments is None:
        return {}
    arguments = _one(arguments, (), repairs)
    if isinstance(arguments, Mapping):
        items = cast("Any", arguments).items()
        return {str(name): value for name, value in items}
    raise CallError(f"the arguments are an object, not {shown(cast('Any', arguments))}", path="$")


def routed(
    arguments: Data, catalog: Catalog, repairs: list[Repair], called: Operation | None = None
) -> Route:
    """Return the operation that is meant, and its own arguments, out of whatever envelope.

    :param called: the operation whose own tool was called; ``None`` for the tool that all share.
    :raises CallError: where the arguments name no operation, or several.
    """
    data, at = arguments, tuple[str, ...]()
    disputed: Disputed = {}
    own = frozenset[str]() if called is None else names(called.arguments)
    for _ in range(LEVELS):
        data = _without_type(data, own)
        if OP not in own and isinstance(data.get(OP), list):
            data = _with_one_name(data, at, repairs)
        key = _name_in(data, own, catalog, called)
        if key is None and not data.keys() <= _USUAL:
            data = _in_usual_case(data, own)
            key = _name_in(data, own, catalog, called)
        if key is not None:
            name = data[key]
            rest = {each: value for each, value in data.items() if each != key}
            operation = catalog.by_name.get(name) or catalog.taking(name, _within(rest))
            is_split = operation is None or not _HALVES.isdisjoint(data)
            whole = _in_two(data, key, catalog) if is_split else None
            if operation is None and whole is None and len(rest) == 1:  # {"args": {"section": …}}
                whole = _in_two({key: name, **_within(rest)}, key, catalog)
                rest = rest if whole is None else _within(rest)
            if whole is not None and operation in (None, whole[0]):
                operation, about = whole
                if rest.pop(about or "", None) is not None:
                    repairs.append(Repair("layout", place((*at, str(about)))))
            if operation is None and called is None:
                operation = (
                    catalog.meant(name)
                    or catalog.shorthand(name, _within(rest))
                    or _about(rest, name, catalog)
                )
            if operation is not None:
                _say_name(name, operation, (*at, key), repairs)
                meant = _agreed(operation, called, (*at, key))
                return addressed(meant, rest, at, repairs, catalog, disputed=disputed)
            if not catalog.is_tool(name) and not any(as_list(rest.get(each)) for each in ENVELOPES):
                raise CallError(catalog.unknown(_told_with(rest, name)), path=place((*at, key)))
            repairs.append(Repair("wrapper", place((*at, key))))
            data = rest
        found = _inside(data, own, catalog, at, repairs, disputed=disputed)
        if found is None:
            break
        data, at = found
    if called is None and data.get(OP) is not None:
        said = f"the name of an operation is a text, not {told(data[OP])}"
        raise CallError(said, path=place((*at, OP)))
    if called is None:
        given = {name: value for name, value in data.items() if value is not None}
        brief = _in_brief(given, catalog)
        if brief is None:
            raise CallError(catalog.missing(), path=place(at))
        repairs.append(Repair("layout", place(at)))
        called, data = brief
    return addressed(called, data, at, repairs, catalog, disputed=disputed)


def _in_brief(data: Data, catalog: Catalog) -> tuple[Operation, Data] | None:
    """The operation that data without its name tell, and its arguments. Nothing is told by null.

    :raises SeveralError: for several, each under a name of its own: ``{"task": "Ship it", "steps": ["Build", "Test"]}``.
    """
    plain = [name for name, value in data.items() if not isinstance(value, dict)]
    brief = [each for name in plain if (each := catalog.shorthand(name, data)) is not None]
    if len(brief) == 1:
        return brief[0], data
    about = next((each for each in SUBJECTS if isinstance(data.get(each), str)), None)
    if about is not None:
        rest = {name: value for name, value in data.items() if name != about}
        named = catalog.shorthand(data[about], _within(rest))
        if named is None and len(rest) == 1:  # {"section": "notes", "add": "Port 8080"}
            [(verb, value)] = rest.items()
            named, rest = catalog.meant(f"{data[about]}.{verb}"), {ARGS: value}
        return None if named is None else (named, rest)
    holds = catalog.has_words and any(isinstance(value, list | dict) for value in data.values())
    if len(data) > 1 and holds and all(catalog.takes(each) or catalog.meant(each) for each in data):
        raise SeveralError([{name: value} for name, value in data.items()])
    return None


def is_half(name: str, data: Data, catalog: Catalog) -> bool:
    """Tell whether the tool that was called is half the name of an operation, and a member of the data the other."""
    if catalog.takes(name) and not data.keys().isdisjoint((*NAMES, *ALSO_NAMES)):
        return True
    about = _about(data, name, catalog)
    return about is not None or _in_two({OP: name, **data}, OP, catalog) is not None


def addressed(
    operation: Operation,
    data: Data,
    at: tuple[str, ...],
    repairs: list[Repair],
    catalog: Catalog,
    *,
    disputed: Disputed,
) -> Route:
    """Return the arguments that are meant for ``operation``, from wherever they stand in ``data``.

    They are taken out of ``args`` and the like, unless the operation has an argument of that name.
    Its name may stand in ``data`` once more. Null beside them is left out where it can only mean that
    nothing is given.

    :raises CallError: for what is given twice, and is not the same.
    """
    own = names(operation.arguments)
    again = [
        key
        for key in NAMES
        if key in data
        and key not in own
        and (catalog.find(data[key]) is operation or catalog.is_tool(data[key]))
    ]
    repairs += (Repair("wrapper", place((*at, key))) for key in again)
    ids = CALL_IDS - own if at else frozenset[str]()  # of the envelope that was taken off
    data = {key: value for key, value in data.items() if key not in again and key not in ids}
    where = at
    for _ in range(LEVELS):
        inner = _held(operation, data, where, repairs, own, disputed=disputed)
        if inner is None:
            break
        data, where = inner
    if disputed:
        check_disputed(operation.arguments, disputed)
    return Route(*_by_status(operation, data, where, repairs, catalog), where)


def _by_status(
    operation: Operation, data: Data, at: tuple[str, ...], repairs: list[Repair], catalog: Catalog
) -> tuple[Operation, Data]:
    """The operation that a status tells, and the other arguments: ``{"op": "blockers.update", "id": "b-6", "status": "resolved"}``.

    :raises CallError: that names the operation, where it does not take the others, or may not be meant.
    """
    if operation.respelt is None:
        return operation, data
    known = names(operation.arguments)
    for key, value in data.items():
        said = value if key in STATUSES else key if value is True else None
        if key in known or not isinstance(said, str) or not said.strip():
            continue
        name = f"{operation.name.rpartition('.')[0]}.{said}"
        told = catalog.meant(name)
        rest = {name: value for name, value in data.items() if name != key}
        is_alike = told and first_text(told.arguments) == first_text(operation.arguments)
        if told and is_alike and Catalog.fits(told, rest):
            repairs.append(Repair("name", place((*at, key))))
            return told, rest
        hint = catalog.hint(name)
        if told is not operation and "did you mean" in hint and key not in operation.respelt(data):
            raise CallError(f"no such argument; {hint}", path=place((*at, key)))
    return operation, data


def _within(data: Data) -> Data:
    """The arguments, where they stand in a member of their own."""
    held = (as_object(data[key]) for key in NESTED if key in data)
    return next((each for each in held if each is not None), data)


def _held(
    operation: Operation,
    data: Data,
    at: tuple[str, ...],
    repairs: list[Repair],
    own: frozenset[str],
    *,
    disputed: Disputed,
) -> tuple[Data, tuple[str, ...]] | None:
    """Take the arguments out of the member that holds them; ``None`` where none does."""
    holders = [key for key in NESTED if key in data and key not in own]
    if operation.respelt is not None and dict in map(type, data.values()):
        respelt = operation.respelt(data)
        holders += [key for key in respelt if key not in own and as_object(data[key]) is not None]
    for key in sorted(holders, key=lambda each: data[each] is None):
        try:
            inner = _opened(data[key], (*at, key), repairs)
        except SeveralError as error:
            raise error.of(operation, {each: data[each] for each in data if each != key}) from None
        nothing = inner is None or (isinstance(inner, str) and not inner.strip())
        text = first_text(operation.arguments)
        if text is not None and text not in data and is_item(inner):
            repairs.append(Repair("item", place((*at, key))))
            inner = {text: inner}
        nested = {} if nothing else as_object(inner)
        if nested is None:
            continue
        repairs.append(Repair("layout", place((*at, key))))
        beside = {
            name: value
            for name, value in data.items()
            if name != key
            and (name in own or name not in CALL_IDS)
            and (value is not None or is_value(operation.arguments, name))
        }
        if not beside:
            return nested, (*at, key)
        return joined(beside, nested, (*at, key), disputed), at
    return None


def _without_type(data: Data, own: frozenset[str]) -> Data:
    """The data without what a provider's envelope has beside name and arguments."""
    for key in ("type", "method"):
        kind = data.get(key)
        if key not in own and isinstance(kind, str) and kind in ENVELOPE_TYPES:
            return {each: data[each] for each in data if each not in {*ENVELOPE_FIELDS, key}}
    return data


_USUAL = frozenset(IN_USUAL_CASE.values())

_HALVES = frozenset(SUBJECTS)


def _in_usual_case(data: Data, own: frozenset[str]) -> Data:
    """The data with the members around arguments in their usual case: ``OP``, ``Args``."""
    usual = {key: IN_USUAL_CASE.get(key.casefold(), key) for key in data if key not in own}
    named = [usual.get(key, key) for key in data]
    return data if len({*named}) < len(data) else dict(zip(named, data.values(), strict=True))


def _in_two(data: Data, key: str, catalog: Catalog) -> tuple[Operation, str | None] | None:
    """The operation whose name stands in two members, and the second of them, unless it is an argument, too."""
    said = data[key]
    whole = catalog.find(said)
    for other in (*SUBJECTS, *(() if whole is not None else (*NAMES, *ALSO_NAMES))):
        half = data.get(other)
        if other == key or not isinstance(half, str):
            continue
        found = catalog.meant(f"{half}.{said}")
        if found is not None and other not in names(found.arguments):
            is_whole = found.name == f"{half}.{said}" or (
                catalog.takes(half)
                and (whole is None or other not in OF_ITEMS or _begins(whole, half))
            )
            if is_whole or (other in VERBS and catalog.meant(said) is None):
                return found, other
        found = catalog.meant(f"{other}.{said}")
        if found is not None and other in names(found.arguments):
            return found, None
    return None


def _begins(operation: Operation, half: str) -> bool:
    return folded(operation.name).startswith(folded(half).removesuffix("s"))


def _about(data: Data, name: str, catalog: Catalog) -> Operation | None:
    """The operation of a name that lacks what it is about, where one argument alone tells that: ``{"op": "remove", "note": "n-1"}``."""
    found = [catalog.meant(f"{key}.{catalog.without_tool(name)}") for key in data]
    meant = {each.name: each for each in found if each is not None}
    return next(iter(meant.values())) if len(meant) == 1 else None


def _told_with(data: Data, name: str) -> str:
    """A name that is not known, behind what it is about."""
    about = next((data[key] for key in SUBJECTS if isinstance(data.get(key), str)), None)
    verb = next((data[key] for key in VERBS if isinstance(data.get(key), str)), None)
    if about is None:
        return name if verb is None else f"{name}.{verb}"
    return f"{about}.{name}"


def _with_one_name(data: Data, at: tuple[str, ...], repairs: list[Repair]) -> Data:
    """The data with the name of the operation out of a list of one."""
    named = as_list(data[OP])
    if named is None or len(named) != 1 or not isinstance(named[0], str):
        return data
    repairs.append(Repair("list", place((*at, OP))))
    return {**data, OP: named[0]}


def _name_in(
    data: Data, own: frozenset[str], catalog: Catalog, called: Operation | None
) -> str | None:
    """The member that names the operation, or the tool."""
    for key in NAMES:
        if key not in data or key in own:
            continue
        name = data[key]
        if not isinstance(name, str):
            continue
        if called is None or catalog.find(name) is not None or catalog.is_tool(name):
            return key
    for key in ALSO_NAMES if called is None else ():
        if isinstance(data.get(key), str) and (
            catalog.meant(data[key]) is not None or _in_two(data, key, catalog) is not None
        ):
            return key
    return None


def _agreed(named: Operation, called: Operation | None, at: tuple[str, ...]) -> Operation:
    """The operation that is named, if it is the one that was called."""
    if called is not None and named is not called:
        raise CallError(
            f"the tool of {called.name} was called, and the arguments name {named.name}; call that "
            "one, or leave the name out",
            path=place(at),
        )
    return named


def _say_name(name: str, operation: Operation, at: tuple[str, ...], repairs: list[Repair]) -> None:
    if name != operation.name:
        repairs.append(Repair("name", place(at)))
    if at[-1] != OP:
        repairs.append(Repair("layout", place(at)))


def _inside(
    data: Data,
    own: frozenset[str],
    catalog: Catalog,
    at: tuple[str, ...],
    repairs: list[Repair],
    *,
    disputed: Disputed,
) -> tuple[Data, tuple[str, ...]] | None:
    """Take the call out of the envelope that it stands in; ``None`` where it stands in none."""
    for key in _HOLDERS:
        if key not in data or key in own or data[key] is None:
            continue
        if key in PLURALS and catalog.takes(key):
            continue
        inner = _opened(data[key], (*at, key), repairs)
        if isinstance(inner, str) and key in ENVELOPES:
            inner = {OP: inner}
        call = as_object(inner)
        if call is not None:
            if key != CALL:
                repairs.append(Repair("wrapper", place((*at, key))))
            beside = {name: value for name, value in data.items() if name != key}
            if beside:
                call = joined(beside, call, (*at, key), disputed)
            return call, (*at, key)
    said = [name for name, value in data.items() if value is not None]
    if len(said) != 1 or said[0] in own:
        return None
    only = said[0]
    call = as_object(data[only])
    operation = catalog.meant(only) or catalog.shorthand(only, call or {})
    beside = {name: None for name in data if name != only}
    if operation is None and call is not None and len(call) == 1:  # {"notes": {"add": …}}
        [verb] = call
        operation = catalog.meant(f"{only}.{verb}")
        if operation is not None:
            return {**beside, OP: operation.name, ARGS: call[verb]}, (*at, only, verb)
    is_around = catalog.is_tool(only)
    if call and operation and not names(operation.arguments) and catalog.find(only) is None:
        is_around = True  # {"state": {"task": …}} says what is to be set
    elif operation is not None and (call is not None or is_item(data[only]) or as_list(data[only])):
        return {**beside, OP: operation.name, ARGS: data[only]}, (*at, only)
    if call is None or not is_around:
        return None
    repairs.append(Repair("wrapper", place((*at, only))))
    return joined(beside, call, (*at, only), disputed), (*at, only)


_HOLDERS = (*ENVELOPES, *NESTED)
"""Members that may hold a call or its arguments."""


def _opened(value: object, at: tuple[str, ...], repairs: list[Repair]) -> object:
    """The value, out of JSON text and out of a list of one."""
    return _one(read(value, place(at), repairs) if isinstance(value, str) else value, at, repairs)


def _one(value: object, at: tuple[str, ...], repairs: list[Repair]) -> object:
    """Return the one thing in a list of one, and anything but a list as it is.

    :raises CallError: for several calls at once.
    """
    items = as_list(value)
    if items is not None and len(items) == 1:
        repairs.append(Repair("list", place(at)))
        value = items[0]
        items = as_list(value)
    if items is not None and len(items) > 1:
        raise SeveralError(items, path=place(at))
    return value


def _from_text(
    text: str | bytes | bytearray, repairs: list[Repair], catalog: Catalog | None
) -> object:
    if not isinstance(text, str):
        text = bytes(text).decode("utf-8", "replace")
    if not text.strip():
        return None
    value = read(text, "$", repairs)
    if isinstance(value, str):
        named = catalog.meant(value.strip()) if catalog is not None and is_item(value) else None
        if named is None or not named.reads:
            send = "" if named is None else f"; send {json.dumps({CALL: {OP: named.name}})}"
            said = f"the arguments are an object, not the text {shown(text)}{send}"
            raise CallError(said, path="$")
        repairs.append(Repair("item", "$"))
        return {OP: named.name}
    return value
