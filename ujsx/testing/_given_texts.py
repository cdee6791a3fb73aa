"""The texts that a tree was given: in props, in models that those hold, in children, in bound values.

They come by *item*: an element of a collection, or a prop that is none. That is the unit in which a
rendering counts what it leaves out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import Any, NamedTuple

import msgspec
from pydantic import BaseModel

from ujsx import Density, Element
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


def given_children(pieces: Iterable[Piece]) -> Iterator[GivenItem]:
    """Yield, of each component with a ``render`` that was given children, the texts among them.

    :param pieces: the tree, cut into pieces; a component that renders nothing is in none.
    """
    seen: set[int] = set()
    for piece in pieces:
        nodes = [node for each in piece.nodes for node in _nodes(each)]
        trail = piece.trail
        while trail is not None:
            trail, around, _ = trail
            nodes.append(around)
        for node in nodes:
            if _is(node, Element) and not node.component.is_primitive and id(node) not in seen:
                seen.add(id(node))  # the pieces keep it, so its id stays its own
                inside = [each for child in node.children for each in _nodes(child)]
                field = f"{_owner(node)}.children"
                texts = [
                    GivenText(field, each) for each in inside if _is(each, str) and each.strip()
                ]
                if texts:
                    yield GivenItem(_owner(node), None, tuple(texts))


def _sources(piece: Piece) -> Iterator[object]:
    """What a piece shows, and what stands around it, as far as somebody gave it."""
    yield from piece.context.values.values()
    is_given, trail = True, piece.trail
    while trail is not None:
        trail, around, _ = trail
        if not around.component.is_primitive:
            is_given = (
                False  # it rendered what stands inside it; what it was given are its children
            )
            yield from _nodes(around)
    if is_given or piece.ladder is not None:
        for node in piece.nodes:
            yield from _nodes(node)


def _nodes(node: Any) -> Iterator[Any]:
    yield node
    for child in node.children if _is(node, Element) else ():
        yield from _nodes(child)


def _items(source: object) -> Iterator[GivenItem]:
    """The items of a value: the elements of its collections, and each of its other fields."""
    owner = _owner(source)
    for name, value in _fields(source):
        field = f"{owner}.{name}"
        elements = _elements(value)
        if elements is None:
            yield GivenItem(field, None, tuple(_texts(value, field)))
            continue
        for number, element in enumerate(elements):
            known: object = getattr(element, "id", None)
            its_id = known if isinstance(known, str) and known else None
            yield GivenItem(f"{field}[{number}]", its_id, tuple(_texts(element, field)))


def _texts(value: Any, field: str, depth: int = 0) -> Iterator[GivenText]:
    """The texts in a value, which is what ``field`` holds."""
    if isinstance(value, Density) or depth > _DEPTH:
        return
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, str):
        if value.strip():
            yield GivenText(field, value)
        return
    elements = _elements(value)
    if elements is not None:
        for element in elements:
            yield from _texts(element, field, depth + 1)
        return
    owner = _owner(value)
    for name, each in _fields(value):
        yield from _texts(each, f"{owner}.{name}", depth + 1)


def _is(value: object, *kinds: type[Any]) -> bool:
    """Tell what a value is. Type checkers are not told: they would know less of its parts then."""
    return isinstance(value, kinds)


def _elements(value: Any) -> Iterable[Any] | None:
    """What a collection holds, pairs for a mapping; ``None`` for what is no collection."""
    if _is(value, Mapping):
        value = value.items()
    elif not _is(value, tuple, list, set, frozenset):
        return None
    elements: Iterable[Any] = value
    return elements


def _fields(source: Any) -> Iterator[tuple[str, Any]]:
    """The fields of a value by name; of an element, those of its component, and its own texts."""
    if _is(source, str):
        yield "text", source
    elif _is(source, Element):
        yield from _fields(source.component)
        yield "children", tuple(child for child in source.children if _is(child, str))
    elif _is(source, BaseModel):
        yield from source.__dict__.items()
    elif _is(source, msgspec.Struct):
        yield from ((name, getattr(source, name)) for name in source.__struct_fields__)
    elif hasattr(source.__class__, "__dataclass_fields__"):
        yield from ((name, getattr(source, name)) for name in source.__dataclass_fields__)


def _owner(source: Any) -> str:
    return type(source.component if _is(source, Element) else source).__name__
