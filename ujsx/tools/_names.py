"""Names of operations and arguments as models write them, and unknown names.

Names are compared without case, dashes, underscores and dots. A name without a field is always reported: by default
Pydantic drops it, and a caller would not notice a misspelt argument.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from dataclasses import fields as fields_of_data
from functools import lru_cache
from itertools import count
from types import MappingProxyType, UnionType
from typing import (
    Annotated,
    Any,
    NamedTuple,
    TypeAlias,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from pydantic import AliasChoices, AliasPath, BaseModel, RootModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError
from typing_extensions import is_typeddict

from ujsx.components._definition import first_text
from ujsx.tools._json import as_list, as_object

_SEPARATORS = re.compile(r"[\W_]+")

_LONGEST = 200
"""The most characters of a name that are compared; own names are much shorter."""


def folded(name: str) -> str:
    """Return a name without case and separators.

    >>> folded("notes.add"), folded("notesAdd"), folded("NOTES-ADD")
    ('notesadd', 'notesadd', 'notesadd')
    """
    return _SEPARATORS.sub("", name[:_LONGEST]).casefold()


def variant_of(name: object, known: Iterable[str]) -> str | None:
    """Return the only known name that ``name`` may spell, or ``None``.

    >>> variant_of("updatedAt", ["updated_at", "id"])
    'updated_at'
    """
    if not isinstance(name, str):
        return None
    candidates = list(known)
    if name in candidates:
        return name
    form = folded(name)
    same = [each for each in candidates if folded(each) == form]
    return same[0] if form and len(same) == 1 else None  # of punctuation alone nothing is left


Path: TypeAlias = tuple[str | int, ...]


def unknown(model: type[BaseModel], data: dict[str, Any]) -> list[Path]:
    """Return the names unknown to ``model``, unless it has ``extra="allow"``.

    A model with ``extra="forbid"`` reports them itself.

    >>> class Search(BaseModel):
    ...     city: str
    >>> unknown(Search, {"city": "Bern", "Limit": 3})
    [('Limit',)]
    """
    if _extra_of(model) != "ignore":
        return []
    known = names(model)
    return [(name,) for name in data if name not in known]


def unknown_by_type(model: type[BaseModel], data: dict[str, Any]) -> list[Path]:
    """Return the names unknown to ``model`` and the models in it, by their types alone.

    For data that failed validation. If a value may be of several models, a name must be unknown to all of them.

    >>> class Guest(BaseModel):
    ...     name: str
    >>> class Booking(BaseModel):
    ...     guests: list[Guest] | None
    >>> unknown_by_type(Booking, {"guests": [{"nme": "Ann"}], "rom": 2})
    [('rom',), ('guests', 0, 'nme')]
    """
    found: list[Path] = []
    waiting: deque[tuple[Path, tuple[Any, ...], object, bool]] = deque(
        [((), (model,), data, False)]
    )
    while waiting:
        path, kinds, value, is_open = waiting.popleft()
        named, listed = as_object(value), as_list(value)
        if named is None and listed is None:
            continue
        may_be = _Kinds.of(kinds)
        if named is not None:
            known = may_be.members
            if may_be.drops_names(is_open) and may_be.holds_objects_of is None:
                found += ((*path, name) for name in named if name not in known)
            # other types follow the rule of the model around them
            within = is_open or any(_extra_of(each) == "allow" for each in may_be.models)
            waiting.extend(
                ((*path, name), may_be.below(name), each, within) for name, each in named.items()
            )
        else:
            waiting.extend(
                ((*path, place), may_be.items, each, is_open)
                for place, each in enumerate(listed or ())
            )
    return found


def names_at(model: type[BaseModel], path: Path) -> list[str]:
    """Return the possible names of an object at a place in a model's data, by its types alone.

    >>> class Guest(BaseModel):
    ...     name: str
    >>> class Booking(BaseModel):
    ...     guests: list[Guest]
    >>> names_at(Booking, ("guests", 0)), names_at(Booking, ("rooms",))
    (['name'], [])
    """
    return list(_kinds_at(model, path).members)


def fields_at(model: type[BaseModel], path: Path) -> Mapping[str, str]:
    """Return by each name that an object at a place may have the one that its field has first: its alias, if it has any.

    Of an object that may have any names nothing is told.

    >>> from pydantic import Field
    >>> class Guest(BaseModel, populate_by_name=True):
    ...     name: str = Field(alias="fullName")
    >>> class Booking(BaseModel):
    ...     guests: list[Guest]
    ...     rooms: dict[str, int]
    >>> dict(fields_at(Booking, ("guests", 0))), dict(fields_at(Booking, ("rooms",)))
    ({'fullName': 'fullName', 'name': 'fullName'}, {})
    """
    may_be = _kinds_at(model, path)
    return may_be.first if may_be.holds_objects_of is None else {}


def text_at(model: type[BaseModel], path: Path) -> str | None:
    """Return the name of the first required text of the object at a place, if all its possible types agree.

    >>> class Guest(BaseModel):
    ...     name: str
    >>> class Booking(BaseModel):
    ...     guests: list[Guest]
    >>> text_at(Booking, ("guests", 0))
    'name'
    """
    found = {first_text(each) for each in _kinds_at(model, path).models}
    return found.pop() if len(found) == 1 else None


class Elsewhere(NamedTuple):
    """The possible places for the value of an unknown name. Places are those of the whole data."""

    inside: tuple[Path, ...]
    """Places one level below the object, inside another of its members."""

    outside: Path | None
    """The place one level above the object, beside its parent."""

    unwrapped: tuple[Path, ...]
    """Places of the object itself for the whole value, if the unknown name only wraps it."""

    is_way: bool
    """True if the name spells out a way inside: ``to.x``, ``to_x``."""


def elsewhere(model: type[BaseModel], path: Path, name: str, value: object) -> Elsewhere:
    """Return the possible places for the value of an unknown name of an object in a model's data.

    >>> class Point(BaseModel):
    ...     x: int
    >>> class Move(BaseModel):
    ...     to: Point
    ...     steps: int
    >>> elsewhere(Move, (), "x", 1).inside, elsewhere(Move, (), "to.x", 1).is_way
    ((('to', 'x'),), True)
    >>> elsewhere(Move, ("to",), "steps", 3).outside, elsewhere(Move, (), "move", {"Steps": 3}).unwrapped
    (('steps',), (('steps',),))
    """
    may_be = _kinds_at(model, path)
    steps = [
        (member, *step)
        for member in dict.fromkeys(may_be.first.values())
        if (step := _step_to(name, member, may_be.members[member])) is not None
    ]
    ways = [each for each in steps if folded(f"{each[0]}{each[-1]}") == folded(name)]
    levels = [level for level, part in enumerate(path) if isinstance(part, str)]
    around = path[: levels[-1]] if levels else None
    above = None if around is None else variant_of(name, _kinds_at(model, around).members)
    meant = [variant_of(each, may_be.members) for each in as_object(value) or {}]
    known = [each for each in meant if each is not None]
    return Elsewhere(
        tuple((*path, *each) for each in ways or steps),
        None if around is None or above is None else (*around, above),
        tuple((*path, each) for each in known) if len(known) == len(meant) else (),
        bool(ways),
    )


def _step_to(name: str, member: str, kinds: tuple[Any, ...]) -> Path | None:
    """Return the path that a name may mean inside a member, or in its list's items: ``x``, or ``point.x``."""
    own = _Kinds.of(kinds)
    for step, known in (((), own.members), ((0,), _Kinds.of(own.items).members)):
        for each in known:
            if folded(name) in {folded(each), folded(member) + folded(each)}:
                return (*step, each)
    return None


