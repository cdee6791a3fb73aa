"""``assert_fits``: budgets that are enough, and an account of those that are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import Hud, TaskSection
from hud_runtime import HudStore
from tests.strategies import documents
from ujsx import (
    Child,
    Children,
    Component,
    DefinitionError,
    Density,
    Disclosure,
    Element,
    RenderContext,
    RenderError,
    Rung,
    render_document,
)
from ujsx.elements import Paragraph, Section
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


class Fleeting(Words):
    """The same, but a budget may hide it."""

    disclosure = Disclosure(Words.disclosure.ladder)


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
            assert_fits(tree, budget, may_hide=True)

    def test_takes_the_callers_counter(self) -> None:
        assert_fits(WORDS, 1, context=CONTEXT)

    def test_says_what_each_section_takes_when_the_floor_is_too_much(self) -> None:
        tree = [WORDS.keyed("a"), Paragraph()["and in between"], Words(words=("a b c d",))]
        with pytest.raises(AssertionError) as caught:
            assert_fits(tree, 5, context=CONTEXT)
        assert str(caught.value).split("\n") == [
            "the floor, the least that can be shown, has 8 tokens, 3 more than the budget of 5:",
            "       4  Words             full",
            "       3  between sections",
            "       1  Words[a]          minimal/1",
            "give it 8 tokens, let a section begin lower, or allow the floor: or_floor=True",
        ]

    def test_names_sections_without_ladders(self) -> None:
        rules = Section(title="Rules")[Paragraph()["one two three four"]]
        with pytest.raises(AssertionError) as caught:
            assert_fits(
                [rules, Section(title="Money")["x"], Paragraph()["apart"]], 2, context=CONTEXT
            )
        assert str(caught.value).split("\n")[1:-1] == [
            '       6  Section "Rules"',
            '       3  Section "Money"',
            "       1  between sections",
        ]

    def test_fails_for_what_a_budget_hides_as_it_has_no_floor(self) -> None:
        long = Fleeting(words=("word",) * 5_000)
        with pytest.raises(AssertionError) as caught:
            assert_fits(long, 0, context=CONTEXT)
        assert str(caught.value) == (
            "a budget of 0 tokens shows nothing of Fleeting, which has no floor and takes 1 tokens at "
            'least; give more, let its ladder begin lower, or allow it: may_hide=("Fleeting",)'
        )
        assert_fits(long, 1, context=CONTEXT)
        assert_fits(long, 0, context=CONTEXT, may_hide=True)
        assert_fits(long.keyed("a"), 0, context=CONTEXT, may_hide=("Fleeting",))
        assert_fits(long.keyed("a"), 0, context=CONTEXT, may_hide=("Fleeting[a]",))

    def test_names_all_sections_that_it_does_not_allow(self) -> None:
        tree = [Fleeting(words=("a",)).keyed(key) for key in "abc"]
        with pytest.raises(AssertionError) as caught:
            assert_fits(tree, 0, context=CONTEXT, may_hide=["Fleeting[b]"])
        assert str(caught.value).split("\n") == [
            "a budget of 0 tokens shows nothing of these sections, which have no floor and take at least:",
            "       1  Fleeting[a]",
            "       1  Fleeting[c]",
            (
                "give more, let their ladders begin lower, or allow it: "
                'may_hide=("Fleeting[a]", "Fleeting[c]")'
            ),
        ]

    def test_a_section_that_has_nothing_to_show_is_not_hidden(self) -> None:
        assert_fits(Fleeting(words=()), 0, context=CONTEXT)

    def test_allows_the_floor_where_that_is_said(self) -> None:
        tree = [WORDS, Paragraph()["and", "in between"]]
        with pytest.raises(AssertionError, match=r"the floor, .* 1 more than the budget of 2"):
            assert_fits(tree, 2, context=CONTEXT)
        assert_fits(tree, 2, context=CONTEXT, or_floor=True)
        assert_fits(Paragraph()["word " * 5_000], 1, or_floor=True)

    def test_names_a_section_that_may_be_hidden_and_is_none(self) -> None:
        with pytest.raises(AssertionError, match=r'; may_hide= names "Fleting", .*"Fleeting"\?$'):
            assert_fits(Fleeting(words=("a", "b")), 0, context=CONTEXT, may_hide=("Fleting",))
        with pytest.raises(DefinitionError, match=r"may_hide= is a collection of names"):
            assert_fits(WORDS, 9, may_hide="Fleeting")

    def test_takes_a_session_and_a_layout_with_a_state(self) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            session.record("task.set", description="Move the ledger to PostgreSQL")
            layout = Hud()[TaskSection()]
            for what, state in ((session, None), (layout, session.state())):
                assert_fits(what, 30, state=state)
                with pytest.raises(AssertionError, match="TaskSection"):
                    assert_fits(what, 5, state=state)

    def test_goes_no_further_up_than_the_density(self) -> None:
        assert_fits(WORDS, 3, density="compact", context=CONTEXT)

    def test_refuses_a_budget_below_nothing(self) -> None:
        with pytest.raises(
            RenderError, match="a budget must be a number of tokens, 0 or more, not -1"
        ):
            assert_fits(WORDS, -1)
