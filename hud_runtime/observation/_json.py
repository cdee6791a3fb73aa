"""Careful access to data whose shape nobody has promised."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TypeAlias, cast

from ujsx.tools import opened

Record: TypeAlias = Mapping[str, object]
"""A JSON object."""


def json_of(text: str | bytes) -> object:
    """Return what a text holds; None where it is no JSON, or nested more deeply than anybody reads.

    >>> json_of('{"a": 1}'), json_of("["), json_of("[" * 100_000)
    ({'a': 1}, None, None)
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def is_object(value: object) -> bool:
    """Tell whether a value is a JSON object."""
    return type(value) is dict or isinstance(value, Mapping)


def is_list(value: object) -> bool:
    """Tell whether a value is a JSON list."""
    return isinstance(value, list)


def mapping(value: object) -> Record:
    """Return an object as it is, and anything else as an empty one."""
    # The first question is for speed: almost all are, and the second looks at more than the class.
    return cast("Record", value) if type(value) is dict or isinstance(value, Mapping) else {}


def sequence(value: object) -> Sequence[object]:
    """Return a list as it is, and anything else as an empty one."""
    return cast("Sequence[object]", value) if isinstance(value, list) else ()


def string(value: object) -> str | None:
    """Return a text as it is, and anything else, the empty text too, as None."""
    return value if isinstance(value, str) and value else None


def whole(value: object) -> int:
    """Return a count as it is, and anything else as 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def count_in(digits: str, unit: str = "") -> int:
    """Return a count as programs print it: with commas, and in thousands or millions.

    >>> count_in("12.5", "k"), count_in("1,024"), count_in("..")
    (12500, 1024, 0)
    """
    try:
        return round(
            float(digits.replace(",", "")) * {"K": 1_000, "M": 1_000_000}.get(unit.upper(), 1)
        )
    except ValueError:
        return 0


def arguments(value: object) -> Record:
    """Return a call's arguments, which some formats write as JSON in a text.

    >>> arguments('{"path": "a.py"}')
    {'path': 'a.py'}
    """
    try:
        return opened(value, [])
    except ValueError:
        return {}


def prose(content: object) -> str:
    r"""Return the text of a message, which may be a text or a list of blocks.

    >>> prose([{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}])
    'a\nb'
    """
    if isinstance(content, str):
        return content
    blocks = (mapping(block) for block in sequence(content))
    return "\n".join(filter(None, (string(block.get("text")) for block in blocks)))


def milliseconds(value: object) -> int | None:
    """Return a time as milliseconds since the epoch: from ISO 8601, or from Unix time.

    A number below 10^11 counts seconds: as milliseconds it would lie before March 1973.

    >>> milliseconds("2025-06-14T10:00:00Z")
    1749895200000
    """
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return None
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        value = moment.timestamp() * 1000
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        value = value * 1000 if value < 1e11 else value
    else:
        return None
    return round(value) if 0 <= value < 2**53 else None


def sound(value: object) -> object:
    r"""Return data with each half of a surrogate pair replaced, which no encoding can write.

    >>> sound({"text": "a\ud83d"})
    {'text': 'a\ufffd'}
    """
    if isinstance(value, str):
        return value if value.isascii() else _paired(value)
    if isinstance(value, Mapping):
        said = cast("Record", value)
        if all(
            name.isascii() and (type(one) is int or (type(one) is str and one.isascii()))
            for name, one in said.items()
        ):
            return said
        return {cast("str", sound(name)): sound(one) for name, one in said.items()}
    if isinstance(value, (list, tuple)):
        return [sound(one) for one in cast("Sequence[object]", value)]
    return value


def _paired(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def value_at(holder: object, path: Iterable[str]) -> object:
    """Return the value at a place; None for nothing.

    >>> value_at({"a": {"b": 1}}, ("a", "b"))
    1
    """
    for key in path:
        holder = mapping(holder).get(key)
    return holder
