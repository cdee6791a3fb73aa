"""``explain``: what a budget shows, what each rung costs, what more tokens would buy."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ids import looped
from tests.strategies import Ladder, documents
from ujsx import Density, Element, Purchase, RenderError, Rung, explain, render_document
from ujsx.elements import Paragraph, Section

WORDS = Ladder(words=tuple(f"word number {n}" for n in range(30)))
MORE = Ladder(words=("five", "six", "seven", "eight")).keyed("more")
TREE = Section(title="Both")[WORDS, Paragraph()["between"], MORE]

LOW, HIGH = Rung(Density.COMPACT, 1), Rung(Density.FULL, 3)

budgets = st.integers(0, 300)


class TestExplanation:
    @given(tree=documents(capped=True), budget=budgets)
    def test_says_what_a_rendering_shows(self, tree: Element, budget: int) -> None:
        told, rendered = explain(tree, budget), render_document(tree, budget=budget)
        assert (told.tokens, told.over_budget) == (rendered.tokens, rendered.over_budget)
        assert [(each.name, each.rung) for each in told.sections] == [
            (each.name, each.rung) for each in rendered.sections
        ]

    @given(tree=documents(capped=True), budget=budgets)
    def test_adds_up_to_no_less_than_the_whole(self, tree: Element, budget: int) -> None:
        told = explain(tree, budget)
        assert told.between + sum(each.tokens for each in told.sections) >= told.tokens

    @given(tree=documents(capped=True), budget=budgets)
    def test_has_a_floor_that_is_never_above_what_is_shown(
        self, tree: Element, budget: int
    ) -> None:
        told = explain(tree, budget)
        assert told.floor <= told.tokens
        if told.over_budget:
            assert told.floor == told.tokens == render_document(tree, budget=0).tokens

    @given(tree=documents(capped=True), budget=budgets)
    def test_marks_the_one_rung_that_is_shown(self, tree: Element, budget: int) -> None:
        for section in explain(tree, budget).sections:
            (shown,) = (each for each in section.rungs if each.is_shown)
            assert (shown.rung, shown.tokens) == (section.rung, section.tokens)
            assert shown.is_useful

    @given(tree=documents(capped=True), budget=st.integers(0, 200), more=st.integers(0, 200))
    def test_says_what_more_tokens_buy(self, tree: Element, budget: int, more: int) -> None:
        told, later = explain(tree, budget, more=more), explain(tree, budget + more)
        bought: dict[tuple[str, Rung | None], Rung | None] = {
            (each.section, each.before): each.after for each in told.next
        }
        before = [each.rung for each in told.sections]
        in_part = {each.section: each.in_part for each in later.order if each.in_part is not None}
        for was, section in zip(before, later.sections, strict=True):
            reached = was
            while (section.name, reached) in bought and reached != section.rung:
                reached = bought[section.name, reached]
            # What is left over is spent inside the next step, which may cost less than the one before.
            assert section.rung in {reached, in_part.get(section.name, reached)}

    @given(tree=documents(capped=True), budget=budgets)
    def test_says_how_much_the_next_step_needs(self, tree: Element, budget: int) -> None:
        missing = explain(tree, budget, more=0).missing
        if missing is None:
            assert explain(tree, 10**6).tokens == render_document(tree, budget=budget).tokens
            return
        assert missing > 0
        enough = explain(tree, budget + missing)
        assert enough.tokens <= budget + missing
        rungs, more = (
            [each.rung for each in told.sections] for told in (explain(tree, budget), enough)
        )
        assert rungs != more

    def test_looks_ahead_as_far_as_it_is_told(self) -> None:
        assert [len(explain(TREE, 40, more=more).next) for more in (0, 3, 4, 200)] == [0, 1, 1, 4]
        bought = explain(TREE, 40, more=12).next
        assert bought[0] == Purchase("Ladder[more]", LOW, HIGH, 6)
        assert len(bought) == 2

    def test_of_a_ceiling_has_only_the_rungs_below_it(self) -> None:
        (words, _) = explain(TREE, 1_000, density="compact").sections
        assert [str(each.rung) for each in words.rungs] == ["None", "minimal/0", "compact/1"]

    def test_holds_rungs_as_the_rendering_does(self) -> None:
        previous = render_document(TREE, budget=1_000)
        told = explain(TREE, 60, previous=previous)
        rendered = render_document(TREE, budget=60, previous=previous)
        assert [each.rung for each in told.sections] == [each.rung for each in rendered.sections]

    def test_is_data(self) -> None:
        assert dataclasses.asdict(explain(TREE, 40))["sections"][0]["rungs"][0]["tokens"] == 0

    @looped("bad", [{"budget": "40"}, {"budget": None}, {"budget": -1}, {"budget": 4, "more": 1.5}])
    def test_refuses_what_is_no_number_of_tokens(self, bad: dict[str, Any]) -> None:
        with pytest.raises(RenderError, match="must be a number of tokens, "):
            explain(TREE, **bad)


class TestTable:
    def test_has_a_row_for_each_section(self) -> None:
        assert str(explain(TREE, 40)) == EXPECTED

    def test_says_that_even_the_least_is_too_much(self) -> None:
        assert "the least is 2, and even that is too much" in str(
            explain(Paragraph()["between"], 1)
        )

    def test_says_that_nothing_is_left_to_buy(self) -> None:
        assert str(explain(MORE, 1_000)).endswith("100 more tokens buy nothing")
        assert str(explain(TREE, 60)).endswith("buy nothing\nthe next step needs 170 more")


EXPECTED = """\
38 of 40 tokens; the least is 4; 6 are for what has no ladder
  Section: 3
  Section / Paragraph: 3

