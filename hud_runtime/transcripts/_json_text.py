"""JSON as it stands in files: records on lines, values that are broken or end too early."""

from __future__ import annotations

import json
import re
from typing import cast

import msgspec

from hud_runtime.observation._json import Record, is_object, mapping
from hud_runtime.observation._problem import Problem


def parsed(number: int, line: bytes, problems: list[Problem]) -> Record | None:
    """Return the record that a line is; note why there is none, unless the line is blank."""
    if line.isspace():
        return None
    try:
        value = loaded(line)
    except (ValueError, RecursionError) as error:
        problems.append(Problem(number, _why(line, error)))
        return None
    if is_object(value):
        return mapping(value)
    problems.append(Problem(number, "no record: it is not a JSON object"))
    return None


_DECODE = msgspec.json.Decoder().decode


def loaded(data: bytes) -> object:
    """Return the value of a JSON text; :mod:`json` has the last word on what is none, and on why.

    It takes some that the other refuses: half a surrogate pair, NaN, a byte order mark.
    """
    try:
        return cast("object", _DECODE(data))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return cast("object", json.loads(data))


def is_record(line: bytes) -> bool:
    """Tell whether a line is a whole record."""
    return record_of(line) is not None


def record_of(line: bytes) -> Record | None:
    """Return the object that a line is; None where it is none."""
    try:
        value = loaded(line)
    except (ValueError, RecursionError):
        return None
    return mapping(value) if is_object(value) else None


def salvaged(data: bytes) -> object:
    """Return a JSON value of which the end is missing, as far as it goes; None where nothing is left.

    >>> salvaged(b'{"messages": [{"role": "user"}, {"role": "ass')
    {'messages': [{'role': 'user'}]}
    """
    text = data.decode("utf-8", "replace")
    end, kept = 0, ""
    stack: list[str] = []
    for match in _STRUCTURE.finditer(text):
        sign = match[0]
        if sign in "[{":
            stack.append("]" if sign == "[" else "}")
        elif sign in "]}":
            if not stack or stack.pop() != sign:
                return None
            end = match.end()
    stack.clear()
    for match in _STRUCTURE.finditer(text, 0, end):
        sign = match[0]
        if sign in "[{":
            stack.append("]" if sign == "[" else "}")
        elif sign in "]}":
            stack.pop()
    kept = text[:end] + "".join(reversed(stack))
    try:
        return cast("object", json.loads(kept)) if end else None
    except (ValueError, RecursionError):
        return None


_STRUCTURE = re.compile(r'"(?:[^"\\]++|\\.?)*+"?+|[\[\]{}]', re.DOTALL)


def _why(line: bytes, error: Exception) -> str:
    if not line.strip(b"\0\r\n"):
        return "null bytes: writing was cut off here"
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8 text"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if not line.endswith(b"\n"):
        return f"the file ends in the middle of a record ({error})"
    return f"not JSON ({error})"
