"""``assert_fits``: budgets that are enough, and an account of those that are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import documents
from ujsx import (
    Child,
    Children,
    Component,
    Density,
    Disclosure,
    Element,
    RenderContext,
    Rung,
    render_document,
)
from ujsx.elements import Paragraph
from ujsx.testing import assert_fits


class Words(Component):
    """So many words, or at least one."""

    disclosure = Disclosure(
        (Rung(Density.MINIMAL, 1), Rung(Density.COMPACT, 3), Rung(Density.FULL)),
        floor=Density.MINIMAL,
    )
    words: tuple[str, ...]

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return Paragraph()[" ".join(self.words[: ctx.limit])]


def by_words(text: str) -> int:
    return len(text.split())


CONTEXT = RenderContext(count_tokens=by_words)
WORDS = Words(words=("one", "two", "three", "four", "five"))


class TestAssertFits:
    @given(tree=documents(), budget=st.integers(0, 200))
    def test_holds_when_the_rendering_has_no_more_tokens(self, tree: Element, budget: int) -> None:
        rendered = render_document(tree, budget=budget)
        if rendered.over_budget:
            with pytest.raises(AssertionError, match=f"more than the budget of {budget}"):
                assert_fits(tree, budget)
        else:
            assert_fits(tree, budget)

    def test_takes_the_callers_counter(self) -> None:
        assert_fits(WORDS, 1, context=CONTEXT)

    def test_says_what_each_section_takes_when_the_floor_is_too_much(self) -> None:
        tree = [WORDS.keyed("a"), Paragraph()["and in between"], Words(words=("a b c d",))]
        with pytest.raises(AssertionError) as caught:
            assert_fits(tree, 5, context=CONTEXT)
        assert str(caught.value).split("\n") == [
            "the least that can be shown has 8 tokens, 3 more than the budget of 5:",
            "       4  Words             full",
            "       3  between sections",
            "       1  Words[a]          minimal/1",
            "give it 8 tokens, or a section a ladder that begins lower",
        ]

    def test_goes_no_further_up_than_the_density(self) -> None:
        assert_fits(WORDS, 3, density="compact", context=CONTEXT)

    def test_fails_for_a_budget_below_nothing(self) -> None:
        with pytest.raises(AssertionError, match="0 tokens, 1 more than the budget of -1"):
            assert_fits("", -1)
