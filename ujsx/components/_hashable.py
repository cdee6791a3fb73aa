"""The check that a prop's type promises hashable values, read off its annotation; and which equal values are the
same.

A tree is a value: it is compared, and kept as a key of what was rendered already. So a component
refuses a prop that could hold a list, where its author can still choose a tuple.
"""

from __future__ import annotations

import types
from collections import abc
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import lru_cache
from typing import (
    Annotated,
    Any,
    ForwardRef,
    Literal,
    TypeVar,
    Union,
    get_args,
    get_origin,
)

import msgspec
from pydantic import BaseModel

from ujsx.components._documented import fields_of

ADVICE: dict[type[Any], str] = {
    list: "use tuple[…, ...]",
    set: "use frozenset[…]",
    dict: "use FrozenMapping[…, …]",
    bytearray: "use bytes",
    abc.Sequence: "use tuple[…, ...]",
    abc.MutableSequence: "use tuple[…, ...]",
    abc.Iterable: "use tuple[…, ...]",
    abc.Collection: "use tuple[…, ...]",
    abc.Set: "use frozenset[…]",
    abc.MutableSet: "use frozenset[…]",
    abc.Mapping: "use FrozenMapping[…, …]",
    abc.MutableMapping: "use FrozenMapping[…, …]",
}
"""What to write instead of a type whose values cannot be hashed."""

_UNIONS: frozenset[object] = frozenset({Union, types.UnionType})


def unhashable_part(annotation: Any, seen: frozenset[Any] = frozenset()) -> Any:
    """Return the part of ``annotation`` whose values cannot be hashed, or ``None``.

    >>> unhashable_part(tuple[list[int], ...])
    list[int]
    >>> unhashable_part(tuple[int, ...]) is None
    True
    """
    origin = get_origin(annotation)
    if origin is Literal:
        return None
    if origin is Annotated:
        return unhashable_part(get_args(annotation)[0], seen)
    if origin in _UNIONS or (isinstance(origin, type) and _hashes(origin)):
        parts = (unhashable_part(part, seen) for part in get_args(annotation) if part is not ...)
        return next((part for part in parts if part is not None), None)
    if origin is not None:
        return annotation if isinstance(origin, type) else None
    alias = getattr(annotation, "__value__", None)  # a `type X = ...` alias
    if alias is not None and not isinstance(annotation, type):
        return unhashable_part(alias, seen)
    if not isinstance(annotation, type) or annotation in seen:
        return None
    cls: Any = annotation
    if issubclass(cls, BaseModel):
        return _unhashable_field(cls, seen | {cls})
    return None if _hashes(cls) else cls


def may_not_hash(annotation: Any, seen: frozenset[Any] = frozenset()) -> bool:
    """Tell whether some values of ``annotation`` can be hashed and others not.

    >>> may_not_hash(Any), may_not_hash(tuple), may_not_hash(tuple[int, ...])
    (True, True, False)
    """
    origin = get_origin(annotation)
    if origin is Literal:
        return False
    if origin is Annotated:
        return may_not_hash(get_args(annotation)[0], seen)
    if origin is not None:
        return any(may_not_hash(part, seen) for part in get_args(annotation) if part is not ...)
    if not isinstance(annotation, type):
        alias = getattr(annotation, "__value__", None)
        if alias is not None:
            return may_not_hash(alias, seen)
        return annotation is Any or isinstance(annotation, str | ForwardRef | TypeVar)
    cls: Any = annotation
    if cls in seen:
        return False
    if issubclass(cls, BaseModel):
        fields = fields_of(cls).values()
        return any(may_not_hash(field.annotation, seen | {cls}) for field in fields)
    return cls is Any or issubclass(cls, _CONTAINERS) or is_dataclass(cls) or cls is object


