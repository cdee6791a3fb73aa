"""The estimate of tokens."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ujsx.tokens import WEIGHTS, estimate_tokens

any_text = st.text(st.characters(codec=None))


class TestEstimate:
    def test_of_nothing_is_0(self) -> None:
        assert estimate_tokens("") == 0

    @given(text=any_text.filter(bool))
    def test_of_something_is_at_least_1(self, text: str) -> None:
        assert estimate_tokens(text) >= 1

    @given(left=any_text, right=any_text)
    def test_of_a_text_is_never_more_than_that_of_its_parts(self, left: str, right: str) -> None:
        whole = estimate_tokens(left + right)
        assert max(estimate_tokens(left), estimate_tokens(right)) <= whole
        assert whole <= estimate_tokens(left) + estimate_tokens(right)

    def test_of_plain_english_is_about_a_token_for_every_five_letters(self) -> None:
        assert 0.15 < estimate_tokens("the cat sat on the mat " * 100) / 2_300 < 0.25

    def test_weighs_every_class(self) -> None:
        samples = ["a", "A", "0", "\n", ".", "é", "中", "🎉"]
        assert all(estimate_tokens(each * 1_000) > 100 for each in samples)
        assert len(WEIGHTS) == len(samples) + 1
