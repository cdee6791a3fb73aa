"""Parts of a layout under a condition, for each item, and of one value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import Annotated, Any, ClassVar

from pydantic import Field, SkipValidation, model_validator

from hud_components._coding import HudState
from hud_components._levels import Level, is_above, reached, thresholds_in
from hud_components._models import ContextUsage, PlainItem
from hud_components.declaring._form import omitted, whence
from hud_components.declaring._section import bound, narrowed
from hud_components.declaring._state import State
from hud_components.declaring._values import WRITTEN, as_text
from hud_components.layout._paths import (
    BindingError,
    BoundComponent,
    Conditions,
    CurrentItems,
    Kinds,
    Path,
    Scopes,
    holder_at,
    is_any,
    items_in,
    kinds_at,
    named,
    path_errors,
    steps_from,
    value_at,
)
from ujsx import (
    Child,
    Children,
    Component,
    ContentModel,
    Density,
    Disclosure,
    Element,
    RenderContext,
    RenderError,
    Rung,
    elided,
)
from ujsx.components import as_element
from ujsx.elements import List, Omitted, Paragraph, TableCell, TableRow, code, em
from ujsx.errors import listed


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


# A part of a layout that is repeated for each item of a list.


class Each(Conditions):
    """Repeats its children for each item of a list; paths in them begin in the item.

    With conditions, only for the items for which these hold. A list among the children grows:
    each item adds its lines. Where not all items are shown, it says how many are not.

    >>> from ujsx import RenderContext, render
    >>> from ujsx.elements import Item, List
    >>> from hud_components import HudState, Note, Value
    >>> state = HudState(notes=(Note(content="a"), Note(content="b")))
    >>> tree = Each(of="notes")[List()[Item()[Value(of="content")]]]
    >>> print(render(tree, context=RenderContext().with_value(state)), end="")
    - a
    - b
    """

    content_model = ContentModel((), is_transparent=True)
    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(
            Rung(Density.MINIMAL, 0),
            Rung(Density.COMPACT, 3),
            Rung(Density.COMPACT, 5),
            Rung(Density.FULL, 10),
            Rung(Density.FULL, 20),
            *(Rung(Density.FULL, limit, is_spare=True) for limit in (24, 32, 40, 64)),
            Rung(Density.FULL),
        ),
        floor=Density.MINIMAL,
    )

    of: Path
    """Where the list is: names of fields with dots between them."""

    limit: Annotated[int, Field(ge=0)] | None = None
    """How many items are shown at most, whatever the density allows."""

    separator: str = ""
    """What stands between two items in a line."""

    handle: str | None = None
    """The call that shows all items; that of the list's section when None."""

    def disclosed(self) -> Disclosure:
        """Return the class's disclosure, narrowed by ``limit``."""
        return (
            self.disclosure if self.limit is None else narrowed(self.disclosure, None, self.limit)
        )

    def bindings(self, scopes: tuple[Kinds, ...]) -> Iterator[BindingError]:
        wrong = [*list_errors("of", self.of, scopes)]
        yield from wrong
        if not wrong:
            yield from self.conditions(self.inner_scopes(scopes))

    def inner_scopes(self, scopes: tuple[Kinds, ...]) -> tuple[Kinds, ...]:
        try:
            items = items_in(kinds_at(scopes, self.of))
        except BindingError:
            items = None
        return (items or (Any,), *scopes)

    def render(self, ctx: RenderContext, children: Children) -> Child:
        if not children:
            raise RenderError(
                "there is nothing to repeat; put what each item shows between its tags"
            )
        scopes = self.scopes(ctx)
        items = [each for each in value_at(scopes, self.of) or () if self.hold((each, *scopes))]
        if not items:
            return None
        around = scopes[:-1]
        template = _list_in(children)
        inner = children if template is None else template.children
        gap = elided(len(items), ctx.limit)
        before = self._repeated(items[: gap.start], inner, around)
        behind = self._repeated(items[gap.stop :], inner, around)
        mark = self._mark(ctx, items[gap.start : gap.stop], brief=not (before or behind))
        if mark is None or (template is None and not (before and behind)):
            shown: Child = [*before, *behind, *_placed(mark, inner)]
            return shown if template is None else Element.of(template.component, shown)
        if template is None:
            return [*before, *_placed(mark, inner), *behind]
        if before and behind:
            return Element.of(template.component, [*before, mark, *behind])
        rows = [*before, *behind]
        return [rows and Element.of(template.component, rows), *_placed(mark, children)]

    def _repeated(self, items: Sequence[Any], children: Children, around: Scopes) -> list[Child]:
        made: list[Child] = []
        for item in items:
            if made and self.separator:
                made.append(self.separator)
            current = CurrentItems((item, *around))
            made.append(Element(ForItem.model_construct(current=current), children))
        return made

    def _mark(self, ctx: RenderContext, hidden: Sequence[Any], *, brief: bool) -> Omitted | None:
        if not hidden:
            return None
        state = ctx.get(State) or HudState()
        lists = (each for each in state.sections if each.kind is not None)
        section = next((each for each in lists if each.field == self.of), None)
        if section is not None and self.handle is None:
            return omitted(section.with_texts(ctx), section.name, hidden, brief=brief)
        ids = tuple(item.id for item in hidden if isinstance(item, PlainItem) and item.id)
        return Omitted(count=len(hidden), handle=self.handle, brief=brief, ids=ids)


