"""A component takes children if it says so, or if its ``render`` reads them at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from ujsx import (
    Child,
    ChildError,
    Children,
    Component,
    LoadError,
    RenderContext,
    component,
    load,
    render,
)
from ujsx.elements import Paragraph
from ujsx.schema import tree_schema


class Oven(Component):
    """How full it is."""

    full: int = 0

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return f"{self.full} %"


class Turned(Oven):
    """It renders as what it is derived from."""


class Shelf(Oven):
    def render(self, ctx: RenderContext, children: Children) -> Child:
        return Paragraph()[children]


class Said(Component):
    takes_children: ClassVar[bool] = True

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return "x"


class Inherits(Said):
    def render(self, ctx: RenderContext, children: Children) -> Child:
        return "y"


class Kept(Oven):
    def render(self, ctx: RenderContext, children: Children) -> Child:
        def inner() -> Child:
            return children

        return inner()


class Named(Oven):
    def render(self, ctx: RenderContext, children: Children) -> Child:
        return str(sorted(locals()))


class Packed(Oven):
    def render(self, *given: Any) -> Child:
        children: Child = given[1]
        return children


class Dropped(Shelf):
    def render(self, ctx: RenderContext, children: Children) -> Child:
        del children
        return "x"


class Passed(Oven):
    def render(self, ctx: RenderContext, children: Children) -> Child:
        return [super().render(ctx, children), "!"]


class Mixed:
    def render(self, ctx: RenderContext, children: Children) -> Child:
        return children


class WithMixed(Mixed, Oven):  # type: ignore[misc]
    pass


class Called(Oven):
    render: ClassVar[Any] = lambda *given: given[2]  # type: ignore[assignment]


@component
def Line(ctx: RenderContext, children: Children, *, word: str) -> Child:
    return word


@component
def Quote(ctx: RenderContext, children: Children, *, word: str) -> Child:
    return [word, children]


class Own(Line):  # type: ignore[misc,valid-type]
    def render(self, ctx: RenderContext, children: Children) -> Child:
        return children


class Again(Line):  # type: ignore[misc,valid-type]
    pass


TAKES: dict[str, tuple[Any, bool]] = {
    "its render does not read them": (Oven, False),
    "nor does the one that it inherits": (Turned, False),
    "it has another render": (Shelf, True),
    "it says so": (Said, True),
    "what it is derived from says so": (Inherits, True),
    "a function in it reads them": (Kept, True),
    "it reads all that there is": (Named, True),
    "it takes whatever comes": (Packed, True),
    "it lets go of them": (Dropped, False),
    "it passes them on": (Passed, True),
    "a class that is no component renders": (WithMixed, True),
    "its render is of another kind": (Called, True),
    "a function that does not read them": (Line, False),
    "a function that does": (Quote, True),
    "derived from a function, with a render": (Own, True),
    "derived from a function": (Again, False),
    "a primitive": (Paragraph, True),
}


@pytest.mark.parametrize("case", TAKES)
def test_a_component_takes_children_if_it_can_show_them(case: str) -> None:
    cls, takes = TAKES[case]
    assert cls.takes_children is takes
    assert cls.takes_children is takes  # as it is known from now on


def test_whoever_is_asked_first_nothing_is_taken_from_a_base() -> None:
    class Base(Component):
        def render(self, ctx: RenderContext, children: Children) -> Child:
            return "x"

    assert not Base.takes_children

    class Later(Base):
        def render(self, ctx: RenderContext, children: Children) -> Child:
            return children

    assert Later.takes_children
    assert render(Later()["a"]) == "a\n"


@pytest.mark.parametrize("attach", [lambda: Oven()["bread"], lambda: Line(word="a")["bread"]])
def test_children_that_would_be_lost_are_refused_where_they_are_attached(
    attach: Callable[[], object],
) -> None:
    with pytest.raises(ChildError, match=r"it takes no children, as its render does not read them"):
        attach()


def test_no_data_gives_them_children_either() -> None:
    with pytest.raises(LoadError, match="takes no children"):
        load({"type": "Oven", "children": ["bread"]}, [Oven])
    assert "children" not in str(tree_schema([Oven], root=Oven))
