"""The texts that a tree was given: in props, in models that those hold, in children, in bound values.

They come by *item*: an element of a collection, or a prop that is none. That is the unit in which a
rendering counts what it leaves out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, NamedTuple, cast

import msgspec
from pydantic import BaseModel

from ujsx import Component, Density, Element
from ujsx.rendering import Piece

_DEPTH = 20
"""How deep data may nest; deeper ones may hold themselves."""


class GivenText(NamedTuple):
    """A text, and the field that holds it: ``Decision.details``."""

    field: str
    text: str


class GivenItem(NamedTuple):
    """The texts of an item, with its place (``DecisionsList.decisions[2]``), and its id if it has one."""

    place: str
    id: str | None
    texts: tuple[GivenText, ...]


def given_items(pieces: Iterable[Piece]) -> Iterator[tuple[GivenItem, ...]]:
    """Yield the items of each component of a tree, of each value bound to its context, and its texts.

    :param pieces: the tree, cut into pieces. What a component with a ladder renders is in none.
    """
    seen: dict[int, object] = {}  # an id is a value's own only as long as the value is kept
    for piece in pieces:
        for source in _sources(piece):
            if id(source) not in seen:
                seen[id(source)] = source
                yield tuple(each for each in _items(source) if each.texts)


def _sources(piece: Piece) -> Iterator[object]:
    """What a piece shows, and what stands around it, as far as somebody gave it."""
    yield from piece.context.values.values()
    is_given, trail = True, piece.trail
    while trail is not None:
        trail, around, _ = trail
        if not around.component.is_primitive:
            is_given = False  # it rendered what stands inside it; what it was given are its children
            yield from _nodes(around)
    if is_given or piece.ladder is not None:
        for node in piece.nodes:
            yield from _nodes(node)


def _nodes(node: object) -> Iterator[object]:
    yield node
    for child in node.children if isinstance(node, Element) else ():
        yield from _nodes(child)


def _items(source: object) -> Iterator[GivenItem]:
    """The items of a value: the elements of its collections, and each of its other fields."""
    owner = _owner(source)
    for name, value in _fields(source):
        field = f"{owner}.{name}"
        if isinstance(value, Collection) and not isinstance(value, str | bytes):
            elements = cast("Mapping[Any, Any] | Collection[Any]", value)
            parts = elements.items() if isinstance(elements, Mapping) else elements
            for number, element in enumerate(parts):
                known = getattr(element, "id", None)
                texts = tuple(_texts(element, field))
                yield GivenItem(f"{field}[{number}]", known if known != "" else None, texts)
        else:
            yield GivenItem(field, None, tuple(_texts(value, field)))


def _owner(source: object) -> str:
    return type(source.component if isinstance(source, Element) else source).__name__


def _fields(source: object) -> Iterator[tuple[str, object]]:
    """The fields of a value by name; of an element, those of its component, and its own texts."""
    if isinstance(source, str):
        yield "text", source
    elif isinstance(source, Element):
        yield from _fields(source.component)
        yield "children", tuple(child for child in source.children if isinstance(child, str))
    elif isinstance(source, BaseModel):
        yield from vars(source).items()
    elif isinstance(source, msgspec.Struct):
        yield from ((name, getattr(source, name)) for name in source.__struct_fields__)
    elif is_dataclass(source):
        yield from ((each.name, getattr(source, each.name)) for each in fields(source))


def _texts(value: object, field: str, depth: int = 0) -> Iterator[GivenText]:
    """The texts in a value, which is what ``field`` holds."""
    if isinstance(value, Density) or depth > _DEPTH:
        return
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, str):
        if value.strip():
            yield GivenText(field, value)
    elif isinstance(value, Mapping):
        for pair in cast("Mapping[Any, Any]", value).items():
            yield from _texts(pair, field, depth + 1)
    elif isinstance(value, tuple | list | set | frozenset):
        for element in cast("Collection[Any]", value):
            yield from _texts(element, field, depth + 1)
    elif isinstance(value, Component | Element | BaseModel | msgspec.Struct) or is_dataclass(value):
        owner = _owner(value)
        for name, each in _fields(value):
            yield from _texts(each, f"{owner}.{name}", depth + 1)
