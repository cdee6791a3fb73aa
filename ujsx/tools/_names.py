"""Names of operations and arguments as models write them, and those that a model has no place for.

Case, dashes, underscores and dots do not tell two names apart. A name that no field has is told,
whatever the model would do with it: by default Pydantic drops it, and one that misspells an argument
would never know.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from functools import lru_cache
from types import UnionType
from typing import Annotated, Any, TypeAlias, Union, cast, get_args, get_origin

from pydantic import AliasChoices, AliasPath, BaseModel, RootModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from ujsx.tools._json import as_list, as_object

_SEPARATORS = re.compile(r"[\W_]+")

_LONGEST = 200
"""Characters of a name that are looked at; no name of ours is nearly as long."""


def folded(name: str) -> str:
    """Return what is left of a name without case and separators.

    >>> folded("notes.add"), folded("notesAdd"), folded("NOTES-ADD")
    ('notesadd', 'notesadd', 'notesadd')
    """
    return _SEPARATORS.sub("", name[:_LONGEST]).casefold()


def variant_of(name: object, known: Iterable[str]) -> str | None:
    """Return the one known name that ``name`` is a way to write, or ``None``.

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
    return same[0] if len(same) == 1 else None


Path: TypeAlias = tuple[str | int, ...]


def unknown(model: type[BaseModel], data: dict[str, Any]) -> list[Path]:
    """Return the names that ``model`` has no place for, unless it says ``extra="allow"``.

    One that says ``extra="forbid"`` complains by itself.

    >>> class Search(BaseModel):
    ...     city: str
    >>> unknown(Search, {"city": "Bern", "Limit": 3})
    [('Limit',)]
    """
    if model.model_config.get("extra", "ignore") != "ignore":
        return []
    known = names(model)
    return [(name,) for name in data if name not in known]


def unknown_by_type(model: type[BaseModel], data: dict[str, Any]) -> list[Path]:
    """Return the names that neither ``model`` nor a model in it has a place for, as far as types alone tell.

    It is for data of which nothing could be made. Where a value may be of several models, a name is one that none has.

    >>> class Guest(BaseModel):
    ...     name: str
    >>> class Booking(BaseModel):
    ...     guests: list[Guest] | None
    >>> unknown_by_type(Booking, {"guests": [{"nme": "Ann"}], "rom": 2})
    [('rom',), ('guests', 0, 'nme')]
    """
    found: list[Path] = []
    waiting: deque[tuple[Path, tuple[Any, ...], object]] = deque([((), (model,), data)])
    while waiting:
        path, kinds, value = waiting.popleft()
        named, listed = as_object(value), as_list(value)
        if named is None and listed is None:
            continue
        may_be = _Kinds.of(kinds)
        if named is not None:
            known = may_be.members
            if (
                may_be.models
                and all(_drops_names(each) for each in may_be.models)
                and may_be.holds_objects_of is None
            ):
                found += ((*path, name) for name in named if name not in known)
            waiting.extend(
                ((*path, name), may_be.below(name), each) for name, each in named.items()
            )
        else:
            waiting.extend(
                ((*path, place), may_be.items, each) for place, each in enumerate(listed or ())
            )
    return found


def names_at(model: type[BaseModel], path: Path) -> list[str]:
    """Return the names that an object at a place in a model's data may have, as far as types alone tell.

    >>> class Guest(BaseModel):
    ...     name: str
    >>> class Booking(BaseModel):
    ...     guests: list[Guest]
    >>> names_at(Booking, ("guests", 0)), names_at(Booking, ("rooms",))
    (['name'], [])
    """
    kinds: tuple[Any, ...] = (model,)
    for part in path:
        may_be = _Kinds.of(kinds)
        kinds = may_be.items if isinstance(part, int) else may_be.below(part)
    return list(_Kinds.of(kinds).members)


def _drops_names(model: type[BaseModel]) -> bool:
    return model.model_config.get("extra", "ignore") == "ignore"


