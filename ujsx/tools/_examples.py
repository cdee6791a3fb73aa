"""Example calls, the nearest valid call, and the answer to an invalid one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ujsx.errors import complaint, did_you_mean, is_raised, nearest, quoted
from ujsx.schema._convert import item_of, member_of
from ujsx.schema._definition import tool_schema
from ujsx.schema._keywords import Schema, as_list, is_list, is_object, pruned, resolved, target
from ujsx.schema._rewrites import forms
from ujsx.schema._router import ARGS, CALL, OP, TOOL
from ujsx.text import one_line, visible
from ujsx.tools._fit import PERCENTAGE, details, place_in, validated
from ujsx.tools._json import in_json, parsed, place, written
from ujsx.tools._names import Elsewhere, elsewhere, names_at, variant_of
from ujsx.tools._operation import Operation

LEVELS = 4
"""The maximum nesting of objects and lists in an example."""

SAMPLES: dict[str, Any] = {
    "string": "…", "number": 1, "integer": 1, "boolean": True, "null": None, "object": {}, "array": [],
}  # fmt: skip
"""A value of each type; the text is its own placeholder."""

OF_FORMATS: dict[str, str] = {
    "date": "2000-01-01", "date-time": "2000-01-01T00:00:00Z", "time": "00:00:00Z", "duration": "P1D",
    "email": "a@example.com", "uri": "https://example.com", "uuid": "00000000-0000-4000-8000-000000000000",
}  # fmt: skip
"""A text of each format (JSON Schema 2020-12, validation, section 7.3)."""

FORMS: dict[str, str] = {
    "date": "date: YYYY-MM-DD",
    "time": "time: hh:mm",
    "date-time": "date-time with offset: YYYY-MM-DDThh:mm:ssZ",
    "duration": "duration: P1DT2H30M",
}
"""Placeholders of formats whose name is not enough: a brief router does not name the format. Python and ISO 8601 have times
without an offset, but not RFC 3339, which JSON Schema refers to.
"""

LONGEST_CHOICES = 80
"""The most characters of choices in a placeholder."""


@dataclass(frozen=True, slots=True)
class MadeUp:
    """A generated value, and its placeholder in text."""

    value: Any
    placeholder: str


LOCAL_TIME = MadeUp("2000-01-01T00:00:00", "<date-time: YYYY-MM-DDThh:mm:ss>")
"""A date-time without an offset."""

STEPS = 12
"""The most faults that are repaired to find the nearest valid call."""

LONGEST_TEXT = 60
"""The most characters of a text in a displayed call."""


def example(operation: Operation, *, shared: bool) -> str | None:
    """Return a call with the required arguments, or ``None`` if none can be generated.

    :param shared: whether operations share a tool.

    >>> from ujsx.elements import Link, Omitted
    >>> example(Operation("link", Link), shared=True)
    '{"call": {"op": "link", "url": "…"}}'
    >>> example(Operation("omit", Omitted), shared=False)
    '{"count": "<integer>"}'
    """
    made = _made(operation)
    return None if made is None else _written(operation, made, shared=shared)


def example_arguments(operation: Operation) -> dict[str, Any] | None:
    """Return the required arguments with valid values, or ``None`` if none can be generated.

    >>> from ujsx.elements import Link
    >>> example_arguments(Operation("link", Link))
    {'url': '…'}
    """
    made = _made(operation)
    return None if made is None else _plain(made)


def _made(operation: Operation) -> dict[str, Any] | None:
    """Return the required arguments, as far as they can be generated."""
    schema = tool_schema(operation.arguments)
    made = _sample(schema, schema, LEVELS)
    made |= {name: LOCAL_TIME for name in made if name in operation.local_times}
    return made if _fits(operation.arguments, made) else None


def example_of(operations: Sequence[Operation], layout: str) -> str | None:
    """Return a call of the first operation with an argument, in a layout's form.

    >>> from ujsx.elements import Link, ThematicBreak
    >>> operations = [Operation("rule", ThematicBreak), Operation("link", Link)]
    >>> example_of(operations, "flat")
    '{"op": "link", "url": "…"}'
    """
    made = [(each, _made(each)) for each in operations]
    known = [(each, arguments) for each, arguments in made if arguments is not None]
    if not known:
        return None
    operation, arguments = next((each for each in known if each[1]), known[0])
    call: dict[str, Any]
    match layout:
        case "grouped" | "signatures":
            call = {CALL: {OP: operation.name, **arguments}}
        case "flat":
            call = {OP: operation.name, **arguments}
        case "loose":
            call = {TOOL: operation.name, ARGS: arguments}
        case _:
            call = arguments
    return _text(call)


def with_example(text: str, call: str | None) -> str:
    """Return a tool's description with an example call appended, if there is one."""
    return text if call is None else f"{text}\nFor example {call}".lstrip("\n")


