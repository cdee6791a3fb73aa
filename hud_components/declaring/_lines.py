"""The lines of a declaration: templates for each density, as the forms that write and read items."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from string import Formatter
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, Union, get_args, get_origin
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, NaiveDatetime, TypeAdapter
from typing_extensions import TypeAliasType

from hud_components.declaring._form import Form
from ujsx import DefinitionError, Density, RenderContext
from ujsx.errors import did_you_mean, shown


class Wording(NamedTuple):
    """A line for items of which something holds: ``Wording("~~{what}~~", {"done": True})``."""

    template: str
    when: Mapping[str, Any] = MappingProxyType({})


Lines: TypeAlias = "Mapping[Any, str | Wording | Sequence[str | Wording]]"
"""Lines by density: one, or several of which the first is written whose fields are set."""

_NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_DATE = r"\d{4}-\d\d-\d\d"
_TIME = r"\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?"

PATTERNS: tuple[tuple[Any, str], ...] = (
    (int, r"-?\d+"),
    (float, f"{_NUMBER}|nan|inf|-inf"),
    (Decimal, f"{_NUMBER}|NaN|-?Infinity"),
    *((each, f"{_DATE}[T ]{_TIME}") for each in (datetime, AwareDatetime, NaiveDatetime)),
    (date, _DATE),
    (time, _TIME),
    (timedelta, r"-?P[0-9.DTHMSW]+"),
    (UUID, "[0-9a-f-]{36}"),
)
"""What values look like in a line, by their type."""


def forms_of(
    section: str, name: str, model: type[BaseModel], lines: Lines
) -> dict[Density, tuple[Form, ...]]:
    """Return the forms of each density; one that has no lines takes those of the next fuller one.

    :param section: the class's name, for messages.
    :param name: the section's name, under which a table of words may replace the lines.
    :raises DefinitionError: for a density that is none, a hole that no field fills, a field that no
        hole can hold, and a line that could not be read back.
    """
    given = _by_density(section, lines)
    found: dict[Density, tuple[Form, ...]] = {}
    for density in reversed(Density):
        if density in given:
            found[density] = tuple(_forms(section, f"{name}.{density}", model, given[density]))
        else:
            found[density] = list(found.values())[-1]
    return found


def _by_density(section: str, lines: Lines) -> dict[Density, tuple[str | Wording, ...]]:
    given = {Density.of(key): _wordings(value) for key, value in lines.items()}
    if Density.FULL not in given or not all(given.values()):
        raise DefinitionError(
            f'{section}.lines: say at least how an item is written in full: {{"full": "{{…}}"}}'
        )
    return given


def _wordings(value: str | Wording | Sequence[str | Wording]) -> tuple[str | Wording, ...]:
    return (value,) if isinstance(value, str | Wording) else tuple(value)


def _forms(
    section: str, name: str, model: type[BaseModel], wordings: Sequence[str | Wording]
) -> Iterator[Form]:
    for number, each in enumerate(wordings, start=1):
        template, when = each if isinstance(each, Wording) else (each, {})
        place = name if number == 1 else f"{name}.{number}"
        fields = _holes(section, template, model)
        for field in when:
            _check_field(section, field, model)
        patterns = {field: pattern_of(model.model_fields[field].annotation) for field in fields}
        known = tuple((field, pattern) for field, pattern in patterns.items() if pattern)
        form = Form(place, fields, when, template, known)
        try:
            form.template(_PLAIN)  # which refuses what could not be read back
        except DefinitionError as error:
            raise DefinitionError(f"{section}.lines: {error}") from None
        yield form


def _holes(section: str, template: str, model: type[BaseModel]) -> tuple[str, ...]:
    try:
        names = tuple(
            dict.fromkeys(name for _, name, _, _ in Formatter().parse(template) if name is not None)
        )
    except ValueError as error:
        raise DefinitionError(
            f"{section}.lines: {shown(template)}: {error}; a brace is written twice"
        ) from None
    for name in names:
        _check_field(section, name, model)
        if pattern_of(model.model_fields[name].annotation) is None:
            raise DefinitionError(
                f"{section}.lines: {{{name}}} holds no single value that could be read back from a "
                "line; show a str, a number, a date or a choice, or override rows and read"
            )
    return names


def _check_field(section: str, name: str, model: type[BaseModel]) -> None:
    if name not in model.model_fields:
        raise DefinitionError(
            f"{section}.lines: no field of {model.__name__} fills {{{name}}};"
            f" {did_you_mean(name, model.model_fields)}"
        )


def pattern_of(annotation: Any) -> str | None:
    r"""Return what a field's values look like in a line: "" for any text, ``None`` for what is none.

    >>> pattern_of(str), pattern_of(int | None), pattern_of(Literal["a", "b"]), pattern_of(dict)
    ('', '-?\\d+', 'a|b', None)
    """
    if isinstance(annotation, TypeAliasType):
        return pattern_of(annotation.__value__)
    origin = get_origin(annotation)
    if origin is Annotated:
        return pattern_of(get_args(annotation)[0])
    if origin is Literal:
        return _choice(get_args(annotation))
    if origin in (Union, UnionType):
        parts = {pattern_of(each) for each in get_args(annotation) if each is not NoneType}
        return parts.pop() if len(parts) == 1 else None
    if not isinstance(annotation, type) or annotation is bool:
        return None
    if issubclass(annotation, Enum):
        return _choice([each.value for each in annotation])
    if issubclass(annotation, str):
        return ""
    return next((pattern for kind, pattern in PATTERNS if issubclass(annotation, kind)), None)


def _choice(values: Sequence[Any]) -> str | None:
    if not all(isinstance(value, str) for value in values):
        return None
    return "|".join(re.escape(value) for value in sorted(values, key=len, reverse=True))


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
    """Tell whether a field says something."""
    return value is not None and value != ""


_PLAIN = RenderContext()