@dataclass(frozen=True, slots=True)
class _Kinds:
    """What a value may be, by the types that it may have."""

    models: list[type[BaseModel]]
    members: dict[str, tuple[Any, ...]]
    """By the name of a member of one of the models, its types."""
    items: tuple[Any, ...]
    """Types of the items of lists."""
    holds_objects_of: tuple[Any, ...] | None
    """Types of the members of objects with any names; None where there are none such."""

    @classmethod
    def of(cls, kinds: Iterable[Any]) -> _Kinds:
        models: list[type[BaseModel]] = []
        members: dict[str, tuple[Any, ...]] = {}
        items: list[Any] = []
        values: list[Any] | None = None
        waiting, seen = [*kinds], set[int]()
        while waiting:
            kind: Any = waiting.pop()
            if id(kind) in seen:  # of a type that is defined by itself
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
            elif isinstance(kind, type) and issubclass(kind, BaseModel):
                models.append(kind)
                for each, by_name in names_by_field(kind).items():
                    for name in by_name:
                        members[name] = (*members.get(name, ()), kind.model_fields[each].annotation)
            elif _may_have_any_name(kind):
                values = values or []
        return cls(models, members, tuple(items), None if values is None else tuple(values))

    def below(self, name: str) -> tuple[Any, ...]:
        """The types of the member of a name, in any spelling."""
        own = self.members.get(name) or self.members.get(variant_of(name, self.members) or "", ())
        return (*own, *(self.holds_objects_of or ()))


def _may_have_any_name(kind: Any) -> bool:
    """Tell whether nothing is known of the members of a type: it is a dictionary, another class of data, or no class."""
    bases: tuple[Any, ...] = getattr(kind, "__mro__", ())  # of a class; nothing else has it
    return not bases or kind is object or is_dataclass(kind) or dict in bases or Mapping in bases


_UNIONS = (Union, UnionType)

_WITHOUT_NAMES = (str, int, float, type(None))
"""What JSON has beside objects and lists."""


def unknown_within(value: object, data: object) -> Iterator[Path]:
    """Yield the paths of the names in ``data`` that ``value``, made of it, has no place for.

    Models are searched, and lists and dictionaries of them. A dictionary that lacks a name which it
    was given is a typed one.
    """
    if isinstance(data, _WITHOUT_NAMES):
        return
    if isinstance(value, RootModel):
        yield from unknown_within(cast("Any", value).root, data)
        return
    named, listed = as_object(data), as_list(data)
    if named is not None:
        if isinstance(value, BaseModel):
            yield from unknown(type(value), named)
            made = _by_name(value)
        else:
            made = as_object(value) or {}
            if made and all(type(name) is str for name in made):
                yield from ((name,) for name in named if name not in made)
        for name, each in named.items():
            yield from _below(name, made.get(name), each)
    elif listed is not None:
        values: Any = value
        pairs = zip(values, listed, strict=False) if isinstance(value, list | tuple) else ()
        for place, (one, each) in enumerate(pairs):
            yield from _below(place, one, each)


def refused(
    title: str, data: object, paths: Iterable[Path], others: Iterable[ErrorDetails] = ()
) -> ValidationError:
    """Return Pydantic's own error for names without a place, before what else was complained of."""
    return ValidationError.from_exception_data(
        title,
        [
            *(
                InitErrorDetails(type="extra_forbidden", loc=path, input=_at(data, path))
                for path in paths
            ),
            *map(_again, others),
        ],
    )


def _below(name: str | int, value: object, data: object) -> Iterator[Path]:
    for path in unknown_within(value, data):
        yield (name, *path)


def _by_name(value: BaseModel) -> dict[str, Any]:
    """The values of a model under each name that they may have come by."""
    fields = names_by_field(type(value))
    return {name: getattr(value, each) for each, names in fields.items() for name in names}


@lru_cache(maxsize=1_024)
def names(model: type[BaseModel]) -> frozenset[str]:
    """Return every name by which an argument of the model may come."""
    return frozenset[str]().union(*names_by_field(model).values())


@lru_cache(maxsize=1_024)
def names_by_field(model: type[BaseModel]) -> Mapping[str, frozenset[str]]:
    """Return, for each field of the model, the names by which its argument may come."""
    return {
        each: frozenset(_names_of(model, each, field)) for each, field in model.model_fields.items()
    }


def _names_of(model: type[BaseModel], name: str, field: FieldInfo) -> Iterator[str]:
    config = model.model_config
    if field.validation_alias is None or (
        config.get("populate_by_name") or config.get("validate_by_name")
    ):
        yield name
    alias = field.validation_alias
    for each in alias.choices if isinstance(alias, AliasChoices) else [alias]:
        first = each.path[0] if isinstance(each, AliasPath) else each
        if isinstance(first, str):
            yield first


def _again(detail: ErrorDetails) -> InitErrorDetails:
    """A complaint as it was, to be raised once more."""
    context = {**detail.get("ctx", {}), "message": detail["msg"]}
    kind = PydanticCustomError(cast("Any", detail["type"]), "{message}", context)
    return InitErrorDetails(type=kind, loc=detail["loc"], input=detail["input"])


def _at(data: Any, path: Path) -> Any:
    for part in path:
        data = data[part]
    return data
