"""``RenderContext``: what a component knows when it renders."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ids import looped
from ujsx import Density, DensityError, RenderContext
from ujsx.tokens import estimate_tokens


class State:
    pass


class SubState(State):
    pass


class OtherState(State):
    pass


class Between(State):
    pass


class FurtherState(Between):
    pass


class TestValues:
    def test_are_found_by_their_class(self) -> None:
        state = State()
        ctx = RenderContext().with_value(state).with_value("text")
        assert ctx.get(State) is state
        assert ctx.get(str) == "text"

    def test_that_nobody_gave_are_none(self) -> None:
        assert RenderContext().get(State) is None

    def test_of_a_subclass_are_found_by_its_bases(self) -> None:
        state = SubState()
        assert RenderContext().with_value(state).get(State) is state

    def test_of_a_base_are_not_found_by_a_subclass(self) -> None:
        assert RenderContext().with_value(State()).get(SubState) is None

    def test_bound_nearer_stand_before_those_bound_around(self) -> None:
        around, near = State(), SubState()
        ctx = RenderContext().with_value(around).with_value(near)
        assert ctx.get(State) is near
        assert ctx.with_value(around).get(State) is around
        assert ctx.with_value(around).get(SubState) is near

    def test_of_several_that_fit_are_picked_whatever_the_order(self) -> None:
        one, other, further = SubState(), OtherState(), FurtherState()
        orders = [[one, other, further], [further, other, one], [other, further, one]]
        for values in orders:
            ctx = RenderContext()
            for value in values:
                ctx = ctx.with_value(value)
            assert ctx.get(State) is other  # as near as SubState, and before it by name

    def test_of_one_class_replace_each_other(self) -> None:
        assert RenderContext().with_value(1).with_value(2).get(int) == 2

    def test_leave_the_context_they_are_added_to_as_it_was(self) -> None:
        ctx = RenderContext().with_value(1)
        ctx.with_value(2)
        assert ctx.get(int) == 1


class TestAt:
    def test_sets_density_and_limit(self) -> None:
        ctx = RenderContext().with_density("compact", 3)
        assert ctx.density is Density.COMPACT
        assert ctx.limit == 3

    def test_forgets_the_limit_of_before(self) -> None:
        assert RenderContext(limit=3).with_density("full").limit is None

    def test_keeps_the_rest(self) -> None:
        ctx = RenderContext(depth=2, texts={"a": "b"}).with_value(1)
        assert ctx.with_density("compact", 3).with_density("full") == ctx


class TestDeeper:
    def test_is_one_section_deeper(self) -> None:
        assert RenderContext().deeper().deeper().depth == 2

    def test_keeps_the_rest(self) -> None:
        ctx = RenderContext(limit=3, texts={"a": "b"}).with_value(1).deeper()
        assert (ctx.limit, ctx.texts, ctx.get(int)) == (3, {"a": "b"}, 1)


class TestRenderContext:
    def test_is_full_at_the_top_and_counts_by_estimate(self) -> None:
        ctx = RenderContext()
        assert (ctx.density, ctx.limit, ctx.depth) == (Density.FULL, None, 0)
        assert ctx.count_tokens is estimate_tokens
        assert ctx.texts == {}

    @looped("name", ["density", "limit", "depth", "texts", "count_tokens"])
    def test_takes_no_assignment(self, name: str) -> None:
        with pytest.raises(AttributeError):
            setattr(RenderContext(), name, None)

    def test_takes_a_densitys_name(self) -> None:
        name: Any = "compact"
        assert RenderContext(density=name).density is Density.COMPACT

    def test_an_unknown_density_is_an_error(self) -> None:
        bad: Any = "dense"
        with pytest.raises(DensityError):
            RenderContext(density=bad)

    def test_compares_by_value(self) -> None:
        assert RenderContext().with_value(1) == RenderContext().with_value(1)
        assert RenderContext() != RenderContext(limit=1)