def _kinds_at(model: type[BaseModel], path: Path) -> _Kinds:
    kinds: tuple[Any, ...] = (model,)
    for part in path:
        may_be = _Kinds.of(kinds)
        kinds = may_be.items if isinstance(part, int) else may_be.below(part)
    return _Kinds.of(kinds)


def _extra_of(model: type[BaseModel]) -> str:
    """Return what a model does with unknown names, as its configuration has it."""
    return model.model_config.get("extra") or "ignore"


@dataclass(frozen=True, slots=True)
class _Kinds:
    """The possible kinds of a value, by its types."""

    models: list[type[BaseModel]]
    others: list[type[Any]]
    """Dataclasses and typed dictionaries."""
    members: dict[str, tuple[Any, ...]]
    """The types of each member of these classes, by name."""
    first: dict[str, str]
    """The first name of a member's field, by each name of the member."""
    items: tuple[Any, ...]
    """Types of the items of lists."""
    holds_objects_of: tuple[Any, ...] | None
    """Types of the members of objects with any names; None without such objects."""

    @classmethod
    def of(cls, kinds: Iterable[Any]) -> _Kinds:
        models: list[type[BaseModel]] = []
        others: list[type[Any]] = []
        members: dict[str, tuple[Any, ...]] = {}
        first: dict[str, str] = {}
        items: list[Any] = []
        values: list[Any] | None = None
        waiting, seen = [*kinds], set[int]()
        while waiting:
            kind: Any = waiting.pop()
            if id(kind) in seen:  # a recursive type
                continue
            seen.add(id(kind))
            origin, within = get_origin(kind), get_args(kind)
            if origin is Annotated:
                waiting.append(within[0])
            elif origin in _UNIONS:
                waiting += within
            elif (alias := getattr(kind, "__value__", None)) is not None and not isinstance(
                kind, type
            ):
                waiting.append(alias)
            elif isinstance(origin, type) and issubclass(origin, Mapping):
                values = [*(values or ()), *within[1:]]
            elif isinstance(origin, type) and issubclass(origin, Iterable):
                items += (each for each in within if each is not ...)
            elif isinstance(kind, type) and issubclass(kind, RootModel):
                waiting += (field.annotation for field in kind.model_fields.values())
            elif (known := _members_of(kind)) is not None:
                (models if issubclass(kind, BaseModel) else others).append(cast("Any", kind))
                for each in known.values():
                    for name in each.names:
                        members[name] = (*members.get(name, ()), each.annotation)
                        first[name] = each.names[0]
            elif _may_have_any_name(kind):
                values = values or []
        held = None if values is None else tuple(values)
        return cls(models, others, members, first, tuple(items), held)

    def drops_names(self, is_open: bool) -> bool:
        """Tell whether unknown names are dropped for all possible types of the value.

        :param is_open: whether an enclosing model accepts any name, as do dataclasses in it by default.
        """
        said = (getattr(each, _CONFIG, {}).get("extra") for each in self.others)
        return bool(self.models or self.others) and (
            all(_extra_of(each) == "ignore" for each in self.models)
            and all(each != "allow" and not (each is None and is_open) for each in said)
        )

    def below(self, name: str) -> tuple[Any, ...]:
        """Return the types of a member, by its name in any spelling."""
        own = self.members.get(name) or self.members.get(variant_of(name, self.members) or "", ())
        return (*own, *(self.holds_objects_of or ()))


