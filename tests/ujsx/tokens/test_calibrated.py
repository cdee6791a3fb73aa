"""A counter corrected by what a provider reports."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ujsx import CounterError, RenderContext, render_document
from ujsx.elements import Paragraph
from ujsx.tokens import Calibrated, calibrated, estimate_tokens

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
    def test_keeps_the_whole_within_the_sum_of_its_parts(
        self, left: str, right: str, counted: int, reported: int
    ) -> None:
        counter = calibrated(counted=counted, reported=reported)
        assert counter(left + right) <= counter(left) + counter(right)

    def test_is_a_value(self) -> None:
        one, other = (calibrated(counted=1_000, reported=1_100) for _ in range(2))
        assert one == other == Calibrated(estimate_tokens, 1_000, 1_100)
        assert hash(one) == hash(other)

    def test_adds_readings_up(self) -> None:
        first = calibrated(counted=100, reported=200)
        assert first.read(300, 200) == Calibrated(estimate_tokens, 400, 400)
        assert first == calibrated(counted=100, reported=200)

    def test_counts_for_a_rendering(self) -> None:
        node = Paragraph()["Use JWT over sessions."]
        double = RenderContext(count_tokens=calibrated(counted=1, reported=2))
        assert render_document(node, context=double).tokens == 2 * render_document(node).tokens

    @pytest.mark.parametrize(
        ("counted", "reported"), [(0, 5), (5, 0), (-1, 5), (5, 1.5), (True, 5), (5, "6")]
    )
    def test_refuses_what_no_request_has(self, counted: Any, reported: Any) -> None:
        with pytest.raises(CounterError, match="a number of tokens, 1 or more"):
            calibrated(counted=counted, reported=reported)
        with pytest.raises(CounterError, match="a number of tokens, 1 or more"):
            calibrated(counted=1, reported=1).read(counted, reported)
