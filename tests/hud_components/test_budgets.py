"""How many tokens a HUD may have by itself."""

from __future__ import annotations

from typing import Any

import pytest

from hud_components import BUDGETS, THRESHOLDS, Hud, Threshold, budget_for, room_for
from tests.hud_components.cases import STATES
from ujsx import Density, RenderError, render_document


class TestBudgets:
    @pytest.mark.parametrize(
        ("percentage", "tokens"), [(0, 1_000), (69.9, 1_000), (70, 500), (85, 200), (92.1, 100)]
    )
    def test_follow_the_levels(self, percentage: float, tokens: int) -> None:
        assert budget_for(percentage) == tokens

    def test_exist_for_every_level_and_go_down(self) -> None:
        assert list(BUDGETS) == [each.level for each in THRESHOLDS]
        assert sorted(BUDGETS.values(), reverse=True) == list(BUDGETS.values())

    def test_can_be_your_own(self) -> None:
        early = (Threshold("green", Density.FULL, 0), Threshold("red", Density.MINIMAL, 50))
        assert budget_for(60, thresholds=early) == BUDGETS["red"]
        assert budget_for(60, budgets={**BUDGETS, "green": 700}) == 700

    def test_refuse_what_is_no_percentage(self) -> None:
        with pytest.raises(ValueError, match="0 or more"):
            budget_for(-1)

    @pytest.mark.parametrize("budget", ["60", "of", 0.5, True, []])
    def test_refuse_what_is_no_number_of_tokens(self, budget: Any) -> None:
        with pytest.raises(RenderError, match="a budget is a number of tokens"):
            render_document(Hud.of(STATES["typical"]), budget=room_for(None, budget=budget).budget)

    def test_are_enough_for_what_is_usual(self) -> None:
        """Blockers and a compacted context have floors, which are beside the smallest budget."""
        for level in ("green", "yellow", "red"):
            tokens = BUDGETS[level]
            assert not render_document(Hud.of(STATES["typical"]), budget=tokens).over_budget
