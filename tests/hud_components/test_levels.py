from __future__ import annotations

import math

import pytest

from hud_components import density_for, threshold_for
from hud_components.levels import THRESHOLDS, Threshold, level_for
from tests.ids import looped
from ujsx import Density


class TestThresholds:
    @looped(
        ("percentage", "level", "density"),
        [
            (0, "green", "full"),
            (69.99, "green", "full"),
            (70, "yellow", "compact"),
            (84.99, "yellow", "compact"),
            (85, "red", "minimal"),
            (92, "red", "minimal"),
            (92.01, "critical", "minimal"),
            (250, "critical", "minimal"),
        ],
    )
    def test_levels_and_densities_change_where_the_design_says(
        self, percentage: float, level: str, density: str
    ) -> None:
        assert level_for(percentage) == level
        assert density_for(percentage) == Density(density)

    def test_they_can_be_replaced(self) -> None:
        early = (Threshold("green", Density.FULL, 0), Threshold("red", Density.MINIMAL, 50))
        assert density_for(60, thresholds=early) is Density.MINIMAL

    def test_on_a_large_window_the_remaining_tokens_can_count_too(self) -> None:
        roomy = (THRESHOLDS[0], Threshold("yellow", Density.COMPACT, 70, remaining=60_000))
        assert threshold_for(75, remaining=250_000, thresholds=roomy).level == "green"
        assert threshold_for(75, remaining=50_000, thresholds=roomy).level == "yellow"
        assert threshold_for(75, thresholds=roomy).level == "yellow"

    @looped("percentage", [-1, math.nan])
    def test_what_is_no_percentage_is_refused(self, percentage: float) -> None:
        with pytest.raises(ValueError, match="0 or more"):
            level_for(percentage)
