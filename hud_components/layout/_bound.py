"""The base of components that show or test values of the bound state by their paths."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias, get_args, get_origin

from pydantic import model_validator

from hud_components._coding import HudState
from hud_components.declaring._state import State
from hud_components.layout._paths import (
    BindingError,
    Kinds,
    Path,
    is_any,
    items_in,
    kinds_at,
    kinds_of,
    named,
    value_at,
)
from ujsx import Component, ContentModel, RenderContext
from ujsx.errors import did_you_mean, shown

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


class Bound(Component):
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


class Conditions(Bound):
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
                message = f'{name}: "{self.field}" is {named(kinds)}, which is no number'
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
