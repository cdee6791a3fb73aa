"""The repair of props and data that validation refused: other names and types of fields.

In: a model, or a section, and its data from Python. Out: the same with the model's own names and types, if unambiguous;
otherwise a :class:`PropError` with the line to write. Valid data never come here.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import Enum
from functools import lru_cache
from itertools import islice
from types import NoneType
from typing import Any, Literal, NamedTuple, cast, get_args, get_origin

from pydantic import BaseModel

from hud_components._models import SOURCE, Actor, HudModel, item_in, milliseconds_of
from hud_components.declaring._checks import is_kept
from hud_components.declaring._section import HudSection
from hud_components.declaring._spellings import (
    ARGUMENTS,
    LISTS,
    STATUS,
    TEXTS,
    VALUES,
    argument_meant,
    fields_taken,
    names_of,
    respelt,
    sections_named,
)
from hud_components.declaring._state import State
from hud_components.folding import text_field
from ujsx import Density, PropError
from ujsx.components import fields_of, first_text, members_of
from ujsx.errors import UjsxError, did_you_mean, listed, shown
from ujsx.tools._names import folded, variant_of


class _ValuePlace(NamedTuple):
    """The place of a value for errors, and its section."""

    path: str
    section: type[HudSection] | None = None

    def at(self, name: str | int) -> _ValuePlace:
        return self._replace(path=f"{self.path}.{name}")

    def refused(self, why: str) -> PropError:
        return PropError(why, path=self.path)


def repaired(model: type[BaseModel], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a model's fields with its own names and types, as far as they are understood.

    :raises PropError: for an ambiguous value, with the line to write.

    >>> from hud_components import Step
    >>> repaired(Step, {"step": "Add tests", "status": "done"})
    {'description': 'Add tests', 'completed': True}
    """
    return _fields(model, given, _ValuePlace(model.__name__))


