"""A component changes the context in which its children stand."""

from __future__ import annotations

import pytest

from ujsx import (
    Child,
    Children,
    Component,
    Density,
    Disclosure,
    RenderContext,
    Renderer,
    RenderError,
    Rung,
    render,
)
from ujsx.elements import Item, List, Section


class InBrief(Component):
    """Shows its children at minimal density."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return children

    def provide(self, ctx: RenderContext) -> RenderContext:
        return ctx.with_density("minimal")


class Numbered(Component):
    """Gives its children a number."""

    number: int

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return [f"{ctx.get(int)} outside, ", children]

    def provide(self, ctx: RenderContext) -> RenderContext:
        return ctx.with_value(self.number)


class Number(Component):
    """Says the number that it was given."""

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return str(ctx.get(int))


class Words(Component):
    """A word at minimal density, many at full."""

    disclosure = Disclosure((Rung(Density.MINIMAL), Rung(Density.FULL)), floor=Density.MINIMAL)

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return "brief" if ctx.density is Density.MINIMAL else "every single word of it"


class TestProvide:
    def test_what_is_rendered_stands_in_the_context_and_the_component_itself_does_not(self) -> None:
        assert render(Numbered(number=7)[Number()]) == "None outside, 7\n"

    def test_the_innermost_counts(self) -> None:
        tree = Numbered(number=1)[Numbered(number=2)[Number()], " ", Number()]
        assert render(tree) == "None outside, 1 outside, 2 1\n"

    def test_it_ends_with_the_component(self) -> None:
        assert render([InBrief()[Words()], Section(title="x")[Words()]]) == (
            "brief\n\n# x\n\nevery single word of it\n"
        )

    def test_it_reaches_through_primitives(self) -> None:
        assert render(List()[Item()[InBrief()[Words()]]]) == "- brief\n"
        assert render(InBrief()[List()[Item()[Words()]]]) == "- brief\n"

    def test_a_density_that_it_gives_is_the_ceiling_of_a_budget(self) -> None:
        both = [InBrief()[Words()], Section(title="x")[Words()]]
        assert Renderer().render(both, budget=1_000).text == render(both)

    def test_what_it_raises_is_an_error_with_the_place(self) -> None:
        class Broken(Component):
            def render(self, ctx: RenderContext, children: Children) -> Child:
                return children

            def provide(self, ctx: RenderContext) -> RenderContext:
                raise ValueError("no context")

        with pytest.raises(RenderError, match=r"Section / Broken\[0\]: .* ValueError: no context"):
            render(Section(title="x")[Broken()])