def nearest_call(operation: Operation, arguments: dict[str, Any], *, shared: bool) -> str | None:
    """Return the valid call that keeps most of ``arguments``, or ``None``.

    Valid arguments stay. A misspelt name is corrected, a misplaced member is moved one level in or out, and other
    unknown names are dropped. An invalid or missing value becomes the nearest choice, an example of its schema, or else
    a placeholder that describes it.

    >>> from ujsx.elements import Link
    >>> nearest_call(Operation("link", Link), {"ulr": "https://a.b", "x": 1, "title": 3}, shared=False)
    '{"title": "…", "url": "https://a.b"}'
    """
    model = operation.arguments
    schema = tool_schema(model)
    data: dict[str, Any] = parsed(written(arguments))
    for _ in range(STEPS):
        try:
            validated(model, _plain(data))
        except ValidationError as error:
            # a misspelt name may be the missing one
            fault = min(details(error), key=lambda each: each["type"] != "extra_forbidden")
            if not _amended(operation, data, fault, schema):
                break
        except Exception:  # noqa: BLE001 - a model's own validators may raise anything
            break
        else:
            shown = _short(data)
            return _written(operation, shown if _fits(model, shown) else data, shared=shared)
    return example(operation, shared=shared)


def _amended(operation: Operation, data: dict[str, Any], fault: ErrorDetails, root: Schema) -> bool:
    """Repair one fault; tell whether anything changed."""
    model, where = operation.arguments, place_in(data, fault)
    parent, place = _parent(data, where), root
    for part in where[:-1]:
        place = _below(place, part, root)
    if parent is None or not where:
        return False
    last: Any = where[-1]
    if fault["type"] == "extra_forbidden":
        if last not in parent:
            return False
        value = parent.pop(last)
        here = resolved(place, root)
        known = [name for name in here.get("properties", {}) if name not in parent]
        meant = nearest(str(last), known)
        belongs = elsewhere(model, where[:-1], str(last), value)
        if meant is not None and not belongs.is_way:
            parent[meant] = value
        else:
            _move(data, belongs, len(where) - 1, value, here.get("required", ()))
        return True
    is_local = where == (last,) and last in operation.local_times
    made = LOCAL_TIME if is_local else _sample(_below(place, last, root), root, LEVELS)
    before = _plain(parent[last]) if fault["type"] != "missing" and _has(parent, last) else None
    choices = resolved(_below(place, last, root), root).get("enum", [])
    texts = [each for each in choices if isinstance(each, str)]
    if isinstance(before, str) and (meant := nearest(before, texts)):
        made = meant
    if before == _plain(made) and fault["type"] != "missing":
        return False
    if is_list(parent) and not _has(parent, last):
        return False
    parent[last] = made
    return True


