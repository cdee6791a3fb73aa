"""The answer to a model whose call does not fit: the place, what was expected, and the schema."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from ujsx.errors import complaint, did_you_mean, is_raised, nearest, quoted
from ujsx.schema._definition import tool_schema
from ujsx.schema._entries import forms
from ujsx.schema._from_dialect import item_of, member_of
from ujsx.schema._keywords import Schema, is_list, is_object
from ujsx.schema._refs import pruned
from ujsx.text._lines import one_line, visible
from ujsx.tools._json import place, told
from ujsx.tools._names import elsewhere, names_at, variant_of
from ujsx.tools._operation import Operation
from ujsx.tools._validate import details

PROBLEMS = 3
"""Problems that are told one by one; mending the first often mends the others."""

LONGEST_SENTENCE = 240
"""Characters of one problem."""

LONGEST_SCHEMA = 1_600
"""Characters of a schema in an answer, about 400 tokens; above, the names of the arguments."""


def schema_text(operation: Operation) -> str:
    """Return the schema of the operation's arguments as compact JSON.

    >>> from ujsx.elements import ThematicBreak
    >>> schema_text(Operation("rule", ThematicBreak))
    '{"additionalProperties":false,"properties":{},"type":"object"}'
    """
    return _within(tool_schema(operation.arguments), LONGEST_SCHEMA)


def takes(operation: Operation, problems: Sequence[Mapping[str, Any]]) -> str:
    """Return what an operation takes where there is a problem; by names alone where no place of it is known.

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
    """A schema as compact JSON, or the names of its members where that is longer than ``width``."""
    text = _compact(schema)
    return text if len(text) <= width else _names(schema, width)


def _names(schema: Schema, width: int) -> str:
    names = list(schema.get("properties", {}))
    brief = {"properties": names, "required": schema.get("required", [])} if names else schema
    return cut(_compact(brief), width)


def _part(whole: Schema, where: Sequence[str | int]) -> Schema | None:
    """The part of a schema that is about the value at a place, with the definitions that it leads to."""
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
    """The schema of a member under a name as it came, in whatever spelling."""
    return member_of(schema, variant_of(name, schema.get("properties", {})) or name)


def explained(
    operation: Operation, error: ValidationError, at: tuple[str, ...]
) -> tuple[str, list[dict[str, Any]], int]:
    """Return what is wrong as text and as data, the misspelt before the missing; and how many more there are.

    A problem has the part of the schema that is about its place, if the operation has one.
    """
    complaints = sorted(details(error), key=lambda each: each["type"] != "extra_forbidden")
    by_place: dict[tuple[str | int, ...], list[ErrorDetails]] = {}
    for each in complaints:  # a union complains of one value several times
        by_place.setdefault(each["loc"], []).append(each)
    whole = tool_schema(operation.arguments)
    problems: list[dict[str, Any]] = []
    for loc, several in [*by_place.items()][:PROBLEMS]:
        problem: dict[str, Any] = {
            "path": place((*at, *loc)),
            "problem": _together(operation, several),
        }
        is_known = several[0]["type"] != "extra_forbidden"
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
    """What is wrong with one value, in one sentence."""
    sentences = list(dict.fromkeys(_sentence(operation, each) for each in several))
    expected = [each["msg"].removeprefix(_EXPECTED) for each in several]
    if len(sentences) == 1 or any(not each["msg"].startswith(_EXPECTED) for each in several):
        return cut("; ".join(sentences), LONGEST_SENTENCE)
    wanted = " or ".join(dict.fromkeys(expected))
    return cut(f"input should be {wanted} (got {told(several[0]['input'])})", LONGEST_SENTENCE)


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
            return f'input should be an object, or a list of {{"key": …, "value": …}} (got {told(detail["input"])})'
        case "string_too_long":
            most = detail.get("ctx", {})["max_length"]
            return f"has {len(detail['input']):,} characters, and holds {most:,} at most"
        case _:
            message = detail["msg"][:1].lower() + detail["msg"][1:]
            return cut(f"{message} (got {told(detail['input'])})", LONGEST_SENTENCE)


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
        return f"; {did_you_mean(name, known)}"
    return "" if where[1:] else f"; {operation.name} takes none"


def _form(path: Sequence[str | int]) -> str:
    """How something stands at a place.

    >>> _form(("points", 0, "x"))
    '{"points": [{"x": …}]}'
    """
    text = "…"
    for part in reversed(path):
        text = f"[{text}]" if isinstance(part, int) else f"{{{quoted(part)}: {text}}}"
    return text


def _compact(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
