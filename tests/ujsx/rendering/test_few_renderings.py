"""How often a budget renders a component: counts, never times.

Mostly twice or three times: its highest rung, the one that is shown, and the next one. Where a budget ends inside of a
step, guesses lead to the place. They are no proof where texts are cut to a width, or items stand in detail one after the
other: there a search may take as many renderings as halving does.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from hud_components import Hud, HudState, Note
from tests.benchmarks.budget_laws import generated_own, generated_state
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
from ujsx.elements import Item, List, Omitted, Section
from ujsx.rendering import _pieces

WORDS = ("the", "ledger", "worker", "retries", "before", "it", "parks", "an", "event", "again")


class Names(Component):
    """What a user writes: a list that is cut, and says so."""

    disclosure = Disclosure(
        (Rung(Density.MINIMAL, 1), Rung(Density.COMPACT, 3), Rung(Density.FULL))
    )
    names: tuple[str, ...]

    def render(self, ctx: RenderContext, children: Children) -> Child:
        shown = self.names[: ctx.limit]
        left = len(self.names) - len(shown)
        mark = left > 0 and Omitted(count=left, handle="names()")
        return Section(title="Names")[List()[(Item()[name] for name in shown), mark]]


def _texts(source: random.Random, count: int) -> tuple[str, ...]:
    return tuple(" ".join(source.choices(WORDS, k=source.randint(2, 12))) for _ in range(count))


def _own_component(source: random.Random) -> Child:
    return Names(names=_texts(source, source.randint(20, 200)))


def _coding(source: random.Random) -> Child:
    return Hud.of(generated_state(source))


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Counter[int]:
    """How often each component with a ladder was rendered, by its ``id``."""
    expand = _pieces.expand
    found: Counter[int] = Counter()
    alive: list[Component] = []  # so that each id stays its own

    def counted(element: Element, context: RenderContext) -> Any:
        found[id(element.component)] += 1
        alive.append(element.component)
        return expand(element, context)

    monkeypatch.setattr(_pieces, "expand", counted)
    return found


@pytest.mark.parametrize(
    ("generated", "mean", "most"),
    [
        pytest.param(_own_component, 3.2, 4, id="a component of one's own"),
        pytest.param(generated_own, 3.7, 13, id="sections of one's own"),
        pytest.param(_coding, 2.6, 7, id="the coding HUD"),
    ],
)
def test_a_budget_renders_a_component_few_times(
    generated: Callable[[random.Random], Child], mean: float, most: int, counts: Counter[int]
) -> None:
    found: Counter[int] = Counter()
    for seed in range(4):
        source = random.Random(seed)
        # A new tree for each budget, as nothing is to be known of it.
        enough = render_document(generated(random.Random(seed)), budget=10**6).tokens
        for _ in range(5):
            counts.clear()
            render_document(generated(random.Random(seed)), budget=source.randint(0, enough))
            found.update(counts.values())
    assert max(found) <= most
    assert sum(each * times for each, times in found.items()) <= mean * found.total()


@pytest.mark.parametrize(
    ("budget", "most"), [(100, 6), (500, 4), (1_000, 4), (5_000, 4), (10_000, 4)]
)
def test_a_budget_renders_many_items_few_times(
    budget: int, most: int, counts: Counter[int]
) -> None:
    source = random.Random(1)
    notes = tuple(
        Note(id=f"n-{n}", content=f"{n} {text}") for n, text in enumerate(_texts(source, 1_000))
    )
    render_document(Hud.of(HudState(notes=notes)), budget=budget)
    assert max(counts.values()) <= most