def _may_have_any_name(kind: Any) -> bool:
    """Tell whether the members of a type are unknown: a dictionary, another class of data, or not a class."""
    bases: tuple[Any, ...] = getattr(kind, "__mro__", ())  # only classes have it
    return not bases or kind is object or is_dataclass(kind) or dict in bases or Mapping in bases


class _Member(NamedTuple):
    """A field of a class of data."""

    names: tuple[str, ...]
    """Its accepted names, the alias first."""
    annotation: Any


_CONFIG = "__pydantic_config__"
"""The attribute of dataclasses and typed dictionaries for ``model_config``."""


@lru_cache(maxsize=1_024)
def _members_of(kind: Any) -> Mapping[str, _Member] | None:
    """Return the members of a class of data by its fields; None for anything else, and for unreadable types."""
    if not isinstance(kind, type):
        return None
    if issubclass(kind, BaseModel):
        return _members(kind.model_fields, kind.model_config)
    kind = cast("Any", kind)
    config: Mapping[str, Any] = getattr(kind, _CONFIG, {})
    own: dict[str, Any] = {**vars(kind)}
    if "__pydantic_fields__" in own:  # a dataclass of Pydantic's
        return _members(own["__pydantic_fields__"], config)
    is_data = is_dataclass(kind)
    if not is_data and not is_typeddict(kind):
        return None
    try:
        hints = get_type_hints(kind, include_extras=True)
    except (NameError, TypeError):  # a class that is completed later
        return None
    given = {each.name for each in fields_of_data(kind) if each.init} if is_data else hints.keys()
    return _members(
        {name: FieldInfo.from_annotation(_plain(hints[name])) for name in hints if name in given},
        config,
    )


