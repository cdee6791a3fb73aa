"""The laws, for every component alone and for trees of them, whatever their data say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import Hud, HudState
from tests.hud_components.cases import EMPTY, LONG, NOW, TYPICAL, every_text, sections
from tests.hud_components.strategies import DENSITIES, STATES, trees
from tests.ids import looped
from ujsx import (
    Component,
    Density,
    Node,
    RenderContext,
    Renderer,
    Rung,
    mdast,
    render_document,
    to_mdast,
)
from ujsx.components import PLAIN
from ujsx.testing import assert_inert

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.filterwarnings("ignore::hud_components.declaring.LayoutWarning")

names = st.sampled_from(list(sections(EMPTY)))

TEXT_FIELDS = ("description", "summary", "details", "label", "path", "content", "message")

DEARER = {
    "Hints",  # at minimal it has the call that shows what all other sections leave out
}
"""Components whose lowest density may cost a little more than the next. A budget then skips it."""


def marked(state: HudState) -> HudState:
    """The state with a mark of its own at the beginning of each item's texts."""
    marks = (f"q{n}q" for n in range(10_000))

    def with_mark(item: Any) -> Any:
        mark = next(marks)
        told = {name: getattr(item, name, None) for name in TEXT_FIELDS}
        return item.model_copy(
            update={name: f"{mark} {text}" for name, text in told.items() if text}
        )

    update: dict[str, Any] = {
        name: tuple(map(with_mark, items))
        for name, items in state
        if name != "readings" and isinstance(items, tuple)
    }
    if state.task is not None:
        update["task"] = with_mark(state.task)
    return state.model_copy(update=update)


def facts(text: str) -> set[str]:
    """The marks of the items that a rendering shows."""
    return set(re.findall(r"q\d+q", text))


def on_rung(node: Component, rung: Rung) -> str:
    """The Markdown of a component on one rung of its ladder."""
    tree = mdast.normalize(to_mdast(node, RenderContext().with_rung(rung)))
    return mdast.to_markdown(tree)


def ladders(state: HudState) -> list[tuple[str, Component]]:
    """The components that have a ladder, with that state's data."""
    return [
        (name, node)
        for name, node in sections(state).items()
        if isinstance(node, Component) and node.disclosed() is not PLAIN
    ]


class TestTextIsInert:
    @given(names, STATES, DENSITIES)
    def test_in_every_component(self, name: str, state: HudState, density: Density) -> None:
        assert_inert(sections(state)[name], RenderContext(density=density))

    @given(trees(), DENSITIES)
    def test_in_trees_of_them(self, tree: Node, density: Density) -> None:
        assert_inert(tree, RenderContext(density=density).with_value(TYPICAL))

    @given(trees(), DENSITIES)
    def test_what_is_written_is_read_back_as_what_was_meant(
        self, tree: Node, density: Density
    ) -> None:
        context = RenderContext(density=density).with_value(TYPICAL)
        written = render_document(tree, density=density, context=context).text
        meant = mdast.normalize(to_mdast(tree, context))
        assert mdast.normalize(mdast.from_markdown(written)) == meant


class TestSmallerIsSmaller:
    @given(STATES)
    def test_a_lower_rung_shows_nothing_that_a_higher_one_does_not(self, state: HudState) -> None:
        for name, node in ladders(marked(state)):
            shown: set[str] = set()
            for rung in (each.rung for each in Renderer().plan(node).ladders[0].alternatives):
                if rung is None:
                    continue
                now = facts(on_rung(node, rung))
                assert shown <= now, f"{name} on {rung}"
                shown = now

    @given(STATES, st.lists(st.integers(0, 900), min_size=2, max_size=6).map(sorted))
    def test_more_budget_never_shows_less_nor_more_than_it_may(
        self, state: HudState, budgets: list[int]
    ) -> None:
        node = Hud.of(marked(state), now=NOW)
        before: set[str] = set()
        for budget in budgets:
            rendered = render_document(node, budget=budget)
            assert rendered.over_budget or rendered.budgeted <= budget
            now = facts(rendered.text)  # each item has a mark of its own, and lines may be shared
            assert before <= now
            before = now

    @looped("name", [name for name, _ in ladders(LONG) if name not in DEARER])
    def test_of_much_each_density_costs_no_more_than_the_next(self, name: str) -> None:
        node = sections(LONG)[name]
        costs = [render_document(node, density=density).tokens for density in Density]
        assert costs == sorted(costs)

    @looped("name", ["DecisionsList", "NotesSection", "ErrorsList", "NextSteps"])
    def test_of_much_each_density_costs_less_than_the_next(self, name: str) -> None:
        node = sections(LONG)[name]
        minimal, compact, full = (
            render_document(node, density=density).tokens for density in Density
        )
        assert minimal < compact < full


class TestSameInputSameBytes:
    @given(STATES, DENSITIES)
    def test_for_equal_states(self, state: HudState, density: Density) -> None:
        again = HudState.model_validate_json(state.model_dump_json())
        for name, node in sections(state).items():
            one = render_document(node, density=density).text
            assert one == render_document(sections(again)[name], density=density).text

    @given(trees(), trees(), DENSITIES)
    def test_whatever_was_rendered_before(self, one: Node, two: Node, density: Density) -> None:
        context = RenderContext().with_value(TYPICAL)
        kept = Renderer(context=context)
        for tree in (one, two, one):
            fresh = render_document(tree, density=density, context=context)
            assert kept.render(tree, density=density) == fresh

    def test_in_another_process_with_other_hashes_time_zone_and_locale(self) -> None:
        code = (
            "import sys; from tests.hud_components.cases import every_text\n"
            "sys.stdout.buffer.write(every_text().encode())\n"
        )
        world = {"PYTHONHASHSEED": "1", "TZ": "Pacific/Kiritimati", "LC_ALL": "C"}
        there = subprocess.check_output(
            [sys.executable, "-c", code], cwd=ROOT, env={**os.environ, **world}
        )
        assert there.decode() == every_text()
