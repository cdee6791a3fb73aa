"""The laws of all sections, for a coding session with memory: generated states, hostile texts."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import Hud, as_shown, parse
from hud_components.memory import CODING_MEMORY, AgentMemory
from tests.hud_components.memory.strategies import STATES, items
from tests.hud_components.strategies import DENSITIES
from ujsx import Density, RenderContext, render, render_document
from ujsx.testing import assert_inert

pytestmark = pytest.mark.filterwarnings("ignore::hud_components.declaring.LayoutWarning")


@given(STATES, DENSITIES)
def test_what_is_shown_can_be_read_back(state: Any, density: Density) -> None:
    node = Hud.of(state)
    text = render(node, density=density)
    read = parse(text, vocabulary=CODING_MEMORY.sections)
    assert read == as_shown(node, density=density), text
    if not any(each.capped_at for each in render_document(node, density=density).sections):
        assert render(read, density=density) == text


@given(STATES, DENSITIES)
def test_text_is_inert(state: Any, density: Density) -> None:
    assert_inert(Hud.of(state), RenderContext(density=density), densities=(density,))


@given(STATES, st.lists(st.integers(0, 2_000), min_size=2, max_size=5).map(sorted))
def test_a_larger_budget_never_shows_less(state: Any, budgets: list[int]) -> None:
    node = Hud.of(state)
    before: dict[str, tuple[float, ...]] = {}
    shown: set[str] = set()
    for budget in budgets:
        rendered = render_document(node, budget=budget)
        assert rendered.over_budget or rendered.tokens <= budget
        places = {each.name: _place(each.rung) for each in rendered.sections}
        assert all(place >= before.get(name, ()) for name, place in places.items())
        hidden = {name for each in rendered.omitted for name in each.ids}
        now = {each.id for each in state.working_memory} - hidden
        if places.get("AgentMemory"):
            assert shown <= now
            shown = now
        before = places


@given(STATES, DENSITIES, st.none() | st.integers(0, 600))
def test_nothing_that_is_hidden_is_unaccounted(
    state: Any, density: Density, budget: int | None
) -> None:
    rendered = render_document(Hud.of(state), density=density, budget=budget)
    accounts = [each for each in rendered.omitted if each.section == "AgentMemory"]
    left_out = {name for each in accounts for name in each.ids}
    read = parse(rendered.text, vocabulary=CODING_MEMORY.sections)
    listed = [each for each in read.children if isinstance(each, AgentMemory)]
    shown = sum(len(each.working_memory or ()) for each in listed)
    rung = next((each.rung for each in rendered.sections if each.name == "AgentMemory"), None)
    if rung is not None and state.working_memory and listed:
        assert shown + listed[0].unlisted == len(state.working_memory)
        assert len(left_out) >= listed[0].unlisted


@given(items(), st.integers(0, 20), st.integers(0, 20))
def test_more_room_shows_what_less_room_showed(given_items: Any, one: int, other: int) -> None:
    section = AgentMemory(working_memory=given_items)
    few, many = sorted((one, other))
    less, hidden, _ = section.split(given_items, few)
    more, _, _ = section.split(given_items, many)
    assert {each.id for each in less} <= {each.id for each in more}
    assert {each.id for each in less} | {each.id for each in hidden} == {
        each.id for each in given_items
    }


def _place(rung: Any) -> tuple[float, ...]:
    """How much a rung shows; between two rungs of a ladder there are others."""
    if rung is None:
        return ()
    given = (rung.limit, rung.detailed_items, rung.width)
    most = (math.inf if each is None else each for each in given)
    return rung.density.rank, *most, (rung.inner_density or rung.density).rank
