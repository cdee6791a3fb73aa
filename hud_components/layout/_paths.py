"""Dotted paths to the fields of a state, and components that show what stands there."""

from __future__ import annotations

import operator
import re
import types
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from types import MappingProxyType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    TypeAlias,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
)
from typing import get_type_hints as hints

from pydantic import BaseModel, StringConstraints, model_validator

from hud_components._coding import HudState
from hud_components._models import ContextUsage, PlainItem, Unreadable
from hud_components.declaring._state import State
from ujsx import Component, ContentModel, RenderContext
from ujsx.components import fields_of
from ujsx.errors import UjsxError, did_you_mean, nearest, quoted, shown

Path: TypeAlias = Annotated[
    str, StringConstraints(pattern=r"^(\.|[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)*)$")
]
"""Names of fields with dots between them; a dot alone is the current item."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")

ITEM = "."

LISTED: Mapping[type[BaseModel], tuple[str, ...]] = MappingProxyType(
    {ContextUsage: ("percentage",), PlainItem: ("origin",)}
)
"""Properties that a path may name beside fields."""

Kinds: TypeAlias = tuple[Any, ...]
"""What a value may be: classes, ``Literal`` forms, and lists of such. ``None`` is not among them."""


class BindingError(UjsxError, LookupError):
    """A path of a layout that leads to no field, or to one that cannot be used so.

    ``prop`` is the prop that holds the path. ``lacking`` are the classes of which none has the field that the path names,
    and ``meant`` is the field with nearly that name: nothing, and ``None``, where something else is wrong.

    >>> try:
    ...     kinds_at(((ContextUsage,),), "percentag")
    ... except BindingError as error:
    ...     print(error.lacking[0].__name__, error.meant)
    ContextUsage percentage
    """

    def __init__(
        self,
        message: str,
        *,
        prop: str = "",
        path: str | None = None,
        lacking: Kinds = (),
        meant: str | None = None,
    ) -> None:
        super().__init__(message, path=path)
        self.prop = prop
        self.lacking = lacking
        self.meant = meant


def kinds_at(scopes: tuple[Kinds, ...], path: str) -> Kinds:
    """Return what may stand at the end of a path.

    :param scopes: what the current items may be, the innermost first, and the state last. A path
        begins in the first of them that has a field of its first name.
    :raises BindingError: for a path that leads nowhere, with the nearest name.

    >>> from hud_components import HudState
    >>> kinds_at(((HudState,),), "task.description")
    (<class 'str'>,)
    >>> kinds_at(((HudState,),), "task.descripton")
    Traceback (most recent call last):
    hud_components.layout._paths.BindingError: "task.descripton": a Task has no field "descripton"; did you mean "description"?
    """
    return _followed(scopes, path)[1]


def value_at(scopes: Sequence[Any], path: str) -> Any:
    """Return the value at the end of a path, or ``None`` where there is none.

    :param scopes: the current items, the innermost first, and the state last.
    :raises BindingError: for a path that leads nowhere, whatever the values are.
    """
    return _values_to(scopes, path)[-1]


def holder_at(scopes: Sequence[Any], path: str) -> Any:
    """Return what holds the value at the end of a path: an item, a section's value, or the state."""
    return _values_to(scopes, path)[-2:][0]


def _values_to(scopes: Sequence[Any], path: str) -> list[Any]:
    """The values along a path, from the one that it begins in to its end."""
    place, _ = _followed(kinds_of(scopes), path)
    values = [scopes[place]]
    for name in () if path == ITEM else path.split("."):
        value = values[-1]
        values.append(getattr(value, name) if name in _fields(_kind_of(value)) else None)
    return values


def kinds_of(scopes: Sequence[Any]) -> tuple[Kinds, ...]:
    """Return what the values of scopes are."""
    return tuple([(_kind_of(each),) for each in scopes])


def _kind_of(value: Any) -> Any:
    return value.__class__


