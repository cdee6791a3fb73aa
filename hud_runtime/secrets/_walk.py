"""The texts in a value: in a payload, in what it holds, in JSON data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias, cast

from pydantic import BaseModel

from hud_runtime._errors import EventError
from ujsx.errors import quoted

Place: TypeAlias = tuple[str | int, ...]
"""A text's place: names of fields, and numbers of items from 0."""

MAX_DEPTH = 150
"""The most levels of a value that is recorded, as trees and documents have them."""


def texts_in(
    value: object, place: Place = (), *, keys: bool = False
) -> Iterator[tuple[Place, str]]:
    """Yield each text of a value with its place.

    :param keys: whether the keys of mappings are texts, too; each has the place of what it names.
    :raises EventError: for a value that contains itself, or is nested too deep.

    >>> list(texts_in({"items": [{"name": "a"}]}))
    [(('items', 0, 'name'), 'a')]
    >>> [text for _, text in texts_in({"items": [{"name": "a"}]}, keys=True)]
    ['items', 'name', 'a']
    """
    waiting: list[tuple[Place, object]] = [(place, value)]
    while waiting:
        here, one = waiting.pop()
        if isinstance(one, str):
            yield here, one
            continue
        if len(here) > MAX_DEPTH:
            what = f"contains itself, or is nested more than {MAX_DEPTH} deep; record it flatter"
            raise EventError(f"{quoted(place_name(here[:1]))} {what}")
        parts = _parts(one)
        named = keys and isinstance(one, Mapping)
        for name, part in reversed(parts):
            waiting.append(((*here, name), part))
            if named:
                waiting.append(((*here, name), name))


def check_depth(value: object) -> None:
    """Refuse a value that contains itself, or is nested too deep.

    :raises EventError: that names the field.

    >>> check_depth({"items": [{"name": "a"}]})
    """
    for _ in texts_in(value):
        pass


def _parts(value: object) -> list[tuple[str | int, object]]:
    if isinstance(value, BaseModel):
        return list(vars(value).items())
    if isinstance(value, Mapping):
        named = cast("Mapping[object, object]", value)
        return [(str(name), part) for name, part in named.items()]
    if isinstance(value, (list, tuple, set, frozenset)):
        return list(enumerate(cast("list[object]", value)))
    return []


def replaced(
    value: Any,
    change: Callable[[Place, str], str],
    place: Place = (),
    *,
    key: Callable[[str], str] = str,
) -> Any:
    """Return JSON data with each text as ``change`` has it, and each key of a mapping as ``key`` has it.

    Of keys that would be the same, each but the first gets a number, so that nothing is lost.

    >>> replaced({"a": ["b", 1]}, lambda place, text: text.upper())
    {'a': ['B', 1]}
    >>> replaced({"a1": 1, "a2": 2}, lambda place, text: text, key=lambda name: name[0])
    {'a': 1, 'a 2': 2}
    """
    if isinstance(value, str):
        return change(place, value)
    if isinstance(value, Mapping):
        named: dict[str, Any] = {}
        alike: dict[str, int] = {}
        for name, part in cast("Mapping[str, Any]", value).items():
            made = free = key(name)
            while free in named:
                alike[made] = alike.get(made, 1) + 1
                free = f"{made} {alike[made]}"
            named[free] = replaced(part, change, (*place, name), key=key)
        return named
    if isinstance(value, (list, tuple, set, frozenset)):
        parts = cast("list[Any]", value)
        return [replaced(part, change, (*place, at), key=key) for at, part in enumerate(parts)]
    return value


def place_name(place: Place) -> str:
    """Return a place as it is told and asked for.

    >>> place_name(("inherited", "notes", 2, "content"))
    'inherited.notes.2.content'
    """
    return ".".join(map(str, place))
