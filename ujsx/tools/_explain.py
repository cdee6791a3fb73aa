"""What a model is told when its call does not fit: where, what was expected, and the schema."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from ujsx.errors import complaint, did_you_mean, is_raised, nearest, quoted
from ujsx.schema._definition import tool_schema
from ujsx.text._lines import one_line, visible
from ujsx.tools._json import place, told
from ujsx.tools._names import elsewhere, names_at
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
    schema = tool_schema(operation.arguments)
    text = _compact(schema)
    if len(text) <= LONGEST_SCHEMA:
        return text
    names = list(schema.get("properties", {}))
    brief = _compact({"properties": names, "required": schema.get("required", [])})
    return cut(brief, LONGEST_SCHEMA)


def explained(
    operation: Operation, error: ValidationError, at: tuple[str, ...]
) -> tuple[str, list[dict[str, Any]], int]:
    """Return what is wrong as text and as data, the misspelt before the missing; and how many more there are."""
    complaints = sorted(details(error), key=lambda each: each["type"] != "extra_forbidden")
    by_place: dict[tuple[str | int, ...], list[ErrorDetails]] = {}
    for each in complaints:  # a union complains of one value several times
        by_place.setdefault(each["loc"], []).append(each)
    problems = [
        {"path": place((*at, *loc)), "problem": _together(operation, several)}
        for loc, several in [*by_place.items()][:PROBLEMS]
    ]
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
        case "dict_type" | "mapping_type" if isinstance(detail["input"], list):
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
