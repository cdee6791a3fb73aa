"""A component's own budget: it takes no more, whatever there is for the whole tree."""

from __future__ import annotations

import dataclasses

from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import Capped, documents
from ujsx import (
    Child,
    Children,
    Component,
    Density,
    Disclosure,
    Element,
    RenderContext,
    Rendered,
    Renderer,
    Rung,
    explain,
    render_document,
)
from ujsx.elements import Omitted, Paragraph, Section

LOW, MIDDLE, HIGH = Rung(Density.MINIMAL, 0), Rung(Density.COMPACT, 2), Rung(Density.FULL)


class Words(Component):
    """Words, and how many are left out, within a budget of their own."""

    words: tuple[str, ...]
    own: int | None = None
    has_floor: bool = False

    disclosure = Disclosure((LOW, MIDDLE, HIGH))

    def disclosed(self) -> Disclosure:
        floor = Density.MINIMAL if self.has_floor else None
        return dataclasses.replace(self.disclosure, budget=self.own, floor=floor)

    def render(self, ctx: RenderContext, children: Children) -> Child:
        shown = self.words[: ctx.limit]
        left = len(self.words) - len(shown)
        return Paragraph()[" ".join(shown), left > 0 and Omitted(count=left, handle="words()")]


LONG = ("word",) * 40


def rung_of(node: Child, **options: object) -> Rung | None:
    return render_document(node, **options).sections[0].rung  # type: ignore[arg-type]


class TestOwnBudget:
    def test_keeps_from_a_rung_that_the_whole_could_pay_for(self) -> None:
        rendered = render_document(Words(words=LONG, own=20), budget=1_000)
        [section] = rendered.sections
        assert (section.rung, section.capped_at) == (MIDDLE, 20)
        assert section.tokens <= 20
        [omitted] = rendered.omitted
        assert (omitted.count, omitted.handle) == (38, "words()")

    def test_holds_without_a_budget_for_the_whole(self) -> None:
        [section] = render_document(Words(words=LONG, own=20)).sections
        assert (section.rung, section.capped_at) == (MIDDLE, 20)

    def test_that_is_enough_changes_nothing(self) -> None:
        tight, loose = Words(words=LONG, own=500), Words(words=LONG)
        assert render_document(tight).text == render_document(loose).text
        assert render_document(tight).sections[0].capped_at is None

    def test_leaves_the_floor(self) -> None:
        rendered = render_document(Words(words=LONG, own=1, has_floor=True))
        assert (rendered.sections[0].rung, rendered.sections[0].capped_at) == (LOW, 1)

    def test_that_has_no_room_for_anything_hides_it_and_says_so(self) -> None:
        rendered = render_document([Words(words=LONG, own=1), Paragraph()["kept"]])
        assert rendered.text == "kept\n"
        assert (rendered.sections[0].rung, rendered.sections[0].capped_at) == (None, 1)
        assert [each.count for each in rendered.omitted] == [40]

    def test_is_not_named_where_something_else_was_in_the_way(self) -> None:
        node = Words(words=LONG, own=20)
        assert render_document(node, density="compact").sections[0].capped_at is None
        assert render_document(node, budget=6).sections[0].capped_at is None

    def test_leaves_more_to_others(self) -> None:
        capped, other = Words(words=LONG[:30], own=20), Words(words=LONG).keyed("other")
        free = [Words(words=LONG[:30]), other]
        assert [each.rung == HIGH for each in render_document(free, budget=64).sections] == [
            True,
            False,
        ]
        sections = render_document([capped, other], budget=64).sections
        assert [each.rung for each in sections] == [MIDDLE, HIGH]

    def test_is_kept_to_by_a_renderer_that_knew_a_larger_one(self) -> None:
        renderer = Renderer()
        for own, rung in ((None, HIGH), (20, MIDDLE), (None, HIGH)):
            node = Words(words=LONG, own=own)
            assert renderer.render(node).sections[0].rung == rung

    def test_in_a_density_of_an_ancestor(self) -> None:
        tree = Section(title="Part")[Words(words=LONG, own=20)]
        assert rung_of(tree, density="full") == MIDDLE
        assert rung_of(tree, density="minimal") == LOW


class TestExplained:
    def test_says_that_it_was_its_own_budget(self) -> None:
        told = explain(Words(words=LONG, own=20), 1_000)
        [section] = told.sections
        assert section.budget == 20
        assert [each.is_within for each in section.rungs] == [True, True, True, False]
        assert "(full 38: its own budget is 20)" in str(told)
        assert told.next == ()
        assert told.missing is None


class TestLaws:
    @given(
        tree=documents(capped=True),
        density=st.sampled_from(Density),
        budget=st.none() | st.integers(0, 300),
    )
    def test_no_rung_is_taken_that_has_more(
        self, tree: Element, density: Density, budget: int | None
    ) -> None:
        rendered = render_document(tree, density=density, budget=budget)
        costs = Renderer().plan(tree, density=density).ladders
        ladders = [each for each in costs if each.piece.ladder is not None]
        for ladder, section in zip(ladders, rendered.sections, strict=True):
            tokens = {each.rung: each.tokens for each in ladder.alternatives}
            own = ladder.disclosure.budget
            assert (
                own is None or tokens[section.rung] <= own or section.rung == ladder.useful[0].rung
            )

    @given(tree=documents(capped=True), density=st.sampled_from(Density))
    def test_enough_for_the_whole_shows_no_less_than_none_for_the_whole(
        self, tree: Element, density: Density
    ) -> None:
        free, enough = (render_document(tree, density=density, budget=b) for b in (None, 10**6))
        if not any(_saves_nothing(each) for each in Renderer().plan(tree, density=density).ladders):
            for alone, beside in zip(free.sections, enough.sections, strict=True):
                assert _reach(beside.rung) >= _reach(alone.rung)

    @given(
        words=st.lists(st.sampled_from(["a", "bcd", "*x*"]), max_size=12).map(tuple),
        others=documents(capped=True),
        owns=st.tuples(st.integers(1, 60), st.integers(1, 60)).map(sorted),
        budget=st.none() | st.integers(0, 200),
    )
    def test_a_larger_one_never_shows_less_of_the_component(
        self, words: tuple[str, ...], others: Element, owns: list[int], budget: int | None
    ) -> None:
        low, high = (
            _height(
                render_document(
                    [Capped(words=words, own=own).keyed("it"), Section(title="s")[others]],
                    budget=budget,
                )
            )
            for own in owns
        )
        assert low <= high


def _saves_nothing(ladder: object) -> bool:
    return getattr(ladder, "useful")[-1] != getattr(ladder, "alternatives")[-1]  # noqa: B009


def _reach(rung: Rung | None) -> tuple[float, ...]:
    if rung is None:
        return ()
    return rung.density.rank, float("inf") if rung.limit is None else rung.limit


def _height(rendered: Rendered) -> tuple[float, ...]:
    """How much is shown of it; what is left over of a budget may show a part of a step of its ladder."""
    [it] = [each for each in rendered.sections if each.name == "Capped[it]"]
    return _reach(it.rung)
