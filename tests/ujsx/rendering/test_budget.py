"""Budgets: which rungs they reach, and the laws that hold whatever the tree is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import Hud, HudState
from tests.hud_components.strategies import STATES
from tests.ids import looped
from tests.reachable import count_reachable
from tests.strategies import documents
from tests.ujsx.rendering.priced import COUNTED, HIGH, LOW, MIDDLE, counting, priced
from ujsx import (
    Child,
    Children,
    Component,
    Density,
    Disclosure,
    Element,
    Priority,
    RenderContext,
    Rendered,
    RenderedSection,
    Renderer,
    RenderError,
    Rung,
    render_document,
)
from ujsx.elements import Omitted, Paragraph, Section

LADDER = Disclosure((LOW, MIDDLE, HIGH))


class Words(Component):
    """Words, and how many are left out."""

    disclosure = LADDER
    words: tuple[str, ...]

    def render(self, ctx: RenderContext, children: Children) -> Child:
        shown = self.words[: ctx.limit]
        left = len(self.words) - len(shown)
        return Paragraph()[" ".join(shown), left > 0 and Omitted(count=left, handle="words()")]


class Floored(Words):
    """The same, but never hidden."""

    disclosure = Disclosure((LOW, MIDDLE, HIGH), floor=Density.COMPACT)


def rungs(node: Child, density: Density | None = None) -> list[Rung | None]:
    """The rungs that a budget may choose for the one component of a tree."""
    (ladder,) = Renderer().plan(node, density=density).ladders
    return [each.rung for each in ladder.alternatives]


class TestRungsWithin:
    WORDS, FLOORED = Words(words=("a",) * 30), Floored(words=("a",) * 30)

    def test_begins_hidden_where_there_is_no_floor(self) -> None:
        assert rungs(self.WORDS) == [None, LOW, MIDDLE, HIGH]

    def test_begins_at_the_floor(self) -> None:
        assert rungs(self.FLOORED) == [MIDDLE, HIGH]

    def test_ends_where_the_ceiling_picks(self) -> None:
        assert rungs(self.WORDS, Density.COMPACT) == [None, LOW, MIDDLE]

    def test_of_a_ceiling_below_the_floor_is_what_the_ceiling_picks(self) -> None:
        assert rungs(self.FLOORED, Density.MINIMAL) == [LOW]


class TestSteps:
    @staticmethod
    def order(*nodes: Component) -> list[tuple[int, int]]:
        """The steps in the order in which they are taken: which component, and to which of its rungs."""
        return [(step.ladder, step.to) for step in counting().plan(nodes).steps]

    def test_that_save_nothing_are_not_made(self) -> None:
        (ladder,) = counting().plan(priced(9, 9, 7)).ladders
        assert [(each.rung, each.tokens) for each in ladder.useful] == [(None, 0), (HIGH, 7)]

    def test_stand_in_the_order_of_their_ladder(self) -> None:
        assert self.order(priced(100, 101, 102)) == [(0, 1), (0, 2), (0, 3)]

    def test_of_more_value_per_token_come_first(self) -> None:
        assert self.order(priced(50), priced(5)) == [(1, 1), (0, 1)]

    def test_of_a_weightier_component_come_first(self) -> None:
        assert self.order(priced(5), priced(5, weight=3)) == [(1, 1), (0, 1)]

    def test_are_taken_from_the_front_while_they_can_be_paid(self) -> None:
        nodes = [priced(10, weight=3), priced(10), priced(1, weight=0.01)]
        counts = {
            tokens: sum(
                each.rung is not None for each in counting().render(nodes, budget=tokens).sections
            )
            for tokens in (0, 9, 10, 19, 20, 21)
        }
        assert counts == {0: 0, 9: 0, 10: 1, 19: 1, 20: 2, 21: 3}


class TestHolding:
    """Of two components, a budget takes first the first one's low rung, then the second, then the first one's high rung."""

    FIRST, SECOND = priced(10, 20, weight=1.5), priced(10)

    def reached(self, budget: int, nodes: Child, previous: Rendered) -> list[Rung | None]:
        rendered = counting().render(nodes, budget=budget, previous=previous)
        return [each.rung for each in rendered.sections]

    @looped(
        ("before", "budget", "after"),
        [
            pytest.param(20, 25, [HIGH, None], id="held before others climb"),
            pytest.param(20, 15, [LOW, None], id="let go where it no longer fits"),
            pytest.param(10, 20, [LOW, None], id="a twelfth stays free"),
            pytest.param(10, 21, [LOW, LOW], id="the rest pays for the next step"),
            pytest.param(10, 31, [LOW, LOW], id="but not for the one after it"),
            pytest.param(10, 32, [HIGH, LOW], id="until there is enough for that, too"),
        ],
    )
    def test_what_was_shown_comes_first(
        self, before: int, budget: int, after: list[Rung | None]
    ) -> None:
        dear = counting().render([self.FIRST, priced(100)], budget=before)
        assert self.reached(budget, [self.FIRST, self.SECOND], dear) == after

    def test_takes_steps_of_new_components_in_their_order(self) -> None:
        alone = counting().render(self.FIRST, budget=20)
        assert self.reached(20, [self.FIRST, self.SECOND], alone) == [LOW, LOW]

    @looped(
        ("rung", "budget", "after"),
        [(Rung(Density.COMPACT, 3), 91, MIDDLE), (Rung(Density.MINIMAL), 71, LOW)],
    )
    def test_of_a_rung_that_the_ladder_no_longer_has_holds_the_next_lower_one(
        self, rung: Rung, budget: int, after: Rung
    ) -> None:
        before = counting().render(priced(50, rungs=(rung,)), budget=50)
        assert [each.rung for each in before.sections] == [rung]
        assert self.reached(budget, priced(50, 70, 90), before) == [after]


class TestRendering:
    def test_shows_everything_when_it_fits(self) -> None:
        rendered = render_document(Words(words=("a",) * 30), budget=1_000)
        assert rendered.sections[0].rung == HIGH
        assert not rendered.over_budget

    def test_with_a_density_stays_below_it(self) -> None:
        rendered = render_document(Words(words=("a",) * 30), density="compact", budget=1_000)
        assert rendered.sections[0].rung == MIDDLE

    def test_hides_what_has_no_floor_and_accounts_for_it(self) -> None:
        rendered = render_document([Words(words=("long",) * 30), Paragraph()["kept"]], budget=2)
        assert rendered.text == "kept\n"
        (section,) = rendered.sections
        assert section.rung is None
        (omitted,) = rendered.omitted
        assert (omitted.count, omitted.handle) == (30, "words()")
        assert omitted.tokens > 0

    def test_shows_the_floor_and_says_so_when_even_that_is_too_much(self) -> None:
        rendered = render_document(Floored(words=("long",) * 30), budget=1)
        assert rendered.sections[0].rung == MIDDLE
        assert rendered.over_budget

    def test_finds_ladders_in_sections(self) -> None:
        tree = Section(title="Part")[Words(words=("long",) * 30)]
        assert render_document(tree, budget=5).text == "# Part\n"

    def test_holds_for_any_counter(self) -> None:
        context = RenderContext(count_tokens=len)
        rendered = render_document(Words(words=("long",) * 30), budget=60, context=context)
        assert len(rendered.text) <= 60

    def test_never_raises(self) -> None:
        assert render_document(Floored(words=("a",)), budget=0).over_budget


class TestLeftOver:
    """What the steps that are taken leave over is spent inside of the next one."""

    def test_shows_some_items_of_the_next_step(self) -> None:
        rendered = render_document(Words(words=("word",) * 30), budget=20)
        assert rendered.text.count("wor") > 2
        assert rendered.tokens in (19, 20)
        assert rendered.omitted[0].count == 30 - 6

    def test_is_not_spent_on_a_later_step(self) -> None:
        first, second = (
            type(name, (Words,), {"disclosure": Disclosure(ladder, floor=Density.MINIMAL)})
            for name, ladder in (
                ("First", (LOW, Rung(Density.FULL, worth=Priority(1, "this first")))),
                ("Second", (LOW, Rung(Density.FULL, worth=Priority(2, "then this")))),
            )
        )
        tree = [first(words=("unpronounceable " * 40,)), second(words=("word",) * 20)]
        least = render_document(tree, budget=30)
        assert [each.rung for each in least.sections] == [LOW, LOW]
        assert [each.rung == LOW for each in render_document(tree, budget=300).sections] == [
            False
        ] * 2

    def test_stays_within_a_component_s_own_budget(self) -> None:
        own = type("Own", (Words,), {"disclosure": replace(LADDER, budget=12)})
        rendered = render_document(own(words=("word",) * 30), budget=100)
        assert rendered.sections[0].tokens <= 12

    def test_shows_what_was_shown_while_there_is_room(self) -> None:
        words = Words(words=("word",) * 30)
        before = render_document(words, budget=20)
        after = render_document(words, budget=21, previous=before)
        assert after.text == before.text
        more = render_document(words, budget=26, previous=before)
        assert len(more.text) > len(before.text)


class TestPrevious:
    """What is held, and what is not."""

    SHORT, LONG = (Words(words=("word",) * size) for size in (20, 22))

    def test_holds_a_rung_that_still_fits(self) -> None:
        before = render_document([self.SHORT, Paragraph()["x"]], budget=50)
        assert before.sections[0].rung == HIGH
        after = render_document([self.LONG, Paragraph()["x y"]], budget=50, previous=before)
        assert after.sections[0].rung == HIGH

    def test_of_what_is_no_rendering_is_refused(self) -> None:
        text: Any = "# HUD\n"
        with pytest.raises(RenderError, match="previous= takes an earlier Rendered, not '# HUD"):
            render_document(self.SHORT, budget=50, previous=text)

    def test_lets_go_of_a_rung_that_no_longer_fits(self) -> None:
        before = render_document(self.SHORT, budget=50)
        after = render_document(self.LONG, budget=before.tokens, previous=before)
        assert _is_between(after.sections[0])
        assert after.tokens <= before.tokens

    def test_does_not_flap_where_the_budget_is_just_enough(self) -> None:
        node = Words(words=("word",) * 40)
        enough = render_document(node).tokens
        low = render_document(node, budget=enough - 1)
        assert _is_between(low.sections[0])
        assert render_document(node, budget=enough + 1).sections[0].rung == HIGH
        held = render_document(node, budget=enough + 1, previous=low)
        assert _is_between(held.sections[0])
        much = enough + 1 + (enough + 1) // 10
        assert render_document(node, budget=much, previous=low).sections[0].rung == HIGH

    def test_holds_one_section_where_the_order_of_value_would_swap_two(self) -> None:
        one, two = (Words(words=("word",) * 40).keyed(key) for key in ("one", "two"))
        before = render_document([one, two], budget=70)
        assert before.sections[0].rung == HIGH
        assert _is_between(before.sections[1])
        longer = Words(words=("word",) * 44).keyed("one")
        fresh = render_document([longer, two], budget=70)
        assert fresh.sections[1].rung == HIGH
        assert _is_between(fresh.sections[0])
        after = render_document([longer, two], budget=70, previous=before)
        assert after.sections[0].rung == HIGH
        assert not _height(after.sections[1]) > _height(before.sections[1])

    def test_means_nothing_without_a_budget(self) -> None:
        before = render_document(self.SHORT, budget=4)
        assert render_document(self.SHORT, previous=before) == render_document(self.SHORT)

    def test_of_another_tree_holds_nothing(self) -> None:
        before = render_document(Floored(words=("a",)), budget=4)
        fresh = render_document(self.SHORT, budget=50)
        assert render_document(self.SHORT, budget=50, previous=before) == fresh

    @given(
        before=documents(capped=True),
        after=documents(capped=True),
        budgets=st.tuples(st.integers(0, 300), st.integers(0, 300)).map(sorted),
    )
    def test_never_breaks_a_law(self, before: Element, after: Element, budgets: list[int]) -> None:
        previous = render_document(before, budget=budgets[0])
        less, more = (
            render_document(after, budget=budget, previous=previous) for budget in budgets
        )
        floor = render_document(after, budget=0)
        for rendered, budget in zip((less, more), budgets, strict=True):
            assert rendered.tokens <= budget or (rendered.over_budget, rendered.text) == (
                True,
                floor.text,
            )
        assert all(
            _height(low) <= _height(high)
            for low, high in zip(less.sections, more.sections, strict=True)
        )
        again = render_document(after, budget=budgets[0], previous=previous)
        assert again == less
        kept = Renderer()
        kept.render(before, budget=budgets[0])
        assert kept.render(after, budget=budgets[0], previous=previous) == less

    @given(tree=documents(capped=True), budget=st.integers(0, 300))
    def test_of_the_same_tree_and_budget_changes_nothing(self, tree: Element, budget: int) -> None:
        first = render_document(tree, budget=budget)
        assert render_document(tree, budget=budget, previous=first) == first


class TestLaws:
    @given(STATES, st.lists(st.integers(0, 2_000), min_size=2, max_size=5).map(sorted))
    def test_never_over_and_more_never_shows_less(
        self, state: HudState, budgets: list[int]
    ) -> None:
        node: Element = Hud.of(state)
        floor = render_document(node, budget=0)
        before: dict[str, tuple[float, ...]] = {}
        for budget in budgets:
            rendered = render_document(node, budget=budget)
            heights = {section.name: _height(section) for section in rendered.sections}
            if rendered.over_budget:  # but for what no budget cuts
                least = {section.name: _height(section) for section in floor.sections}
                assert {**heights, "RulesList": 0} == {**least, "RulesList": 0}
            else:
                assert rendered.budgeted <= budget
            assert all(before.get(name, _NONE) <= height for name, height in heights.items())
            before = heights

    @given(STATES, st.lists(st.integers(0, 1_500), max_size=4))
    def test_a_kept_renderer_gives_the_bytes_of_a_fresh_one(
        self, state: HudState, budgets: list[int]
    ) -> None:
        kept = Renderer()
        for budget in budgets:
            node = Hud.of(state)
            assert (
                kept.render(node, budget=budget).text == render_document(node, budget=budget).text
            )


class TestLawsOfAnyTree:
    """Users' layouts included: trees of sections, lists, composites and ladders, nested."""

    @given(
        tree=documents(capped=True),
        budgets=st.lists(st.integers(0, 300), min_size=2, max_size=5).map(sorted),
    )
    def test_never_over_and_more_never_shows_less(self, tree: Element, budgets: list[int]) -> None:
        floor = render_document(tree, budget=0)
        before: list[tuple[float, ...]] = []
        for budget in budgets:
            rendered = render_document(tree, budget=budget)
            within = rendered.tokens <= budget and not rendered.over_budget
            assert within or (rendered.over_budget and rendered.text == floor.text)
            heights = list(map(_height, rendered.sections))
            assert all(low <= high for low, high in zip(before, heights, strict=bool(before)))
            before = heights

    @given(
        tree=documents(capped=True), budget=st.integers(0, 300), density=st.sampled_from(Density)
    )
    def test_a_ceiling_holds(self, tree: Element, budget: int, density: Density) -> None:
        rendered = render_document(tree, density=density, budget=budget)
        plain = render_document(tree, density=density)
        for each, picked in zip(rendered.sections, plain.sections, strict=True):
            most = max(density, picked.rung.density if picked.rung else density)
            assert each.rung is None or each.rung.density <= most

    @given(tree=documents(capped=True))
    def test_every_step_down_that_is_used_saves_tokens(self, tree: Element) -> None:
        for ladder in Renderer().plan(tree).ladders:
            tokens = [alternative.tokens for alternative in ladder.useful]
            assert tokens == sorted(set(tokens))

    @given(
        tree=documents(capped=True),
        budgets=st.lists(st.integers(0, 300), min_size=1, max_size=4),
        data=st.data(),
    )
    def test_a_kept_renderer_gives_the_bytes_and_the_account_of_a_fresh_one(
        self, tree: Element, budgets: list[int], data: st.DataObject
    ) -> None:
        kept = data.draw(st.sampled_from([Renderer(), Renderer(keeps=3), Renderer(keeps=100)]))
        for budget in budgets:
            rendered, fresh = kept.render(tree, budget=budget), render_document(tree, budget=budget)
            assert rendered == fresh
            assert rendered.omitted == fresh.omitted
            assert [each.fingerprint for each in rendered.sections] == [
                each.fingerprint for each in fresh.sections
            ]