def _move(
    data: dict[str, Any], belongs: Elsewhere, level: int, value: Any, required: Collection[str]
) -> None:
    """Move the value of an unknown name to its only possible place, if that is free.

    :param level: the depth of the object with the name.
    :param required: its required names; of several possible members, the required one is meant.
    """
    if belongs.unwrapped:
        for path, each in zip(belongs.unwrapped, value.values(), strict=True):
            _place(data, path, each)
        return
    needed = [path for path in belongs.inside if path[level] in required]
    above = [] if belongs.inside or belongs.outside is None else [belongs.outside]
    for path in next((each for each in (belongs.inside, needed, above) if len(each) == 1), ()):
        _place(data, path, value)


def _place(data: dict[str, Any], path: Sequence[str | int], value: Any) -> None:
    here: Any = data
    part: Any
    for part, below in pairwise(path):
        if isinstance(part, str) and is_object(here) and part not in here:
            here[part] = [{}] if isinstance(below, int) else {}
        here = here[part] if _has(here, part) else None
    if is_object(here):
        here.setdefault(str(path[-1]), value)


def _has(parent: Any, part: Any) -> bool:
    if is_object(parent):
        return part in parent
    return is_list(parent) and isinstance(part, int) and part < len(parent)


def _parent(data: Any, where: Sequence[str | int]) -> Any:
    """Return the object or list that contains a place, or ``None``."""
    here: Any = data
    for part in where[:-1]:
        holder = cast("Any", here if isinstance(here, dict | list) else None)
        here = holder[part] if _has(holder, part) else None
    return cast("Any", here) if isinstance(here, dict | list) else None


def _below(schema: Any, part: str | int, root: Schema) -> Schema:
    """Return the schema of a member or an item; for a union, from the first branch with one."""
    found = resolved(schema, root)
    inner = item_of(found, part) if isinstance(part, int) else member_of(found, part)
    if is_object(inner):
        return inner
    for each in found.get("anyOf") or found.get("oneOf") or ():
        if inner := _below(each, part, root):
            return inner
    return {}


def _written(operation: Operation, arguments: dict[str, Any], *, shared: bool) -> str:
    return _text({CALL: {OP: operation.name, **arguments}} if shared else arguments)


def _text(value: Any) -> str:
    """Return data as JSON, with placeholders for generated values."""
    if isinstance(value, MadeUp):
        return json.dumps(value.placeholder, ensure_ascii=False)
    if is_object(value):
        members = (
            f"{json.dumps(name, ensure_ascii=False)}: {_text(each)}" for name, each in value.items()
        )
        return f"{{{', '.join(members)}}}"
    if is_list(value):
        return f"[{', '.join(map(_text, value))}]"
    return json.dumps(value, ensure_ascii=False)