def items_in(kinds: Kinds) -> Kinds | None:
    """Return what the items of a list may be; ``None`` for what may be no list."""
    found = [_items(kind) for kind in kinds]
    lists = [each for each in found if each is not None]
    return tuple(dict.fromkeys(kind for each in lists for kind in each)) if lists else None


def is_any(kinds: Kinds, *classes: type) -> bool:
    """Tell whether a value may be of one of those classes, or is not known at all."""
    return any(
        kind is Any or (isinstance(_class(kind), type) and issubclass(_class(kind), classes))
        for kind in kinds
    )


def named(kinds: Kinds) -> str:
    """Return kinds as a message names them.

    >>> named((str,)), named((ContextUsage,))
    ('text', 'a ContextUsage')
    """
    return " or ".join(dict.fromkeys(map(_name, kinds))) or "nothing"


@lru_cache(maxsize=1024)
def _followed(scopes: tuple[Kinds, ...], path: str) -> tuple[int, Kinds]:
    """The place of the scope in which a path begins, and what may stand at its end."""
    if path == ITEM:
        return 0, scopes[0]
    names = path.split(".")
    place = next(
        (place for place, kinds in enumerate(scopes) if names[0] in _names(kinds) or Any in kinds),
        0,
    )
    kinds = scopes[place]
    for name in names:
        if name not in _names(kinds) and Any not in kinds:
            around = scopes if name == names[0] else (kinds,)
            raise _no_field(path, name, kinds, around)
        kinds = _behind(kinds, name)
    return place, kinds


def _behind(kinds: Kinds, name: str) -> Kinds:
    """What may stand behind a name."""
    return tuple(dict.fromkeys(each for kind in kinds for each in _fields(kind).get(name, ()))) or (
        Any,
    )


def steps_from(kinds: Kinds) -> dict[str, Kinds]:
    """Return what may stand behind each name that a path can go on with; a kind that is not known has all.

    >>> from hud_components import Task
    >>> steps_from((Task,))["goal"]
    (<class 'str'>,)
    """
    return {name: _behind(kinds, name) for name in sorted(_names(kinds)) if _NAME.fullmatch(name)}


def _no_field(path: str, name: str, kinds: Kinds, scopes: Sequence[Kinds]) -> BindingError:
    at = quoted(path)
    if items_in(kinds) is not None:
        several = "there are several; repeat for each of them"
        return BindingError(f"{at}: {several}: <Each of={quoted('…')}>")
    known = sorted({each for scope in scopes for each in _names(scope)})
    if not known:
        return BindingError(f"{at}: {named(kinds)} has no fields")
    return BindingError(
        f"{at}: {named(kinds)} has no field {quoted(name)}; {did_you_mean(name, known)}",
        lacking=kinds,
        meant=nearest(name, known),
    )


def _names(kinds: Kinds) -> AbstractSet[str]:
    return {name for kind in kinds for name in _fields(kind)}


def _fields(kind: Any) -> Mapping[str, Kinds]:
    """The names that a path may have behind a value of that class, and what stands there."""
    return _fields_of(kind) if isinstance(kind, type) and issubclass(kind, BaseModel) else {}


@lru_cache(maxsize=256)
def _fields_of(kind: type[BaseModel]) -> Mapping[str, Kinds]:
    fields = {
        name: tuple(_alternatives(field.annotation))
        for name, field in fields_of(kind).items()
        if Unreadable not in get_args(field.annotation)  # every layout reports it by itself
    }
    for name, computed in kind.model_computed_fields.items():
        fields[name] = tuple(_alternatives(computed.return_type))
    for base, names in LISTED.items():
        for name in names if issubclass(kind, base) else ():
            returned = hints(vars(base)[name].fget)["return"]
            fields.setdefault(name, tuple(_alternatives(returned)))
    return fields