class TestIncremental:
    def test_a_piece_is_counted_once(self) -> None:
        counted: list[str] = []

        def count(text: str) -> int:
            counted.append(text)
            return len(text)

        renderer = Renderer(context=RenderContext(count_tokens=count))
        tree = [Words(words=(f"w{n}",) * 30).keyed(str(n)) for n in range(5)]
        renderer.render(tree, budget=300)
        # Every rung of every piece, some of those between two of them, found by halving, and the whole.
        assert 5 * 3 + 1 <= len(counted) <= 5 * 3 + 1 + (300 * 8).bit_length()
        counted.clear()
        renderer.render(tree, budget=301)
        assert len(counted) <= (301 * 8).bit_length()  # other rungs between two, and the whole

    def test_a_changed_piece_alone_is_counted_again(self) -> None:
        counted: list[str] = []

        def count(text: str) -> int:
            counted.append(text)
            return len(text)

        renderer = Renderer(context=RenderContext(count_tokens=count))
        tree = [Words(words=(f"w{n}",) * 30).keyed(str(n)) for n in range(5)]
        renderer.render(tree, budget=300)
        counted.clear()
        renderer.render([*tree[:4], Words(words=("new",) * 30)], budget=300)
        assert len([text for text in counted if text.count("w") < 3]) <= 4

    def test_memory_does_not_grow_with_the_turns(self) -> None:
        renderer = Renderer()
        sizes: list[int] = []
        previous = None
        for turn in range(120):
            tree = [Words(words=(f"turn{turn}",) * 9), Floored(words=("same",) * 9)]
            previous = renderer.render(tree, budget=20 + turn % 50, previous=previous)
            sizes.append(count_reachable(renderer, previous))
        assert max(sizes[60:]) <= 1.05 * max(sizes[:60])


