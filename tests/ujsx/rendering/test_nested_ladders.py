"""A ladder within a ladder: both are climbed by a budget, the inner one in steps between those of the outer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ids import looped
from tests.strategies import Ladder, Panel, nested_documents
from ujsx import (
    DefinitionError,
    Density,
    Disclosure,
    Element,
    RenderedSection,
    Renderer,
    Rung,
    explain,
    render,
    render_document,
)

TREE = Panel(title="Outer")[Ladder(words=tuple(f"word{n}" for n in range(9)))]


class TestInside:
    def test_a_budget_climbs_what_is_inside_as_well(self) -> None:
        costs = [render_document(TREE, budget=budget).tokens for budget in range(60)]
        assert sorted(costs) == costs
        alone = {0, *(render_document(TREE, density=density).tokens for density in Density)}
        assert {*costs} > alone

    def test_the_rung_says_so(self) -> None:
        rungs = {str(render_document(TREE, budget=budget).sections[0].rung) for budget in range(60)}
        assert {"compact (minimal inside)", "full (compact inside)", "full"} <= rungs
        assert "full (compact inside)" in str(explain(TREE, 30))

    @looped("density", Density)
    def test_a_density_alone_is_as_ever(self, density: Density) -> None:
        assert (
            render(TREE, density=density) == render_document(TREE, density=density, budget=999).text
        )

    def test_one_that_has_no_ladder_inside_has_no_such_steps(self) -> None:
        [ladder] = Renderer().plan(Panel(title="Outer")["text"]).ladders
        assert len(ladder.alternatives) == 4

    def test_a_rung_may_say_it_itself(self) -> None:
        brief = Rung(Density.FULL, inner_density=Density.MINIMAL)
        ladder = Disclosure((Rung(Density.MINIMAL), brief, Rung(Density.FULL)))
        assert ladder.ladder[1] is brief
        with pytest.raises(DefinitionError, match="inside"):
            Rung(Density.COMPACT, inner_density=Density.FULL)


class TestLaws:
    @settings(max_examples=3 * settings.default.max_examples // 2)
    @given(
        tree=nested_documents(),
        budgets=st.lists(st.integers(0, 300), min_size=2, max_size=5).map(sorted),
    )
    def test_never_over_and_more_never_shows_less(self, tree: Element, budgets: list[int]) -> None:
        floor = render_document(tree, budget=0)
        before: list[tuple[float, ...]] = []
        for budget in budgets:
            rendered = render_document(tree, budget=budget)
            within = rendered.tokens <= budget and not rendered.over_budget
            assert within or (rendered.over_budget and rendered.text == floor.text)
            heights = list(map(_height, rendered.sections))
            assert all(low <= high for low, high in zip(before, heights, strict=bool(before)))
            before = heights

    @settings(max_examples=3 * settings.default.max_examples // 2)
    @given(tree=nested_documents(), budgets=st.lists(st.integers(0, 300), min_size=1, max_size=3))
    def test_a_kept_renderer_gives_the_bytes_of_a_fresh_one(
        self, tree: Element, budgets: list[int]
    ) -> None:
        kept = Renderer()
        for budget in budgets:
            assert kept.render(tree, budget=budget) == render_document(tree, budget=budget)

    @settings(max_examples=3 * settings.default.max_examples // 2)
    @given(tree=nested_documents(), budget=st.integers(0, 300))
    def test_of_the_same_tree_and_budget_previous_changes_nothing(
        self, tree: Element, budget: int
    ) -> None:
        first = render_document(tree, budget=budget)
        assert render_document(tree, budget=budget, previous=first) == first

    @given(tree=nested_documents())
    def test_every_step_down_that_is_used_saves_tokens(self, tree: Element) -> None:
        for ladder in Renderer().plan(tree).ladders:
            tokens = [alternative.tokens for alternative in ladder.useful]
            assert tokens == sorted({*tokens})


def _height(section: RenderedSection) -> tuple[float, ...]:
    rung = section.rung
    if rung is None:
        return (-1,)
    limit = float("inf") if rung.limit is None else rung.limit
    return rung.density.rank, limit, (rung.inner_density or rung.density).rank