class ForItem(Component):
    """What stands for one item: its children, in the scope of the item. ``Each`` makes it."""

    content_model = ContentModel((), is_transparent=True)

    current: SkipValidation[CurrentItems]
    """The item, and those around it."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return children

    def provide(self, ctx: RenderContext) -> RenderContext:
        """Return a context in which paths begin in the item."""
        return ctx.with_value(self.current)


def _list_in(children: Children) -> Element[List] | None:
    """The list that is all there is among the children."""
    if len(children) != 1 or isinstance(children[0], str):
        return None
    element: Any = as_element(children[0])
    return element if isinstance(element.component, List) else None


def _placed(mark: Omitted | None, children: Children) -> list[Child]:
    """A mark as it may stand beside children."""
    if mark is None:
        return []
    first = next((each for each in children if not isinstance(each, str)), None)
    if first is None or isinstance(children[0], str):
        return [mark]
    element = as_element(first)
    model = type(element.component).content_model
    if model is None:
        return [mark]
    if model.is_transparent:
        return _placed(mark, element.children)
    if "table" in model.stands_as:
        return [TableRow()[TableCell()[mark]]]
    if "row" in model.stands_as:
        return [TableCell()[mark]]
    return [Paragraph()[mark]] if "flow" in model.stands_as else [mark]


# A value of the state, as text in a line.


class Value(BoundComponent):
    r"""Shows a value of the state, or of the current item, as text; nothing where there is none.

    A number has one decimal at most; dates and times are as ISO 8601 has them. Of a list it shows how
    many items there are. What is not the agent's own says so.

    >>> from ujsx import RenderContext, render
    >>> from hud_components import HudState, Task
    >>> state = HudState(task=Task(description="Add *login*"))
    >>> print(render(Value(of="task.description"), context=RenderContext().with_value(state)), end="")
    Add \*login\*
    """

    content_model = ContentModel(("phrasing",))
    takes_children: ClassVar[bool] = False

    of: Path
    """Where the value is: names of fields with dots between them, "." for the current item."""

    code: bool = False
    """Whether it is shown as code."""

    def bindings(self, scopes: tuple[Kinds, ...]) -> Iterator[BindingError]:
        wrong = [*path_errors("of", self.of, scopes)]
        yield from wrong
        if wrong:
            return
        kinds = kinds_at(scopes, self.of)
        if items_in(kinds) is not None or is_any(kinds, *WRITTEN):
            if kinds == (bool,):
                message = f'"{self.of}" is yes or no; ask for it: <When has="{self.of}">'
                yield BindingError(message, prop="of")
            return
        fields = list(steps_from(kinds))
        advice = (
            f"name one of its fields: {listed(fields)}" if fields else "no line shows such a value"
        )
        yield BindingError(f'"{self.of}" is {named(kinds)}; {advice}', prop="of")

    def render(self, ctx: RenderContext, children: Children) -> Child:
        scopes = self.scopes(ctx)
        text = _text(value_at(scopes, self.of))
        if not text:
            return None
        source = whence(ctx, holder_at(scopes, self.of))
        return [code(text) if self.code else text, source and [" ", em(source)]]


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.1f}".removesuffix(".0")
    if value is None or isinstance(value, WRITTEN):
        return "" if value is None else as_text(value)
    return str(len(value))