def _is_between(section: RenderedSection) -> bool:
    """Tell whether a section was climbed in part: from the middle of its ladder towards its top."""
    return section.rung not in (LOW, MIDDLE, HIGH) and _height(section) < (2, float("inf"))


_NONE = (-1.0,)


def _height(section: RenderedSection) -> tuple[float, ...]:
    """How much a section shows: of two, the one with the greater height shows no less."""
    rung, most = section.rung, float("inf")
    if rung is None:
        return _NONE
    limit, width = (most if each is None else each for each in (rung.limit, rung.width))
    return rung.density.rank, limit, width


class Uneven(Component):
    """A text with a cost for each number of items, which may fall where one is added."""

    disclosure = Disclosure((LOW, HIGH))
    costs: tuple[int, ...]

    def render(self, ctx: RenderContext, children: Children) -> Child:
        count = len(self.costs) - 1 if ctx.limit is None else ctx.limit
        tried.append(count)
        return Paragraph()["x" * self.costs[min(count, len(self.costs) - 1)]]


tried: list[int] = []
"""The numbers of items that were rendered."""


class TestBetweenTwoRungs:
    @given(
        costs=st.lists(st.integers(0, 40), min_size=1, max_size=40).map(tuple),
        budgets=st.tuples(st.integers(0, 40), st.integers(0, 40)).map(sorted),
    )
    def test_more_tokens_never_show_less_even_where_more_items_cost_less(
        self, costs: tuple[int, ...], budgets: list[int]
    ) -> None:
        node = Uneven(costs=costs)
        less, more = (render_document(node, budget=each, context=COUNTED) for each in budgets)
        assert _height(less.sections[0]) <= _height(more.sections[0])
        assert less.tokens <= budgets[0]
        assert more.tokens <= budgets[1]

    @given(count=st.integers(1, 300), budget=st.integers(0, 300))
    def test_where_costs_grow_it_is_the_last_that_fits(self, count: int, budget: int) -> None:
        node = Uneven(costs=tuple(range(count + 1)))
        assert render_document(node, budget=budget, context=COUNTED).tokens == min(count, budget)

    def test_the_places_that_are_tried_hardly_depend_on_how_many_there_are(self) -> None:
        def places(count: int) -> list[int]:
            tried.clear()
            render_document(Uneven(costs=tuple(range(count))), budget=21, context=COUNTED)
            return [each for each in tried if each != count - 1]

        assert places(60) == places(50) == places(40)


def test_what_was_rendered_to_see_that_it_is_too_much_is_not_rendered_again() -> None:
    seen: list[tuple[Density, int | None, int | None]] = []

    class Names(Component):
        disclosure = Disclosure(
            (Rung(Density.MINIMAL, 1), Rung(Density.COMPACT, 3), Rung(Density.FULL, 9))
        )
        names: tuple[str, ...]

        def render(self, ctx: RenderContext, children: Children) -> Child:
            seen.append((ctx.density, ctx.limit, ctx.width))
            return Paragraph()[" ".join(self.names[: ctx.limit])]

    renderer = Renderer()
    for turn in range(3):
        seen.clear()
        node = Names(names=tuple(f"{turn} name {n}" for n in range(9)))
        rendered = renderer.render(node, density="full", budget=13)
        assert rendered.tokens <= 13
        assert len(seen) == len(set(seen)), seen
