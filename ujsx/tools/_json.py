"""JSON as models send it: as data, as text, as text in a code fence, as text that is nearly JSON;
and the paths of what stands in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, NoReturn, cast

from ujsx.errors import UjsxError, shown
from ujsx.tools._lenient import LONG_NUMBER, NotJsonError, Reading, lenient, united
from ujsx.tools._result import Repair, RepairKind

TIMES = 3
"""How often JSON may be wrapped in JSON text. Twice is seen in the wild."""

FENCES = ("```", "~~~")
"""What a code block begins and ends with (CommonMark 0.31.2, section 4.5)."""


class CallError(UjsxError, ValueError):
    """A call that cannot be understood; :meth:`Toolset.call` turns it into a result."""


LONGEST_TOLD = 60
"""Characters of a value in an error."""


def told(value: object) -> str:
    """Return a value that was sent as an error has it: a text in quotes, anything else as JSON.

    >>> told("ten"), told([None, True]), told({"a": float})
    ("'ten'", '[null, true]', "{'a': <class 'float'>}")
    """
    if isinstance(value, str):
        return shown(value, width=LONGEST_TOLD)
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return shown(value, width=LONGEST_TOLD)
    return text if len(text) <= LONGEST_TOLD else f"{text[: LONGEST_TOLD - 1]}…"


def read(text: str, path: str, repairs: list[Repair]) -> Any:
    r"""Return the JSON data that ``text`` holds, or ``text`` itself where it holds none.

    What is nearly JSON is mended if it can be read in one way alone.

    :raises CallError: for a text that has a JSON object or list in it which cannot be read.

    >>> repairs = []
    >>> read("```json\n{'op': 'help',}\n```", "$", repairs)
    {'op': 'help'}
    >>> [repair.kind for repair in repairs]
    ['quotes', 'comma', 'code fence', 'json text']
    >>> read('{"op": "notes.add", "content": "ab', "$", [])
    Traceback (most recent call last):
    ujsx.tools._json.CallError: $: not valid JSON: unterminated string starting at line 1, column 32; send it again, whole
    """
    value: Any = text
    for _ in range(TIMES):
        try:
            reading = _strictly(value)
        except NotJsonError as error:
            raise CallError(f"not valid JSON: {error}", path=path) from None
        except ValueError:
            if not _holds_json(value):
                return value
            try:
                reading = lenient(value)
            except NotJsonError as error:
                said = str(error)
                advice = "" if "; " in said else "; send it again, whole"
                raise CallError(f"not valid JSON: {said}{advice}", path=path) from None
        repairs += (Repair(kind, path) for kind in (*reading.slips, "json text"))
        value = reading.value
        if not isinstance(value, str):
            break
    return value


def _holds_json(text: str) -> bool:
    return "{" in text or text.lstrip().startswith("[")


def _strictly(text: str) -> Reading:
    """Read JSON as it is, in a code fence too."""
    twice: list[RepairKind] = []

    def made(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        data, repeated = united(pairs)
        if repeated:
            twice.append("duplicate")
        return data

    inside = _unfenced(text)
    try:
        value = json.loads(inside, parse_constant=_no_constant, object_pairs_hook=made)
    except RecursionError:
        raise NotJsonError("nested too deep; send it again, flatter") from None
    fence: list[RepairKind] = ["code fence"] if inside is not text else []
    return Reading(value, [*fence, *twice[:1]])


def as_list(value: object) -> list[Any] | None:
    """Return the value if it is a list."""
    return cast("Any", value) if isinstance(value, list) else None


def as_object(value: object) -> dict[str, Any] | None:
    """Return the value if it is a JSON object."""
    return cast("Any", value) if isinstance(value, dict) else None


def list_in(text: str) -> list[Any] | None:
    """Return the list whose JSON a text is; None for any other text.

    >>> list_in('["a", "b"]'), list_in("[ ] Write tests"), list_in("[a]")
    (['a', 'b'], None, None)
    """
    bare = text.strip()
    if not (bare.startswith("[") and bare.endswith("]")):
        return None
    try:
        items = as_list(read(bare, "$", []))
    except CallError:
        return None
    return items if items or not bare[1:-1].strip() else None


def is_item(value: object) -> bool:
    """Tell whether a value is a text that can stand for an object: words, and neither markup nor data.

    >>> is_item("Use JWT"), is_item("<content>a</content>"), is_item("null"), is_item(3)
    (True, False, False, False)
    """
    bare = value.strip() if isinstance(value, str) else ""
    return bool(bare) and bare[0] not in "{[<" and bare.casefold() not in NOTHING


NOTHING = frozenset({"null", "none", "nil", "undefined", "nan", "n/a"})
"""Words that may say that there is no item."""


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
        deep = isinstance(error, RecursionError)
        reason = "nested too deep; send it flatter" if deep else str(error)
        if reason.startswith("Exceeds the limit"):  # Python's words are for who runs it
            reason = LONG_NUMBER
        raise CallError(f"the arguments are no JSON data: {reason}", path="$") from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


_PLAIN = re.compile(r"[A-Za-z_]\w{0,40}", re.ASCII)


def place(parts: Iterable[str | int]) -> str:
    """Return the path of a value, names that are no plain words in brackets.

    >>> place(["steps", 2, "a b"])
    '$.steps[2]["a b"]'
    """
    return "$" + "".join(map(_step, parts))


def _step(part: str | int) -> str:
    if isinstance(part, int):
        return f"[{part}]"
    return f".{part}" if _PLAIN.fullmatch(part) else f"[{json.dumps(part[:40])}]"
