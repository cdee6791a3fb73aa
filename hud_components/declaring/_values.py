"""What values look like in a line: as text, and as the pattern that reads the text back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin
from uuid import UUID

from pydantic import (
    AwareDatetime,
    FutureDate,
    FutureDatetime,
    NaiveDatetime,
    PastDate,
    PastDatetime,
    StringConstraints,
    TypeAdapter,
)
from pydantic.fields import FieldInfo
from typing_extensions import TypeAliasType


class Look(NamedTuple):
    """What a field's values look like in a line."""

    pattern: str = ""
    """A regular expression; empty for any text."""

    examples: tuple[str, ...] = ("x",)
    """Some of them: all, where there are few."""


TEXT = Look()
"""Any text."""

_NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_DATE = r"\d{4}-\d\d-\d\d"
_TIME = r"\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?"

LOOKS: tuple[tuple[type[Any], Look], ...] = (
    (int, Look(r"-?\d+", ("7", "-12"))),
    (float, Look(f"{_NUMBER}|nan|inf|-inf", ("7.5", "-1e-07", "12.0"))),
    (Decimal, Look(f"{_NUMBER}|NaN|-?Infinity", ("7", "-1.50", "1E+7"))),
    (
        datetime,
        Look(f"{_DATE}[T ]{_TIME}", ("2026-01-31T09:30:00", "2026-01-31T09:30:00.25+01:00")),
    ),
    (date, Look(_DATE, ("2026-01-31",))),
    (time, Look(_TIME, ("09:30:00", "09:30:00.25"))),
    (timedelta, Look(r"-?P[0-9.YMWDTHS]+", ("P1D", "-PT0.5S"))),
    (UUID, Look("[0-9a-f-]{36}", ("12345678-1234-5678-1234-567812345678",))),
)
"""What values look like, by their type."""

WRITTEN: tuple[type[Any], ...] = (str, Enum, *(kind for kind, _ in LOOKS))
"""The types of values that a line can have."""


_SPECIAL: dict[Any, type[Any]] = {
    AwareDatetime: datetime,
    NaiveDatetime: datetime,
    PastDatetime: datetime,
    FutureDatetime: datetime,
    PastDate: date,
    FutureDate: date,
}
"""Pydantic's names for values of some kinds, which are no classes of theirs."""


def look_of(annotation: Any) -> Look | None:
    r"""Return what a field's values look like; ``None`` for what no single hole of a line can hold.

    >>> look_of(str).pattern, look_of(int | None).pattern, look_of(Literal["a", "b"]), look_of(dict)
    ('', '-?\\d+', Look(pattern='a|b', examples=('a', 'b')), None)
    """
    if isinstance(annotation, TypeAliasType):
        return look_of(annotation.__value__)
    origin = get_origin(annotation)
    if origin is Annotated:
        return look_of(get_args(annotation)[0])
    if origin is Literal:
        return _choice(get_args(annotation))
    if origin in (Union, UnionType):
        parts = {look_of(each) for each in get_args(annotation) if each is not NoneType}
        return parts.pop() if len(parts) == 1 else None
    annotation = _SPECIAL.get(annotation, annotation)
    if not isinstance(annotation, type) or annotation is bool:
        return None
    if issubclass(annotation, Enum):
        return _choice([each.value for each in annotation])
    if issubclass(annotation, str):
        return TEXT
    return next((look for kind, look in LOOKS if issubclass(annotation, kind)), None)


def _choice(values: Sequence[Any]) -> Look | None:
    texts = [value for value in values if isinstance(value, str) and value]
    if not texts or not all(isinstance(value, str) for value in values):
        return None
    longest_first = sorted(texts, key=len, reverse=True)
    return Look("|".join(map(re.escape, longest_first)), tuple(texts))


def choices_of(annotation: Any) -> tuple[Any, ...] | None:
    """Return all values that a field can have, where they can be told.

    >>> choices_of(bool | None), choices_of(Literal["a"]), choices_of(str)
    ((False, True, None), ('a',), None)
    """
    if isinstance(annotation, TypeAliasType):
        return choices_of(annotation.__value__)
    origin = get_origin(annotation)
    if origin is Annotated:
        return choices_of(get_args(annotation)[0])
    if origin is Literal:
        return get_args(annotation)
    if origin in (Union, UnionType):
        parts = [choices_of(each) for each in get_args(annotation)]
        known = [part for part in parts if part is not None]
        return (
            tuple(value for part in known for value in part) if len(known) == len(parts) else None
        )
    if annotation in (NoneType, None):
        return (None,)
    if annotation is bool:
        return (False, True)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return tuple(annotation)
    return None


def may_be_unset(field: FieldInfo) -> bool:
    """Tell whether a field may say nothing: it may be None, or a text without a word in it."""
    return _may_be_unset(field.annotation, field.metadata)


def _may_be_unset(annotation: Any, metadata: Sequence[Any]) -> bool:
    if isinstance(annotation, TypeAliasType):
        return _may_be_unset(annotation.__value__, metadata)
    origin = get_origin(annotation)
    if origin is Annotated:
        inner, *more = get_args(annotation)
        return _may_be_unset(inner, (*metadata, *more))
    if origin in (Union, UnionType):
        return any(_may_be_unset(each, metadata) for each in get_args(annotation))
    choices = choices_of(annotation)
    if choices is not None:
        return not all(is_set(each) for each in choices)
    if isinstance(annotation, type) and issubclass(annotation, str):
        return not any(
            isinstance(each, StringConstraints) and each.strip_whitespace and each.min_length
            for each in metadata
        )
    return annotation in (NoneType, None)


def as_text(value: Any) -> str:
    """Return a value as a line has it."""
    if value.__class__ is str:
        return str(value)
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, timedelta):
        return str(TypeAdapter(timedelta).dump_python(value, mode="json"))
    return value.isoformat() if isinstance(value, date | time) else str(value)


def is_set(value: object) -> bool:
    """Tell whether a field says something: None does not, nor does white space alone."""
    if isinstance(value, Enum):
        value = value.value
    return value is not None and not (isinstance(value, str) and not value.strip())