def _alternatives(annotation: Any) -> Iterator[Any]:
    """What a value with that annotation may be, ``None`` aside."""
    origin: Any = get_origin(annotation)
    if isinstance(annotation, TypeVar) or annotation is object:
        yield Any
    elif hasattr(annotation, "__value__"):  # a type statement's
        yield from _alternatives(annotation.__value__)
    elif origin is Annotated:
        yield from _alternatives(get_args(annotation)[0])
    elif origin in (Union, types.UnionType):
        for each in get_args(annotation):
            yield from _alternatives(each)
    elif annotation is not None and annotation is not type(None):
        yield annotation


def _items(kind: Any) -> Kinds | None:
    cls = _class(kind)
    if kind is Any:
        return (Any,)
    if not isinstance(cls, type) or not issubclass(cls, Collection):
        return None
    if issubclass(cls, str | bytes | Mapping):
        return None
    items = [each for each in get_args(kind) if each is not Ellipsis] or [Any]
    return tuple(dict.fromkeys(each for item in items for each in _alternatives(item)))


def _class(kind: Any) -> Any:
    if get_origin(kind) is Literal:
        return _kind_of(get_args(kind)[0])
    return get_origin(kind) or kind


def _name(kind: Any) -> str:
    cls = _class(kind)
    if cls in _WORDS:
        return _WORDS[cast("type", cls)]
    if _items(kind) is not None:
        return "a list"
    name = getattr(cls, "__name__", str(cls))
    return f"{'an' if name[:1] in 'AEIOU' else 'a'} {name}"


_WORDS: Mapping[type, str] = MappingProxyType(
    {str: "text", int: "a number", float: "a number", bool: "yes or no"}
)


# The base of components that show or test values of the bound state by their paths.

Scopes: TypeAlias = tuple[Any, ...]
"""Where a path may begin: the current items, the innermost first, and the state last."""


class CurrentItems(NamedTuple):
    """The items that the ``Each`` around repeat for, the innermost first: a value of the context."""

    items: tuple[Any, ...] = ()


def scopes_in(ctx: RenderContext) -> Scopes:
    """Return where a path may begin in that context."""
    current = ctx.get(CurrentItems)
    return (*(current.items if current else ()), ctx.get(State) or _NOTHING)


_NOTHING = HudState()
"""The state where none is bound."""

UNBOUND = (
    "no state is bound, so an empty one of the coding domain is shown; bind yours: "
    "context=RenderContext().with_value(session.state())"
)
"""What is said of a path that leads nowhere in that state."""


class BoundComponent(Component):
    """A component whose props name fields of the state, or of the current item."""

    content_model: ClassVar[ContentModel | None] = None

    @classmethod
    def for_expression(
        cls, expression: str, vocabulary: Mapping[str, type[Component]]
    ) -> str | None:
        from hud_components.layout._expressions import tags_for  # only errors need it

        return tags_for(expression, vocabulary)

    def bindings(self, scopes: tuple[Kinds, ...]) -> Iterator[BindingError]:
        """Yield what is wrong with the paths, where those things may be in scope."""
        return iter(())

    def inner_scopes(self, scopes: tuple[Kinds, ...]) -> tuple[Kinds, ...]:
        """Return what is in scope for the children."""
        return scopes

    def scopes(self, ctx: RenderContext) -> Scopes:
        """Return what is in scope.

        :raises BindingError: for a path that leads nowhere there.
        """
        found = scopes_in(ctx)
        checked: Any = self
        try:
            _check(checked, kinds_of(found))
        except BindingError as error:
            if found[-1] is not _NOTHING:
                raise
            error.message += f"; {UNBOUND}"
            raise
        return found


@lru_cache(maxsize=1024)
def _check(component: Any, scopes: tuple[Kinds, ...]) -> None:
    for error in component.bindings(scopes):
        raise error


