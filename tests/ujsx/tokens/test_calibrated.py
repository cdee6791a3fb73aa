"""A counter corrected by what a provider reports."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ids import looped
from ujsx import CounterError, RenderContext, render_document
from ujsx.elements import Paragraph
from ujsx.tokens import CalibratedCounter, calibrated, calibrated_by, estimate_tokens

texts, sizes = st.text(), st.integers(1, 10**6)


class TestCalibrated:
    @given(counted=sizes, reported=sizes)
    def test_makes_of_the_text_it_was_read_from_what_was_reported(
        self, counted: int, reported: int
    ) -> None:
        assert calibrated(len, counted=counted, reported=reported)("x" * 0) == 0
        counter = calibrated(lambda text: counted, counted=counted, reported=reported)
        assert counter("the request") == reported

    @given(text=texts, counted=sizes, reported=sizes)
    def test_rounds_up(self, text: str, counted: int, reported: int) -> None:
        tokens = calibrated(counted=counted, reported=reported)(text)
        exact = estimate_tokens(text) * reported / counted
        assert exact <= tokens + 1e-6
        assert tokens < exact + 1 + 1e-6

    @given(left=texts, right=texts, counted=sizes, reported=sizes)
    def test_keeps_the_whole_near_the_sum_of_its_parts(
        self, left: str, right: str, counted: int, reported: int
    ) -> None:
        counter = calibrated(counted=counted, reported=reported)
        both = counter(left) + counter(right)
        assert abs(counter(left + right) - both) <= 2 * counter.share + 2

    def test_is_a_value(self) -> None:
        one, other = (calibrated(counted=1_000, reported=1_100) for _ in range(2))
        assert one == other == CalibratedCounter(estimate_tokens, 1_000, 1_100)
        assert hash(one) == hash(other)

    def test_adds_readings_up(self) -> None:
        first = calibrated(counted=100, reported=200)
        assert first.read(300, 200) == CalibratedCounter(estimate_tokens, 400, 400)
        assert first == calibrated(counted=100, reported=200)

    def test_counts_for_a_rendering(self) -> None:
        node = Paragraph()["Use JWT over sessions."]
        double = RenderContext(count_tokens=calibrated(counted=1, reported=2))
        assert render_document(node, context=double).tokens == 2 * render_document(node).tokens

    @looped(("counted", "reported"), [(0, 5), (5, 0), (-1, 5), (5, 1.5), (True, 5), (5, "6")])
    def test_refuses_what_no_request_has(self, counted: Any, reported: Any) -> None:
        with pytest.raises(CounterError, match="a number of tokens, 1 or more"):
            calibrated(counted=counted, reported=reported)
        with pytest.raises(CounterError, match="a number of tokens, 1 or more"):
            calibrated(counted=1, reported=1).read(counted, reported)


class TestCalibratedBy:
    def test_takes_what_a_history_grew_by(self) -> None:
        """Not what stands in each request beside it, such as system prompt and tools."""
        counter = calibrated_by([(0, 20_000), (1_000, 21_300), (3_000, 23_900)])
        assert counter == CalibratedCounter(estimate_tokens, 3_000, 3_900)

    def test_begins_anew_where_a_figure_falls(self) -> None:
        readings = [(0, 20_000), (2_000, 23_000), (100, 12_000), (1_100, 13_500)]
        assert calibrated_by(readings) == CalibratedCounter(estimate_tokens, 3_000, 4_500)

    def test_passes_over_a_figure_that_is_told_again(self) -> None:
        counter = calibrated_by([(0, 100), (500, 100), (2_000, 2_600)])
        assert counter == CalibratedCounter(estimate_tokens, 2_000, 2_500)

    @looped("readings", [[], [(5, 5)], [(0, 10), (999, 2_000)], [(9, 9), (5, 5)]])
    def test_says_nothing_of_too_little(self, readings: list[tuple[int, int]]) -> None:
        assert calibrated_by(readings) is None

    def test_corrects_another_counter(self) -> None:
        counter = calibrated_by([(0, 0), (4_000, 1_000)], len)
        assert counter is not None
        assert counter("four") == 1