def repaired_props(
    section: type[HudSection], positional: tuple[Any, ...], props: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a section's props with its own names and types, as far as they are understood.

    :param positional: positional arguments: the section's data, or its items.
    :raises PropError: for an ambiguous value, with the line to write.

    >>> from hud_components import TaskSection
    >>> repaired_props(TaskSection, (), {"title": "Add a login", "limit": 3})
    {'limit': 3, 'task': {'description': 'Add a login'}}
    """
    fields, place = fields_of(section), _ValuePlace(section.__name__, section)
    data = section.prop or next(name for name in fields if name not in fields_of(HudSection))
    names = _once({name: _prop_meant(section, data, name, props) for name in props})
    named = {names.get(name, name): value for name, value in props.items()}
    flags = [name for name in Density if named.get(name) is True and name not in fields]
    if len(flags) == 1 and "density" not in named:
        named = {**named, "density": flags[0]}
        del named[flags[0]]
    kind, is_listed = item_in(fields[data].annotation)
    if positional and data not in named and (is_listed or len(positional) == 1):
        named[data] = positional[0] if len(positional) == 1 else positional
    elif positional:
        raise place.refused(f"props are given by name; write {section.__name__}({data}=…)")
    if kind is not None and data not in named and not (is_listed and named.keys() & _OF_LISTS):
        own = _own_fields(section, kind, named)
        if own:
            named = {name: each for name, each in named.items() if name not in own}
            named[data] = [own] if is_listed else own
    for name in named.keys() - fields.keys():
        line = _line_for(section, data, name, named[name])
        if line:
            why = f"no such prop (got {shown(named[name])}); write {line}"
            raise place.at(name).refused(why)
    return {
        name: _value(fields[name].annotation, value, place.at(name)) if name in fields else value
        for name, value in named.items()
    }


def _prop_meant(section: type[HudSection], data: str, name: str, given: Mapping[str, Any]) -> str:
    """Return the prop that a name means; the name itself if it is one, or unknown."""
    fields, said = fields_of(section), folded(name)
    if name in fields:
        return name
    texts = TEXTS.split() if fields[data].annotation == str | None else []
    of_data = {folded(each) for each in (*names_of(section), *_STATES, *LISTS.split(), *texts)} - {
        ""
    }
    of_items = {text_field(section)} if section.kind is not None else set[str]()
    if said in of_data or said.removesuffix("s") in (of_data | of_items) - {said}:
        meant: str | None = data
    elif said in ARGUMENTS["limit"].split():
        meant = "limit"
    else:
        meant = variant_of(name, fields)
    return name if meant is None or meant in given else meant


def _once(names: Mapping[str, str]) -> dict[str, str]:
    """Return the names with unique meanings, without both of any pair."""
    counts = Counter(names.values())
    return {name: meant for name, meant in names.items() if counts[meant] == 1}


_OF_LISTS = frozenset({"title", "heading", "header", "label", "name"})
"""Names of props that may mean a whole list, and not its item."""

_STATES = ("state", "info", "contextinfo")
"""Names of a prop for the state, or the context usage, with a section's data."""


def _line_for(section: type[HudSection], data: str, name: str, value: object) -> str:
    """Return the line to write instead of an unknown prop; empty if only a list of props helps."""
    if name in {*Density}:
        return f'density="{name}"'
    if name in {"priority", "weight", "importance"}:
        return f"weight = {shown(value)} in the body of class Mine({section.__name__})"
    if name in {"title", "heading", "header"} and section.name:
        title = f'{{"{section.name}.title": {shown(value)}}}'
        return f"render(…, context=RenderContext(texts={title})), from ujsx import RenderContext"
    is_text = section.kind is not None and folded(name) in TEXTS.split()
    return f"{section.__name__}({data}=[{shown(value)}])" if is_text else ""


def _own_fields(
    section: type[HudSection], kind: type[BaseModel], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the fields of a section's value among its props, if there are any that are not props."""
    strange = {name: value for name, value in given.items() if name not in fields_of(section)}
    owner = section if section.prop else None
    taken = fields_taken(kind)
    if strange.keys().isdisjoint({*taken, *respelt(owner, kind, strange, cased=True)}):
        return {}
    return {name: value for name, value in given.items() if name in strange or name in taken}


def _fields(model: type[BaseModel], given: Mapping[str, Any], place: _ValuePlace) -> dict[str, Any]:
    """Return the fields of a model. Outside of a section, unknown names stay unchanged, for Pydantic to refuse."""
    for name in given:
        if type(name) is not str:
            raise place.refused(f"the name of a field is a text, not {shown(name)}")
    if issubclass(model, State):
        given = _with_session(given)
    found = respelt(place.section, model, given, cased=True)
    if issubclass(model, State):
        found |= {
            name: (field, given[name]) for name, field in _sections_meant(model, given).items()
        }
    fields, made = fields_taken(model), dict[str, Any]()
    for other, given_value in given.items():
        name, value = found.get(other, (other, given_value))
        if _says_nothing(model, name, value):
            continue
        if name not in fields and place.section is not None:
            is_source = value in get_args(Actor) and "said_by" in fields
            hint = f"write said_by={shown(value)}" if is_source else did_you_mean(other, fields)
            text, drafted = text_field(place.section), fields_of(place.section.draft or model)
            if [*drafted] == [text] and text in given and not hint.startswith("did"):
                hint = f"it has one text: write {text}={shown(f'{given[text]} ({other}: {value})')}"
            raise place.at(other).refused(f"no such field (got {shown(value)}); {hint}")
        made[name] = _value(fields.get(name), value, place.at(name))
    words: Mapping[str, Mapping[str, Any] | str] = getattr(model, "_also_means", {})
    meant: Mapping[str, Any] | str = {}
    if words:
        meant = words.get(folded(str(made.get("status"))), {})
    if isinstance(meant, str):
        raise place.at("status").refused(
            f"{shown(made['status'])} is none of {listed(get_args(fields['status']))}; {meant}"
        )
    return {**made, **meant}


@lru_cache(maxsize=1_024)
def field_called(model: type[BaseModel], name: str) -> str | None:
    """Return the field of an item for another name that its constructor accepts; None for none, or several.

    >>> from hud_components import Decision
    >>> field_called(Decision, "text"), field_called(Decision, "why"), field_called(Decision, "status")
    ('summary', 'details', None)
    """
    said = folded(name).removeprefix("is")
    if first_text(model) == "id" or said in STATUS.split():
        return None
    found = [each for each in argument_meant(None, model, said) if each in fields_of(model)]
    return found[0] if len(found) == 1 else None


def _says_nothing(model: type[BaseModel], name: str, value: object) -> bool:
    """Tell whether data are redundant: derived from the rest, or null for a text or a list that may be empty."""
    info = fields_of(model).get(name)
    if info is None:
        return name in getattr(model, "_follow", ())
    return (
        value is None and info.default in ("", ()) and NoneType not in members_of(info.annotation)
    )


def _with_session(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a state's data, with the fields of its session in their place.

    :raises PropError: for a project without a session.
    """
    rest = {name: value for name, value in given.items() if folded(name) not in _OF_SESSION}
    if len(rest) == len(given) or "session" in given:
        return given
    found = {_OF_SESSION.get(folded(name), ""): value for name, value in given.items() if value}
    found.pop("", None)
    if found and "id" not in found:
        line = f'session={{"id": "…", "project": {shown(found["project"])}}}'
        raise PropError(f"a project is that of a session; write {line}", path="HudState")
    return {**rest, **({"session": found} if found else {})}


_OF_SESSION = {"sessionid": "id", "projectpath": "project"}
"""The session's fields for the founding documents' names in a state's data."""


def _sections_meant(state: type[State], given: Mapping[str, Any]) -> dict[str, str]:
    """Return the names in a state's data that are other names of its sections."""
    sections = {each.field: each for each in state.sections if each.field}
    strange = given.keys() - fields_of(state).keys()
    meant = {name: sections_named(name, sections) for name in strange}
    known = {name: found[0] for name, found in meant.items() if len(found) == 1}
    return _once({name: field for name, field in known.items() if field not in given})


def _value(annotation: Any, given: Any, place: _ValuePlace) -> Any:
    """Return a value in the type of its field."""
    kind, is_listed = item_in(annotation)
    if isinstance(given, State) and kind is not State and place.section and place.section.field:
        given = getattr(given, place.section.field)
    if given is None:
        return None
    if kind is not None:
        return _items(kind, given, place) if is_listed else _item(kind, given, place)
    if isinstance(given, os.PathLike):
        return os.fspath(cast("os.PathLike[str]", given))
    if isinstance(given, Enum):
        return _value(annotation, given.value, place)
    return _plain(annotation, given, place)


def _plain(annotation: Any, given: Any, place: _ValuePlace) -> Any:
    """Return a value other than a data model's, in the type of its field."""
    kinds = {*members_of(annotation)}
    words = [word for each in kinds if get_origin(each) is Literal for word in get_args(each)]
    try:
        if isinstance(given, str) and int in kinds and _TIME.fullmatch(given):
            given = datetime.fromisoformat(given)
        if isinstance(given, datetime) and int in kinds:
            return milliseconds_of(given)
        if isinstance(given, str) and Density in kinds:
            return Density.of(cast("Any", given.casefold()))
    except (UjsxError, ValueError) as error:
        raise place.refused(str(error)) from None
    if isinstance(given, str) and any(get_origin(each) is tuple for each in kinds):
        return (given,)
    if type(given) in {int, float} and str in kinds and kinds <= {str, NoneType}:
        if type(given) is int:
            return str(given)
        raise place.refused(f'{given} is not a text; write "{given}"')  # of 3.10 the zero is lost
    if isinstance(given, str | bool) and (bool in kinds or words):
        return _meant_by(given, [True, False] if bool in kinds else words)
    return given


_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9:.]{5,15}([Zz]|[+-][0-9]{2}:[0-9]{2})")
"""A timestamp in JSON (RFC 3339)."""


def _meant_by(given: str | bool, values: Iterable[Any]) -> Any:
    """Return the value that a word means; the word itself if there is none."""
    said = folded(str(given))
    found = (each for each in values if said in VALUES.get(str(each), "").split())
    return given if given in values else next(found, given)


def _items(kind: type[HudModel], given: Any, place: _ValuePlace) -> tuple[Any, ...]:
    """Return items, from a list, a single one, or pairs by the first of two fields."""
    if isinstance(given, Mapping) and _pair(kind, place):
        named = cast("dict[Any, Any]", given)
        texts = {str(name): value for name, value in named.items()}
        known = {*fields_taken(kind), *respelt(place.section, kind, texts, cased=True)}
        if texts.keys().isdisjoint(known):
            return _items(kind, [*named.items()], place)
    if isinstance(given, str):
        given = _listed(given)
    if isinstance(given, _ONE) or not isinstance(given, Iterable):
        given = (given,)
    several = cast("Iterable[Any]", given)
    return tuple(_item(kind, each, place.at(number)) for number, each in enumerate(several))


def _listed(text: str) -> Any:
    """Return the items of a Markdown list; any other text unchanged."""
    lines = [_LISTED.fullmatch(line) for line in text.strip().split("\n") if line.strip()]
    return [line["text"] for line in lines if line] if len(lines) > 1 and all(lines) else text


_LISTED = re.compile(r"[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]+(?P<text>\S.*)")

_ONE = (str, bytes, os.PathLike, Mapping, BaseModel, BaseException)
"""Types of single items, though some of them are iterable."""


def _item(kind: type[HudModel], given: Any, place: _ValuePlace) -> Any:
    """Return an item, or a value, from itself, its text, or its fields.

    :raises PropError: for anything else, with the line to write.
    """
    if isinstance(given, os.PathLike | Enum):
        given = _value(str, given, place)
    if isinstance(given, BaseException):
        given = f"{type(given).__name__}: {given}"
    if isinstance(given, kind | str):
        return given
    if isinstance(given, BaseModel):
        given = {name: getattr(given, name) for name in given.model_fields_set}
    if hasattr(given, "__dataclass_fields__"):
        given = cast("Any", vars(given))
    several: list[Any] = [*given] if type(given) in {tuple, list} else [given]
    pair = _pair(kind, place)
    if len(several) == len(pair) and not isinstance(given, Mapping):
        given = dict(zip(pair, several, strict=True))
    if isinstance(given, Mapping):
        return _fields(kind, cast("Mapping[str, Any]", given), place)
    if type(given) in {int, float} and first_text(kind) is None:
        return given  # the model itself decides about numbers
    if type(given) is int:
        return str(given)
    draft = fields_of(getattr(place.section, "draft", None) or kind)
    told = zip(draft, several, strict=False)
    line = ", ".join(f"{name}={_as_text(value)}" for name, value in told)
    name = kind.__name__
    why = f"{shown(given)} is not a text or the fields of {name}"
    raise place.refused(f"{why}; write {name}({line})")


def _as_text(value: object) -> str:
    if type(value) in {int, float}:
        return f'"{value}"'
    return shown(value) if isinstance(value, str) else "…"


def _pair(kind: type[BaseModel], place: _ValuePlace) -> list[str]:
    """Return the two fields of a pair: the required ones, or a text and a second one: its details, whether it is over,
    or its status.
    """
    draft, section = fields_of(getattr(place.section, "draft", None) or kind), place.section
    needed = [name for name, info in draft.items() if info.is_required()]
    if needed == [first_text(kind)]:
        over = section.kind.done if section is not None and section.kind is not None else None
        own = {name: info for name, info in fields_of(kind).items() if name not in SOURCE}
        words = (name for name, info in own.items() if get_origin(info.annotation) is Literal)
        hidden = {*needed, "id", "updated_at"}
        filled = (name for name, info in draft.items() if not is_kept(info))
        said = (name for name in (*filled, over, *words) if name and name not in hidden)
        needed += islice(said, 1)
    return needed if len(needed) == 2 else []
