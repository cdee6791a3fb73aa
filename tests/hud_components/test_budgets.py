"""How many tokens a HUD may have by itself."""

from __future__ import annotations

from typing import Any

import pytest

from hud_components import BUDGETS, Hud, Threshold, budget_for, room_for
from tests.hud_components.cases import STATES
from ujsx import Density, RenderError, render_document


class TestBudgets:
    @pytest.mark.parametrize(
        ("percentage", "tokens"), [(0, 500), (69.9, 500), (70, 150), (85, 50), (92.1, 50)]
    )
    def test_follow_the_density(self, percentage: float, tokens: int) -> None:
        assert budget_for(percentage) == tokens

    def test_go_by_thresholds_of_your_own(self) -> None:
        early = (Threshold("green", Density.FULL, 0), Threshold("red", Density.MINIMAL, 50))
        assert budget_for(60, thresholds=early) == BUDGETS[Density.MINIMAL].most

    def test_refuse_what_is_no_percentage(self) -> None:
        with pytest.raises(ValueError, match="0 or more"):
            budget_for(-1)

    @pytest.mark.parametrize("budget", ["60", "of", 0.5, True, []])
    def test_refuse_what_is_no_number_of_tokens(self, budget: Any) -> None:
        with pytest.raises(RenderError, match="a budget is a number of tokens"):
            render_document(Hud.of(STATES["typical"]), budget=room_for(None, budget=budget).budget)

    def test_are_enough_for_what_is_usual(self) -> None:
        """Blockers and a compacted context have floors, which are beside the smallest budget."""
        for density in (Density.FULL, Density.COMPACT):
            tokens = BUDGETS[density].most
            assert not render_document(Hud.of(STATES["typical"]), budget=tokens).over_budget
