"""The repair of props and data that validation refused: other names, and other types, of what a field holds.

In: a model, or a section, and what was given for it in Python. Out: the same under the model's own names and in its types,
where it can mean one thing; a :class:`PropError` with the line to write where it cannot. Valid data never come here.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import Enum
from typing import Any, Literal, NamedTuple, cast, get_args, get_origin

from pydantic import BaseModel

from hud_components._models import HudModel, item_in, milliseconds_of
from hud_components.declaring._section import HudSection
from hud_components.declaring._spellings import (
    ARGUMENTS,
    ITEMS,
    TEXTS,
    VALUES,
    fields_taken,
    names_of,
    respelt,
)
from hud_components.declaring._state import State
from ujsx import PropError
from ujsx.components import fields_of
from ujsx.errors import did_you_mean, shown
from ujsx.tools._names import folded, variant_of


class _Place(NamedTuple):
    """Where a value stands."""

    path: str
    section: type[HudSection] | None = None

    def at(self, name: str) -> _Place:
        return self._replace(path=f"{self.path}.{name}")

    def refused(self, why: str) -> PropError:
        return PropError(why, path=self.path)


def repaired(model: type[BaseModel], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a model under its own names and in its types, as far as they are understood.

    :raises PropError: for a value that could mean several things, with the line to write.

    >>> from hud_components import Step
    >>> repaired(Step, {"step": "Add tests", "status": "done"})
    {'description': 'Add tests', 'completed': True}
    """
    return _fields(model, given, _Place(model.__name__))


def repaired_props(
    section: type[HudSection], positional: tuple[Any, ...], props: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a section's props under its own names and in its types, as far as they are understood.

    :param positional: what was given without a name; one of them stands for the section's data.
    :raises PropError: for a value that could mean several things, with the line to write.

    >>> from hud_components import TaskSection
    >>> repaired_props(TaskSection, (), {"title": "Add a login", "density": "compact"})
    {'density': 'compact', 'task': {'description': 'Add a login'}}
    """
    fields, place = fields_of(section), _Place(section.__name__, section)
    data = section.prop or next(name for name in fields if name not in fields_of(HudSection))
    named = {**{_prop_meant(section, data, name, props): value for name, value in props.items()}}
    if len(positional) == 1 and data not in named:
        named[data] = positional[0]
    elif positional:
        raise place.refused(f"props are given by name; write {section.__name__}({data}=…)")
    kind, is_listed = item_in(fields[data].annotation)
    if kind is not None and not is_listed and data not in named:
        own = _own_fields(section, kind, named)
        if own:
            named = {name: each for name, each in named.items() if name not in own}
            named[data] = own
    return {
        name: _value(fields[name].annotation, value, place.at(name)) if name in fields else value
        for name, value in named.items()
    }


def _prop_meant(section: type[HudSection], data: str, name: str, given: Mapping[str, Any]) -> str:
    """The prop that a name stands for; the name itself where it is one, or none."""
    fields = fields_of(section)
    if name in fields:
        return name
    said = folded(name)
    texts = TEXTS.split() if fields[data].annotation == str | None else ()
    of_data = {folded(each) for each in (*names_of(section), *ITEMS.split(), *texts)}
    if said in of_data:
        meant: str | None = data
    elif said in ARGUMENTS["limit"].split():
        meant = "limit"
    else:
        meant = variant_of(name, fields)
    return name if meant is None or meant in given else meant


def _own_fields(
    section: type[HudSection], kind: type[BaseModel], given: Mapping[str, Any]
) -> dict[str, Any]:
    """The fields of a section's value that stand among its props, where one that is no prop does."""
    strange = {name: value for name, value in given.items() if name not in fields_of(section)}
    taken = fields_taken(kind)
    if not {*strange} & {
        *taken,
        *respelt(section if section.prop else None, kind, strange, cased=True),
    }:
        return {}
    return {name: value for name, value in given.items() if name in strange or name in taken}


def _fields(model: type[BaseModel], given: Mapping[str, Any], place: _Place) -> dict[str, Any]:
    names = respelt(place.section, model, given, cased=True)
    fields, made = fields_taken(model), dict[str, Any]()
    for other, value in given.items():
        name = names.get(other, other)
        if name not in fields and place.section is not None:
            hint = did_you_mean(str(other), fields)
            raise place.at(str(other)).refused(f"no such field (got {shown(value)}); {hint}")
        made[name] = _value(fields.get(name), value, place.at(name))
    return made


def _value(annotation: Any, given: Any, place: _Place) -> Any:
    """A value in the type of its field."""
    kind, is_listed = item_in(annotation)
    if isinstance(given, State) and kind is not State and place.section and place.section.field:
        given = getattr(given, place.section.field)
    if given is None or (kind is None and annotation is None):
        return given
    if kind is not None:
        return _items(kind, given, place) if is_listed else _item(kind, given, place)
    if isinstance(given, os.PathLike):
        return os.fspath(cast("os.PathLike[str]", given))
    if isinstance(given, Enum):
        return _value(annotation, given.value, place)
    kinds = get_args(annotation) or (annotation,)
    if isinstance(given, datetime) and int in kinds:
        return milliseconds_of(given)
    words = get_args(annotation) if get_origin(annotation) is Literal else ()
    if isinstance(given, str) and (bool in kinds or words):
        return _meant_by(given, [True, False] if bool in kinds else words)
    return given


def _meant_by(given: str, values: Iterable[Any]) -> Any:
    """The one of some values that a word stands for; the word itself where it is none of theirs."""
    said = folded(given)
    found = (each for each in values if said in VALUES.get(str(each), "").split())
    return next(found, given)


def _items(kind: type[HudModel], given: Any, place: _Place) -> Any:
    if isinstance(given, set | frozenset):
        raise place.refused(f"{shown(given)} has no order; write sorted(…)")
    if isinstance(given, str | os.PathLike | Mapping | BaseModel) or not isinstance(
        given, Iterable
    ):
        given = (given,)
    several = cast("Iterable[Any]", given)
    return tuple(_item(kind, each, place.at(str(number))) for number, each in enumerate(several))


def _item(kind: type[HudModel], given: Any, place: _Place) -> Any:
    if isinstance(given, os.PathLike | Enum):
        given = _value(str, given, place)
    if isinstance(given, kind | str):
        return given
    if isinstance(given, BaseModel):
        given = {name: getattr(given, name) for name in given.model_fields_set}
    if isinstance(given, Mapping):
        return _fields(kind, cast("Mapping[str, Any]", given), place)
    try:
        return kind.of_text(given)
    except ValueError as error:
        raise place.refused(str(error)) from None