def _with_leaves(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return data with each value that holds no others changed."""
    if is_list(value):
        return [_with_leaves(each, change) for each in value]
    if is_object(value):
        return {name: _with_leaves(each, change) for name, each in value.items()}
    return change(value)


def _plain(value: Any) -> Any:
    """Return data with the generated values."""
    return _with_leaves(value, lambda each: each.value if isinstance(each, MadeUp) else each)


def _fits(model: type[BaseModel], arguments: Any) -> bool:
    try:
        validated(model, _plain(arguments))
    except Exception:  # noqa: BLE001 - a model's own validators may raise anything
        return False
    return True


def _short(value: Any) -> Any:
    """Return data with long texts cut."""
    return _with_leaves(
        value, lambda each: cut(each, LONGEST_TEXT) if isinstance(each, str) else each
    )


def _sample(schema: Any, root: Schema, levels: int) -> Any:
    """Return a value valid for a part of a schema, by its types, choices and bounds."""
    found = target(root, schema["$ref"]) if "$ref" in schema else schema
    if found.get("examples"):
        return found["examples"][0]
    if "const" in found:
        return found["const"]
    if found.get("enum"):
        return _one_of(found["enum"])
    if levels == 0:
        return None
    branches = found.get("anyOf") or found.get("oneOf")
    if branches:
        return _sample(branches[0], root, levels)
    kind = as_list(found.get("type", "null"))[0]
    if kind == "object":
        properties: Schema = found.get("properties", {})
        needed = found.get("required", ())
        return {name: _sample(properties[name], root, levels - 1) for name in needed}
    if kind == "array":
        least = max(found.get("minItems", 1), 1)
        return [_sample(found.get("items", {}), root, levels - 1)] * least
    if kind in {"integer", "number"}:
        if {"minimum", "maximum"} <= found.keys():
            least, most = found["minimum"], found["maximum"]
            between = least if kind == "integer" else (least + most) / 2
            return MadeUp(between, f"<{kind} from {least} to {most}>")
        return MadeUp(found.get("minimum", SAMPLES[kind]), f"<{kind}>")
    if kind == "boolean":
        return _one_of([True, False])
    if kind == "string" and (form := found.get("format")) in OF_FORMATS:
        return MadeUp(OF_FORMATS[form], f"<{FORMS.get(form, form)}>")
    return SAMPLES[kind]


def _one_of(choices: Sequence[Any]) -> Any:
    """Return the only choice, or the first, with a placeholder that lists them all."""
    if len(choices) == 1:
        return choices[0]
    said = " | ".join(
        each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in choices
    )
    shown = said if len(said) <= LONGEST_CHOICES else "one of the choices"
    return MadeUp(choices[0], f"<{shown}>")


# The answer to an invalid call: the place, the expected value, and the schema.

PROBLEMS = 3
"""The most problems reported one by one; fixing the first often fixes the others."""

LONGEST_SENTENCE = 240
"""The most characters of one problem."""

LONGEST_SCHEMA = 1_600
"""The most characters of a schema in an answer, about 400 tokens; beyond, only argument names are listed."""


def schema_text(operation: Operation) -> str:
    """Return the schema of the operation's arguments as compact JSON.

    >>> from ujsx.elements import ThematicBreak
    >>> schema_text(Operation("rule", ThematicBreak))
    '{"additionalProperties":false,"properties":{},"type":"object"}'
    """
    return _within(tool_schema(operation.arguments), LONGEST_SCHEMA)


def takes(operation: Operation, problems: Sequence[Mapping[str, Any]]) -> str:
    """Return the accepted arguments at the places of problems; only names if no place is known.

    >>> from ujsx.elements import Link
    >>> print(takes(Operation("link", Link), [{"path": "$.url", "problem": "…", "schema": {"type": "string"}}]))
    $.url takes {"type":"string"}
    >>> print(takes(Operation("link", Link), []))
    link takes {"properties":["url","title"],"required":["url"]}
    """
    parts = {each["path"]: each["schema"] for each in problems if "schema" in each}
    if not parts:
        return f"{operation.name} takes {_names(tool_schema(operation.arguments), LONGEST_SCHEMA)}"
    width = LONGEST_SCHEMA // len(parts)
    return "\n".join(f"{path} takes {_within(part, width)}" for path, part in parts.items())


def _within(schema: Schema, width: int) -> str:
    """Return a schema as compact JSON, or its members' names if that is longer than ``width``."""
    text = _compact(schema)
    return text if len(text) <= width else _names(schema, width)


def _names(schema: Schema, width: int) -> str:
    names = list(schema.get("properties", {}))
    brief = {"properties": names, "required": schema.get("required", [])} if names else schema
    return cut(_compact(brief), width)


def _part(whole: Schema, where: Sequence[str | int]) -> Schema | None:
    """Return the part of a schema for the value at a place, with its definitions."""
    part: Any = whole
    for step in where:
        inside: list[Any] = []
        for each in forms(part, whole):
            found = item_of(each, step) if isinstance(step, int) else _member(each, step)
            if is_object(found) and found not in inside:
                inside.append(found)
        if not inside:
            return None
        part = inside[0] if len(inside) == 1 else {"anyOf": inside}
    kinds = [*forms(part, whole)]
    said = kinds[0] if len(kinds) == 1 else part
    return pruned({**said, "$defs": whole.get("$defs", {})}) if where else None


def _member(schema: Schema, name: str) -> Any:
    """Return the schema of a member, by its name in any spelling."""
    return member_of(schema, variant_of(name, schema.get("properties", {})) or name)


def explained(
    operation: Operation, error: ValidationError, at: tuple[str, ...]
) -> tuple[str, list[dict[str, Any]], int]:
    """Return the problems as text and as data, misspelt names before missing ones, and the number of others.

    A problem has the part of the schema for its place, if the operation has one.
    """
    complaints = sorted(details(error), key=lambda each: each["type"] != "extra_forbidden")
    by_place: dict[tuple[str | int, ...], list[ErrorDetails]] = {}
    for each in complaints:  # a union reports one value several times
        by_place.setdefault(each["loc"], []).append(each)
    whole = tool_schema(operation.arguments)
    problems: list[dict[str, Any]] = []
    for loc, several in [*by_place.items()][:PROBLEMS]:
        problem: dict[str, Any] = {
            "path": place((*at, *loc)),
            "problem": _together(operation, several),
        }
        is_known = several[0]["type"] not in {"extra_forbidden", "decimal_parsing"}
        part = _part(whole, loc) if is_known else None
        problems.append(problem if part is None else {**problem, "schema": part})
    sentences = (one_line(visible(f"{each['path']}: {each['problem']}")) for each in problems)
    lines = [cut(each, LONGEST_SENTENCE) for each in sentences]
    more = len(by_place) - len(problems)
    if more:
        lines.append(f"… and {more} more")
    return "\n".join(lines), problems, more


def cut(text: str, width: int) -> str:
    """Return the text, or its beginning and a mark when it is longer than ``width``."""
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _together(operation: Operation, several: list[ErrorDetails]) -> str:
    """Return the problems of one value as one sentence."""
    sentences = list(dict.fromkeys(_sentence(operation, each) for each in several))
    expected = [each["msg"].removeprefix(_EXPECTED) for each in several]
    if len(sentences) == 1 or any(not each["msg"].startswith(_EXPECTED) for each in several):
        return cut("; ".join(sentences), LONGEST_SENTENCE)
    wanted = " or ".join(dict.fromkeys(expected))
    return cut(f"input should be {wanted} (got {in_json(several[0]['input'])})", LONGEST_SENTENCE)


_EXPECTED = "Input should be "


def _sentence(operation: Operation, detail: ErrorDetails) -> str:
    match detail["type"]:
        case "missing":
            return "required, but not given"
        case "extra_forbidden":
            return f"no such argument{_hint(operation, detail['loc'], detail['input'])}"
        case _ if is_raised(detail):
            return cut(complaint(detail), LONGEST_SENTENCE)
        case "dict_type" | "mapping_type" if is_list(detail["input"]):
            return f'input should be an object, or a list of {{"key": …, "value": …}} (got {in_json(detail["input"])})'
        case "string_too_long":
            most = detail.get("ctx", {})["max_length"]
            return f"has {len(detail['input']):,} characters, and holds {most:,} at most"
        case "int_type" | "float_type" | "decimal_parsing" if _has_number(
            detail["input"], detail["type"]
        ):
            return f"write the number alone, in the field's unit (got {in_json(detail['input'])})"
        case "float_type" if bounds := _bounds(operation, detail):
            return f"input should be {bounds} (got {in_json(detail['input'])})"
        case "decimal_parsing":
            return f"write the number alone, such as 54.50 (got {in_json(detail['input'])})"
        case "less_than_equal" if _is_share(operation, detail):
            got = f"{detail['input']:g}"
            return f"input should be less than or equal to 1: {got}% is {detail['input'] / 100:g} (got {got})"
        case "date_parsing" | "date_from_datetime_parsing":
            return f"write a date as 2026-12-31 (got {in_json(detail['input'])})"
        case "time_parsing":
            return f"write a time as 20:15 (got {in_json(detail['input'])})"
        case _:
            message = detail["msg"][:1].lower() + detail["msg"][1:]
            return cut(f"{message} (got {in_json(detail['input'])})", LONGEST_SENTENCE)


def _has_number(value: object, kind: str) -> bool:
    """Return whether a text has one number, which can mean one thing: with decimals, 1,200 may be 1.2."""
    return isinstance(value, str) and _NUMBERS[kind].fullmatch(value) is not None


_DIGITS = r"(?:\d{1,3}(?:[ \u2009\u00a0\u202f]\d{3}){1,5}|\d{1,18})"
_NUMBERS = {
    kind: re.compile(rf"(?:[^\d.,+-]*[^\w.,+-])?{number}(?:\s*[^\d\s.,:%][^\d.,%]*)?")
    for kind, number in {
        "int_type": rf"[+-]?(?:\d{{1,3}}(?:,\d{{3}}){{1,5}}|{_DIGITS})",
        "float_type": rf"[+-]?{_DIGITS}(?:\.\d{{1,2}})?",
        "decimal_parsing": rf"[+-]?{_DIGITS}(?:\.\d{{1,2}})?",
    }.items()
}
"""Texts with one number, by the type of Pydantic's error."""


def _bounds(operation: Operation, detail: ErrorDetails) -> str:
    """Return the bounds in percent of a number that was given in percent; an empty text if there are none."""
    if not (isinstance(detail["input"], str) and PERCENTAGE.fullmatch(detail["input"])):
        return ""
    part = _part(tool_schema(operation.arguments), detail["loc"]) or {}
    bounds = {name: each for form in forms(part, part) for name, each in form.items()}
    said = {"minimum": "at least", "maximum": "at most"}
    return " and ".join(
        f"{word} {100 * bounds[name]:g}%" for name, word in said.items() if name in bounds
    )


def _is_share(operation: Operation, detail: ErrorDetails) -> bool:
    """Tell whether a number was given in percent where one from 0 to 1 is wanted."""
    given = detail["input"]
    part = _part(tool_schema(operation.arguments), detail["loc"]) or {}
    bounds = [part.get(each) for each in ("type", "minimum", "maximum")]
    return bounds == ["number", 0, 1] and isinstance(given, int | float) and given <= 100


def _hint(operation: Operation, where: tuple[str | int, ...], value: object) -> str:
    known = names_at(operation.arguments, where[:-1])
    name = str(where[-1])
    belongs = elsewhere(operation.arguments, where[:-1], name, value)
    if belongs.is_way or nearest(name, known) is None:
        if belongs.unwrapped:
            return f"; send what is in it without {quoted(name)} around it"
        if belongs.inside:
            forms = (_form(each[len(where) - 1 :]) for each in belongs.inside)
            return f"; send {' or '.join(forms)}"
        if belongs.outside is not None:
            holder = str(where[len(belongs.outside) - 1])
            return f"; send it beside {quoted(holder)}, not inside it"
    if known:
        return f"; {did_you_mean(name, _exported(operation, where[:-1], known) or known)}"
    return "" if where[1:] else f"; {operation.name} takes none"


def _exported(
    operation: Operation, where: tuple[str | int, ...], known: Iterable[str]
) -> list[str]:
    """Return the names known at a place that are also in the schema."""
    whole = tool_schema(operation.arguments)
    part = _part(whole, where) if where else whole
    kinds = () if part is None else forms(part, part)
    members = {name for each in kinds for name in each.get("properties", {})}
    return [name for name in known if name in members]


def _form(path: Sequence[str | int]) -> str:
    """Return a phrase for a place.

    >>> _form(("points", 0, "x"))
    '{"points": [{"x": …}]}'
    """
    text = "…"
    for part in reversed(path):
        text = f"[{text}]" if isinstance(part, int) else f"{{{quoted(part)}: {text}}}"
    return text


def _compact(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
