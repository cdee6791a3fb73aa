"""JSON as models send it: as data, as text, as text in a code fence."""

from __future__ import annotations

import json
from typing import Any, NoReturn, cast

from ujsx._errors import UjsxError
from ujsx.tools._result import Repair

TIMES = 3
"""How often JSON may be wrapped in JSON text. Twice is seen in the wild."""

FENCES = ("```", "~~~")
"""What a code block begins and ends with (CommonMark 0.31.2, section 4.5)."""


class CallError(UjsxError, ValueError):
    """A call that cannot be understood; :meth:`Toolset.call` turns it into a result."""


def read(text: str, path: str, repairs: list[Repair]) -> Any:
    r"""Return the JSON data that ``text`` holds, or ``text`` itself where it holds none.

    >>> repairs = []
    >>> read('```json\n{"op": "help"}\n```', "$", repairs)
    {'op': 'help'}
    >>> [repair.kind for repair in repairs]
    ['code fence', 'json text']
    """
    value: Any = text
    for _ in range(TIMES):
        inside = _unfenced(value)
        try:
            found = parsed(inside)
        except ValueError:
            return value
        if inside is not value:
            repairs.append(Repair("code fence", path))
        repairs.append(Repair("json text", path))
        value = found
        if not isinstance(value, str):
            break
    return value


def check_json(text: str, path: str) -> None:
    r"""Refuse a text that begins as a JSON object or list and is none: cut off, as a rule.

    :raises CallError: with what is wrong, and at which character.

    >>> check_json('{"op": "notes.add", "content": "ab', "$")
    Traceback (most recent call last):
    ujsx.tools._json.CallError: $: not valid JSON: unterminated string starting at line 1, column 32; send it again, whole
    """
    inside = _unfenced(text).strip()
    if inside[:1] not in {"{", "["}:
        return
    try:
        parsed(inside)
    except json.JSONDecodeError as error:
        said = error.msg.removesuffix(" at")
        reason = f"{said[:1].lower()}{said[1:]} at line {error.lineno}, column {error.colno}"
    except ValueError as error:
        reason = str(error)
    else:
        return
    raise CallError(f"not valid JSON: {reason}; send it again, whole", path=path) from None


def as_list(value: object) -> list[Any] | None:
    """Return the value if it is a list."""
    return cast("Any", value) if isinstance(value, list) else None


def as_object(value: object) -> dict[str, Any] | None:
    """Return the value if it is a JSON object."""
    return cast("Any", value) if isinstance(value, dict) else None


def _unfenced(text: str) -> str:
    block = text.strip()
    fence = block[:3]
    start, end = block.find("\n"), len(block.rstrip(fence[:1]))
    fenced = fence in FENCES and block.endswith(fence) and 0 < start < end
    return block[start:end] if fenced else text


def parsed(text: str) -> Any:
    """Return the data of a JSON text.

    :raises ValueError: for what is no JSON, ``NaN`` and ``Infinity`` included, or nested too deep.
    """
    try:
        return json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("nested too deep") from None


def written(value: object) -> str:
    """Return the JSON text of data.

    :raises CallError: for what is no JSON: other objects, ``NaN``, cycles, nested too deep.
    """
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        reason = "nested too deep" if isinstance(error, RecursionError) else error
        raise CallError(f"the arguments are no JSON data: {reason}", path="$") from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