class Conditions(BoundComponent):
    """Conditions on values; where several are given, all of them have to hold.

    A value counts as missing if it is empty, no, or none. A list is compared by how many items it
    has. A value that is missing compares to nothing.
    """

    has: Path | None = None
    """There is something at this path: a text that is not empty, an item, yes."""

    lacks: Path | None = None
    """There is nothing at this path."""

    field: Path | None = None
    """The value that is compared: a number, a text, or a list by its number of items."""

    equals: str | int | float | bool | None = None
    """The field's value is this one."""

    above: float | None = None
    """The field's value is greater than this."""

    below: float | None = None
    """The field's value is less than this."""

    at_least: float | None = None
    """The field's value is this, or greater."""

    at_most: float | None = None
    """The field's value is this, or less."""

    @model_validator(mode="after")
    def _compares(self) -> Conditions:
        compares = self.equals is not None or any(
            getattr(self, name) is not None for name in ORDERS
        )
        if compares and self.field is None:
            raise ValueError('a comparison needs field="…", the path of what is compared')
        if self.field is not None and not compares:
            raise ValueError(f"field is compared with one of equals, {', '.join(ORDERS)}")
        return self

    def conditions(self, scopes: tuple[Kinds, ...]) -> Iterator[BindingError]:
        """Yield what is wrong with the conditions, where those things may be in scope."""
        for name in ("has", "lacks", "field"):
            path = getattr(self, name)
            if path is not None:
                yield from path_errors(name, path, scopes)
        if self.field is not None and not any(path_errors("field", self.field, scopes)):
            kinds = kinds_at(scopes, self.field)
            yield from self._comparison(kinds)

    def _comparison(self, kinds: Kinds) -> Iterator[BindingError]:
        is_list, is_number = items_in(kinds) is not None, is_any(kinds, int, float)
        for name in ORDERS:
            if getattr(self, name) is not None and not (is_list or is_number):
                message = f'{name}: "{self.field}" is {named(kinds)}, which is not a number'
                yield BindingError(message, prop=name)
        if self.equals is None:
            return
        texts = literals(kinds)
        if texts and isinstance(self.equals, str) and self.equals not in texts:
            message = f'"{self.field}" is never {shown(self.equals)}; '
            yield BindingError(message + did_you_mean(self.equals, texts), prop="equals")
        elif not (is_list or is_any(kinds, str, int, float)):
            message = f'"{self.field}" is {named(kinds)}, which cannot be compared'
            yield BindingError(message, prop="equals")
        elif isinstance(self.equals, str) is not is_any(kinds, str) and Any not in kinds:
            message = f'"{self.field}" is {named(kinds)}, and never {shown(self.equals)}'
            yield BindingError(message, prop="equals")

    def hold(self, scopes: Scopes) -> bool:
        """Tell whether all conditions hold."""
        if self.has is not None and not is_something(value_at(scopes, self.has)):
            return False
        if self.lacks is not None and is_something(value_at(scopes, self.lacks)):
            return False
        return self.field is None or self._compared(value_at(scopes, self.field))

    def _compared(self, value: Any) -> bool:
        if not isinstance(value, str | int | float | None):
            value = len(value)
        if value is None or (self.equals is not None and value != self.equals):
            return False
        if isinstance(value, str):
            return self.equals is not None
        return all(
            holds(value, limit)
            for name, holds in ORDERS.items()
            if (limit := getattr(self, name)) is not None
        )


ORDERS: Mapping[str, Callable[[float, float], bool]] = MappingProxyType(
    {"above": operator.gt, "below": operator.lt, "at_least": operator.ge, "at_most": operator.le}
)
"""Comparisons of numbers by the props that ask for them."""


def path_errors(prop: str, path: str, scopes: tuple[Kinds, ...]) -> Iterator[BindingError]:
    """Yield why a path leads nowhere, if it does."""
    try:
        kinds_at(scopes, path)
    except BindingError as error:
        error.prop = prop
        yield error


def is_something(value: Any) -> bool:
    """Tell whether a value is there: 0 is; what is empty, no or none is not."""
    return value is not None and value is not False and value not in ("", (), [], frozenset())


def literals(kinds: Iterable[Any]) -> list[str]:
    """Return the texts that a value may be, where only those are known; else none."""
    forms = [kind for kind in kinds if is_any((kind,), str)]
    if not forms or not all(get_origin(kind) is Literal for kind in forms):
        return []
    return [str(each) for kind in forms for each in get_args(kind)]
