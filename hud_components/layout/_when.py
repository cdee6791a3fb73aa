"""A part of a layout that shows under a condition."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

from pydantic import model_validator

from hud_components._levels import Level, is_above, reached, thresholds_in
from hud_components._models import ContextUsage
from hud_components.declaring._section import bound
from hud_components.layout._bound import Conditions, path_errors
from hud_components.layout._paths import (
    BindingError,
    Kinds,
    Path,
    items_in,
    kinds_at,
    named,
    value_at,
)
from ujsx import Child, Children, ContentModel, RenderContext


class When(Conditions):
    """Shows its children where its conditions hold, and nothing elsewhere.

    >>> from ujsx import RenderContext, render
    >>> from hud_components import HudState, Note
    >>> state = HudState(notes=(Note(content="a"), Note(content="b")))
    >>> tree = When(field="notes", above=1)["More than one note."], When(has="task")["A task."]
    >>> print(render(tree, context=RenderContext().with_value(state)), end="")
    More than one note.
    """

    content_model = ContentModel((), is_transparent=True)

    _hints = MappingProxyType(
        {
            "density": 'each section thins out by itself; for a context that fills up write level="yellow"'
        }
    )

    any: Path | None = None
    """A list: the conditions hold for at least one of its items. Their paths begin in the item."""

    none: Path | None = None
    """A list: the conditions hold for none of its items. Their paths begin in the item."""

    level: Level | None = None
    """The context is at least that full."""

    @model_validator(mode="after")
    def _says_something(self) -> When:
        given = self.model_fields_set
        if not any_given(self, given):
            raise ValueError("it has no condition; give has, lacks, field, any, none or level")
        if self.any is not None and self.none is not None:
            raise ValueError("any and none cannot both be given; put one When into another")
        return self

    def bindings(self, scopes: tuple[Kinds, ...]) -> Iterator[BindingError]:
        for name in ("any", "none"):
            path = getattr(self, name)
            if path is None:
                continue
            wrong = [*list_errors(name, path, scopes)]
            if wrong:
                yield from wrong
                return
            scopes = (items_in(kinds_at(scopes, path)) or (Any,), *scopes)
        yield from self.conditions(scopes)

    def render(self, ctx: RenderContext, children: Children) -> Child:
        scopes = self.scopes(ctx)
        return children if self._is_reached(ctx) and self._holds(scopes) else None

    def _is_reached(self, ctx: RenderContext) -> bool:
        if self.level is None:
            return True
        usage: Any = getattr(bound(ctx), "usage", None)
        if not isinstance(usage, ContextUsage):
            return False
        return not is_above(self.level, reached(usage, thresholds_in(ctx)).level)

    def _holds(self, scopes: tuple[Any, ...]) -> bool:
        path = self.any or self.none
        if path is None:
            return self.hold(scopes)
        found = any(self.hold((item, *scopes)) for item in value_at(scopes, path) or ())
        return found if self.none is None else not found


def any_given(component: When, names: set[str]) -> bool:
    """Tell whether any of the props is given, and is not null."""
    return any(getattr(component, name) is not None for name in names)


def list_errors(prop: str, path: str, scopes: tuple[Kinds, ...]) -> Iterator[BindingError]:
    """Yield why a path leads to no list, if it does not."""
    wrong = [*path_errors(prop, path, scopes)]
    yield from wrong
    if not wrong and items_in(kinds := kinds_at(scopes, path)) is None:
        yield BindingError(f'"{path}" is {named(kinds)}, and no list', prop=prop)
