"""The texts in a value: in a payload, in what it holds, in JSON data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias, cast

from pydantic import BaseModel

Place: TypeAlias = tuple[str | int, ...]
"""Where a text stands: names of fields, and numbers of items from 0."""


def texts_in(value: object, place: Place = ()) -> Iterator[tuple[Place, str]]:
    """Yield each text of a value with its place; the keys of a mapping, too, as those of what they name.

    >>> list(texts_in({"items": [{"name": "a"}]}))
    [(('items', 0, 'name'), 'a')]
    """
    waiting: list[tuple[Place, object]] = [(place, value)]
    while waiting:
        here, one = waiting.pop()
        if isinstance(one, str):
            yield here, one
            continue
        parts = _parts(one)
        waiting.extend(reversed([((*here, name), part) for name, part in parts]))


def _parts(value: object) -> list[tuple[str | int, object]]:
    if isinstance(value, BaseModel):
        return list(vars(value).items())
    if isinstance(value, Mapping):
        named = cast("Mapping[object, object]", value)
        return [(str(name), part) for name, part in named.items()]
    if isinstance(value, (list, tuple, set, frozenset)):
        return list(enumerate(cast("list[object]", value)))
    return []


def replaced(value: Any, change: Callable[[Place, str], str], place: Place = ()) -> Any:
    """Return JSON data with each text as ``change`` has it, keys of mappings apart.

    >>> replaced({"a": ["b", 1]}, lambda place, text: text.upper())
    {'a': ['B', 1]}
    """
    if isinstance(value, str):
        return change(place, value)
    if isinstance(value, Mapping):
        named = cast("Mapping[str, Any]", value)
        return {name: replaced(part, change, (*place, name)) for name, part in named.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        parts = cast("list[Any]", value)
        return [replaced(part, change, (*place, at)) for at, part in enumerate(parts)]
    return value


def place_name(place: Place) -> str:
    """Return a place as it is told and asked for.

    >>> place_name(("inherited", "notes", 2, "content"))
    'inherited.notes.2.content'
    """
    return ".".join(map(str, place))