section       rung        tokens  every rung, [as shown], (never chosen)
Ladder        compact/1       17  hidden 0, minimal/0 6, [compact/1 17], full/3 29, full 201
Ladder[more]  full/2~160      17  hidden 0, minimal/0 6, compact/1 14, [full/2~160 17], full/3 20, full 23

in the order of their worth: + taken, ~ in part, - not
  + Ladder: hidden -> minimal/0, 6 tokens; by what it is worth for its tokens
  + Ladder[more]: hidden -> minimal/0, 6 tokens; by what it is worth for its tokens
  + Ladder[more]: minimal/0 -> compact/1, 8 tokens; by what it is worth for its tokens
  + Ladder: minimal/0 -> compact/1, 11 tokens; by what it is worth for its tokens
  ~ Ladder[more]: compact/1 -> full/3, 6 tokens; by what it is worth for its tokens
  - Ladder[more]: full/3 -> full, 3 tokens; by what it is worth for its tokens
  - Ladder: compact/1 -> full/3, 12 tokens; by what it is worth for its tokens
  - Ladder: full/3 -> full, 172 tokens; by what it is worth for its tokens

100 more tokens buy
  Ladder[more]: compact/1 -> full/3, 6 tokens
  Ladder[more]: full/3 -> full, 3 tokens
  Ladder: compact/1 -> full/3, 12 tokens
the step after that needs 190 more"""


def test_names_the_dearest_of_what_has_no_ladder() -> None:
    said = [Paragraph()["word " * each] for each in range(1, 10)]
    tree = [Section(title="T")[WORDS, each].keyed(f"k{place}") for place, each in enumerate(said)]
    told = explain(tree, 100)
    tokens = [each.tokens for each in told.fixed]
    assert tokens == sorted(tokens, reverse=True)
    assert sum(tokens) == told.between == explain(tree, 10_000).between
    assert [each.path for each in told.fixed[:2]] == ["Section", "Section[k8] / Paragraph"]
    first, *named, more = str(told).splitlines()[:8]
    assert first.endswith(f"{told.between} are for what has no ladder")
    assert named == [f"  {each.path}: {each.tokens}" for each in told.fixed[:6]]
    assert more == f"  … {len(tokens) - 6} more"
