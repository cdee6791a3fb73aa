"""Nodes by class or by name, in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, overload

from ujsx.components._component import Component
from ujsx.components._element import Child, Element
from ujsx.components._vocabulary import ComponentClass, Vocabulary
from ujsx.errors import LoadError, shown

C = TypeVar("C", bound=Component)


@overload
def h(
    kind: type[C],
    props: Mapping[str, Any] | None = None,
    /,
    *children: Child,
    vocabulary: Vocabulary | Iterable[ComponentClass] | None = None,
) -> Element[C]: ...


@overload
def h(
    kind: str | Callable[..., Component],
    props: Mapping[str, Any] | None = None,
    /,
    *children: Child,
    vocabulary: Vocabulary | Iterable[ComponentClass] | None = None,
) -> Element: ...


def h(
    kind: str | type[Component] | Callable[..., Component],
    props: Mapping[str, Any] | None = None,
    /,
    *children: Child,
    vocabulary: Vocabulary | Iterable[ComponentClass] | None = None,
) -> Element:
    """Return the element of a component class, or of the class that ``vocabulary`` knows by name.

    ``vocabulary`` defaults to the primitives.

    :raises LoadError: for a name that the vocabulary does not have.

    >>> h("Section", {"title": "Decisions"}, "JWT") == h("Section", {"title": "Decisions"}, ["JWT"])
    True
    """
    if isinstance(kind, str):
        known = Vocabulary.of(vocabulary)
        if kind not in known:
            raise LoadError(f"{shown(kind)} is no known component; {known.hint(kind)}")
        kind = known[kind]
    return kind(**(props or {}))[children]
