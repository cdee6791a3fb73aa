"""The laws, for sections that anybody may declare: random fields, lines, verbs, ladders and data."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hud_components import Hud, HudValue, Line, ValueSection, as_shown, parse
from tests.hud_components.declarations import Declared, domains, sections
from tests.hud_components.strategies import DENSITIES
from ujsx import Density, RenderContext, render, render_document
from ujsx.testing import assert_inert

BOUNDED = settings(max_examples=4 * settings.default.max_examples // 5)

pytestmark = pytest.mark.filterwarnings("ignore::hud_components.declaring.LayoutWarning")


class TestWhatIsShownCanBeReadBack:
    @BOUNDED
    @given(st.data(), sections(), DENSITIES, st.booleans())
    def test_of_one_section(
        self, data: st.DataObject, declared: Declared, density: Density, show_ids: bool
    ) -> None:
        props = {"show_ids": True} if show_ids and declared.section.kind else {}
        node = declared.filled(data.draw(declared.values), **props)
        text = render(node, density=density)
        meant = node.as_shown(density)
        read = parse(text, vocabulary=(declared.section,))
        assert read.children == (() if meant is None else (meant,)), text
        # A text in fewer words says nothing of the budget that made it so: it is written again on
        # the rung that it stood on.
        [stood] = render_document(node, density=density).sections
        at = density if stood.rung is None else stood.rung.density
        assert render(read.children, density=at) == text

    @BOUNDED
    @given(st.data(), domains(), DENSITIES)
    def test_of_a_hud_of_several(self, data: st.DataObject, domain: Any, density: Density) -> None:
        own, declared = domain
        state = data.draw(states(own, declared))
        node = Hud.of(state)
        text = render(node, density=density)
        read = parse(text, vocabulary=own.sections)
        assert read == as_shown(node, density=density), text
        if not any(each.capped_at for each in render_document(node, density=density).sections):
            assert render(read, density=density) == text


class Wish(HudValue):
    """A value."""

    what: Line


class FirstWish(ValueSection[Wish]):
    """One."""

    name = "first_wish"
    lines = {"full": "{what}", "compact": "**First:** **{what}**"}  # noqa: RUF012


class SecondWish(ValueSection[Wish]):
    """Another."""

    name = "second_wish"
    lines = {"full": "{what}", "compact": "**Second:** {what}"}  # noqa: RUF012


def test_values_that_share_a_line_are_read_back() -> None:
    texts = ("Ship", "it · today", "**Second:** x · *3 notes*")
    for first, second in permutations(texts, 2):
        node = Hud()[
            FirstWish(first_wish=Wish(what=first)), SecondWish(second_wish=Wish(what=second))
        ]
        text = render(node, density="minimal")
        assert text.count("\n") == 1
        read = parse(text, vocabulary=(FirstWish, SecondWish))
        assert read == as_shown(node, density="minimal"), text


class TestTextIsInert:
    @BOUNDED
    @given(st.data(), sections(), DENSITIES)
    def test_in_every_hole(self, data: st.DataObject, declared: Declared, density: Density) -> None:
        node = declared.filled(data.draw(declared.values))
        assert_inert(node, RenderContext(density=density))


class TestBudgetsHold:
    @BOUNDED
    @given(st.data(), domains(), st.lists(st.integers(0, 600), min_size=2, max_size=5).map(sorted))
    def test_and_more_budget_never_shows_less(
        self, data: st.DataObject, domain: Any, budgets: list[int]
    ) -> None:
        own, declared = domain
        node = Hud.of(data.draw(states(own, declared)))
        before: dict[str, tuple[float, ...]] = {}
        for budget in budgets:
            rendered = render_document(node, budget=budget)
            assert rendered.over_budget or rendered.budgeted <= budget
            left_out = {each.section: each.count for each in rendered.omitted}
            places = {each.name: _place(each.rung) for each in rendered.sections}
            assert all(place >= before.get(name, ()) for name, place in places.items()), left_out
            before = places

    @BOUNDED
    @given(st.data(), domains(), DENSITIES, st.none() | st.integers(0, 600))
    def test_and_no_section_takes_more_than_its_own(
        self, data: st.DataObject, domain: Any, density: Density, budget: int | None
    ) -> None:
        own, declared = domain
        node = Hud.of(data.draw(states(own, declared)))
        rendered = render_document(node, density=density, budget=budget)
        least = render_document(node, density=density, budget=0).sections
        for each, lowest in zip(rendered.sections, least, strict=True):
            most = type_of(own, each.name).disclosure.budget
            assert most is None or each.tokens <= most or each.rung == lowest.rung


def type_of(domain: Any, name: str) -> Any:
    return next(each for each in domain.sections if each.__name__ == name)


def _place(rung: Any) -> tuple[float, ...]:
    """How much a rung shows; between two rungs of a ladder there are others."""
    if rung is None:
        return ()
    given = (rung.limit, rung.detailed_items, rung.width)
    most = (math.inf if each is None else each for each in given)
    return rung.density.rank, *most, (rung.inner_density or rung.density).rank


@st.composite
def states(draw: st.DrawFn, domain: Any, declared: tuple[Declared, ...]) -> Any:
    """A state of a generated domain."""
    given = {
        each.section.field: draw(each.values if each.section.kind else st.none() | each.values)
        for each in declared
    }
    return domain.state(**given)