def is_exact(annotation: Any, seen: frozenset[Any] = frozenset()) -> bool:
    """Tell whether equal values of ``annotation`` are the same, and show the same.

    1 equals True and 1.0, 0.0 equals -0.0, and mappings are equal in any order; a class may have an
    equality of its own, such as that of an id. Where a type admits such, two equal values may render to
    different texts.

    >>> is_exact(str | None), is_exact(tuple[int, ...]), is_exact(int | bool), is_exact(float)
    (True, True, False, False)
    """
    origin = get_origin(annotation)
    if origin is Annotated:
        return is_exact(get_args(annotation)[0], seen)
    if origin is Literal:
        kinds: set[type[Any]] = {each.__class__ for each in get_args(annotation)}
        return not kinds >= {bool, int}
    if isinstance(origin, type) and issubclass(origin, abc.Mapping):
        return False
    if origin is not None:
        parts = [part for part in get_args(annotation) if part is not ...]
        are_numbers = sum(part is int or part is bool for part in parts)
        return are_numbers < 2 and all(is_exact(part, seen) for part in parts)
    if not isinstance(annotation, type):
        alias = getattr(annotation, "__value__", None)
        return annotation is None or (alias is not None and is_exact(alias, seen))
    cls: Any = annotation
    if issubclass(cls, BaseModel):
        if cls.__eq__ not in EXACT_EQUALITIES or cls.model_config.get("extra") == "allow":
            return False
        props = () if cls in seen else fields_of(cls).values()
        return all(is_exact(prop.annotation, seen | {cls}) for prop in props)
    return issubclass(cls, Enum) or cls in _EXACT


def are_same(left: Any, right: Any) -> bool:
    """Tell whether values are equal, and show the same.

    >>> are_same((1, "a"), (1, "a")), are_same(1, True), are_same({1: 2, 3: 4}, {3: 4, 1: 2})
    (True, False, False)
    """
    kind: type[Any] = left.__class__
    if left is right or kind is not right.__class__:
        return left is right
    return bool(left == right) and (_is_exact_class(kind) or with_kinds(left) == with_kinds(right))


def with_kinds(value: Any) -> tuple[object, ...]:
    """Give what is equal for values that are the same, and for no others.

    >>> with_kinds((1, "a")) == with_kinds((1, "a")), with_kinds((1,)) == with_kinds((True,))
    (True, False)
    >>> with_kinds(0.0) == with_kinds(-0.0)
    False
    """
    kind: type[Any] = value.__class__
    bases = kind.__mro__
    if BaseModel in bases:
        extra: dict[str, Any] = value.__pydantic_extra__ or {}
        return kind, *with_kinds((*value.__dict__.values(), *extra.items()))
    if is_dataclass(kind):
        return kind, *(with_kinds(getattr(value, each.name, None)) for each in fields(kind))
    if msgspec.Struct in bases:
        return kind, *(with_kinds(getattr(value, name)) for name in kind.__struct_fields__)
    if abc.Mapping in bases or dict in bases:
        return kind, *with_kinds(tuple(value.items()))
    if frozenset in bases or set in bases:
        return kind, frozenset(map(with_kinds, value))
    if tuple in bases or list in bases:
        return kind, *map(with_kinds, value)
    return (kind, value) if kind in _EXACT else (kind, value, repr(value))


def kinds_in(value: Any) -> object:
    """Give what beside itself is equal for a value that is the same.

    >>> kinds_in("a") == kinds_in("b"), kinds_in((1, "a")) == kinds_in((True, "a"))
    (True, False)
    """
    kind: type[Any] = value.__class__
    if kind is tuple:
        kinds = {*map(type, value)}
        return tuple(map(type, value)) if kinds <= _EXACT else with_kinds(value)
    return kind if kind in _EXACT else with_kinds(value)


@lru_cache(maxsize=256)
def _is_exact_class(cls: type[Any]) -> bool:
    return is_exact(cls)


EXACT_EQUALITIES: set[object] = {BaseModel.__eq__}
"""By which models are equal that hold the same."""

_EXACT = frozenset({str, bytes, int, bool, type(None)})
"""Classes of which equal values are the same value."""

_CONTAINERS = (tuple, frozenset, abc.Mapping)
"""Classes that can be hashed if what they hold can."""


def _hashes(cls: type[Any]) -> bool:
    return cls not in ADVICE and (
        issubclass(cls, Enum) or getattr(cls, "__hash__", None) is not None
    )


def _unhashable_field(model: type[BaseModel], seen: frozenset[Any]) -> Any:
    if not model.model_config.get("frozen") and model.__hash__ is None:
        return model
    parts = (unhashable_part(field.annotation, seen) for field in fields_of(model).values())
    return next((part for part in parts if part is not None), None)