def _members(fields: Mapping[str, FieldInfo], config: Mapping[str, Any]) -> Mapping[str, _Member]:
    made = {
        name: _Member(tuple(dict.fromkeys(_names_of(name, field, config))), field.annotation)
        for name, field in fields.items()
    }
    return MappingProxyType({name: each for name, each in made.items() if each.names})


def _plain(hint: Any) -> Any:
    """Return a type without the marks for optional members of typed dictionaries."""
    while getattr(get_origin(hint), "__name__", getattr(get_origin(hint), "_name", "")) in _SAYING:
        hint = get_args(hint)[0]
    return hint


_SAYING = frozenset({"NotRequired", "Required", "ReadOnly"})


_UNIONS = (Union, UnionType)

_WITHOUT_NAMES = (str, int, float, type(None))
"""The types of JSON values other than objects and lists."""


def unknown_within(value: object, data: object) -> Iterator[Path]:
    """Yield the paths of the names in ``data`` that are unknown to ``value``, which was created from it.

    Models are searched, and lists and dictionaries of them. A dictionary that lost a name is a typed one.
    """
    if isinstance(data, _WITHOUT_NAMES):
        return
    if isinstance(value, RootModel):
        yield from unknown_within(cast("Any", value).root, data)
        return
    named, listed = as_object(data), as_list(data)
    pairs: list[tuple[str | int, Any, Any]] = []
    if named is not None:
        if isinstance(value, BaseModel):
            yield from unknown(type(value), named)
            made = _by_name(value)
        elif (held := as_object(value)) is not None:
            made = held
            if all(type(name) is str for name in made):
                yield from ((name,) for name in named if name not in made)
        elif made := _by_name(value):
            kept = getattr(value, "__dict__", {})  # a dataclass that takes any name has it there
            yield from ((name,) for name in named if name not in made and name not in kept)
        pairs = [(name, made.get(name), each) for name, each in named.items()]
    elif listed is not None:
        values: Any = value
        pairs = [*zip(count(), values, listed)] if isinstance(value, list | tuple) else []
    for place, one, each in pairs:
        yield from ((place, *path) for path in unknown_within(one, each))


def refused(
    title: str, data: object, paths: Iterable[Path], others: Iterable[ErrorDetails] = ()
) -> ValidationError:
    """Return Pydantic's own error for unknown names, before the other errors."""
    unknown = [
        InitErrorDetails(type="extra_forbidden", loc=path, input=_at(data, path)) for path in paths
    ]
    return ValidationError.from_exception_data(title, [*unknown, *map(_again, others)])


def _by_name(value: object) -> dict[str, Any]:
    """Return the values of a model or a dataclass by each accepted name; empty for anything else."""
    fields = _members_of(cast("Any", type(value))) or {}
    return {name: getattr(value, field) for field, each in fields.items() for name in each.names}


@lru_cache(maxsize=1_024)
def names(model: type[BaseModel]) -> frozenset[str]:
    """Return all accepted names of the model's arguments."""
    return frozenset[str]().union(*names_by_field(model).values())


@lru_cache(maxsize=1_024)
def names_by_field(model: type[BaseModel]) -> Mapping[str, frozenset[str]]:
    """Return the accepted names of each field of the model."""
    known = _members_of(model) or {}
    return {
        each: frozenset(known[each].names if each in known else ()) for each in model.model_fields
    }


def _names_of(name: str, field: FieldInfo, config: Mapping[str, Any]) -> Iterator[str]:
    """Return the accepted names of a field, its alias first."""
    alias = field.validation_alias
    for each in alias.choices if isinstance(alias, AliasChoices) else [alias]:
        first = each.path[0] if isinstance(each, AliasPath) else each
        if isinstance(first, str):
            yield first
    if alias is None or config.get("populate_by_name") or config.get("validate_by_name"):
        yield name


def _again(detail: ErrorDetails) -> InitErrorDetails:
    """Return an error's details, to raise it again."""
    context = {**detail.get("ctx", {}), "message": detail["msg"]}
    kind = PydanticCustomError(cast("Any", detail["type"]), "{message}", context)
    return InitErrorDetails(type=kind, loc=detail["loc"], input=detail["input"])


def _at(data: Any, path: Path) -> Any:
    for part in path:
        data = data[part]
    return data
