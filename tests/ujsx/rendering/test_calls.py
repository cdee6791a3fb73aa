"""Calls of an author's ``render`` within a budget: counted, whatever the tree, the budget and the rungs."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ids import looped
from ujsx import (
    Child,
    Children,
    Component,
    Density,
    Disclosure,
    RenderContext,
    Rung,
    elided,
    render_document,
)
from ujsx.elements import Item, List, Omitted, Paragraph, Section
from ujsx.rendering._budget import Forecast

LIMITS = Disclosure((Rung(Density.MINIMAL, 1), Rung(Density.COMPACT, 3), Rung(Density.FULL)))

called: Counter[str] = Counter()
"""How often each component was rendered, by its name."""

READS: dict[str, Callable[[RenderContext], object]] = {
    "nothing": lambda ctx: None,
    "the density": lambda ctx: ctx.density,
    "a text": lambda ctx: ctx.texts.get("title"),
    "the sections around": lambda ctx: ctx.deeper().depth,
    "a bound value": lambda ctx: ctx.get(int),
}


class Reading(Component):
    """Words that depend on what it reads of its context."""

    name: str
    reads: str
    words: int

    def render(self, ctx: RenderContext, children: Children) -> Child:
        called[self.name] += 1
        return [Paragraph()[f"{READS[self.reads](ctx)} " + "word " * self.words], children]


class OnDensities(Reading):
    """The same, with a rung for each density."""

    disclosure = Disclosure()


class OnLimits(Reading):
    """The same, with rungs between which there are others, by the number of items."""

    disclosure = LIMITS


class Providing(Reading):
    """The same, with a value for its children."""

    def provide(self, ctx: RenderContext) -> RenderContext:
        return ctx.with_value(self.words)


Made = tuple[type[Reading], str, int, list[Any]]
"""A component's class, what it reads, how many words it has, and its children."""

TREES: st.SearchStrategy[Any] = st.recursive(
    st.just("text"),
    lambda inner: st.tuples(
        st.sampled_from([Reading, OnDensities, OnLimits, Providing]),
        st.sampled_from([*READS]),
        st.integers(0, 40),
        st.lists(inner, max_size=3),
    ),
    max_leaves=12,
)


def tree_of(made: Any, names: count[int]) -> Child:
    """The tree, with a name of its own for each component."""
    if isinstance(made, str):
        return Paragraph()[made]
    made_of: Made = made
    kind, reads, words, children = made_of
    node = kind(name=str(next(names)), reads=reads, words=words)
    return node[[tree_of(child, names) for child in children]]


@given(made=TREES, budget=st.integers(0, 300), before=st.none() | st.integers(0, 300))
def test_a_component_is_called_at_most_once_for_each_density(
    made: Any, budget: int, before: int | None
) -> None:
    tree = tree_of(made, count())
    previous = None if before is None else render_document(tree, budget=before)
    called.clear()
    assert render_document(tree, budget=budget, previous=previous).omitted is not None
    assert max(called.values(), default=0) <= len(Density), called


class Listing(Component):
    """Items, of which a limit leaves some out."""

    disclosure = LIMITS
    items: tuple[str, ...]

    def render(self, ctx: RenderContext, children: Children) -> Child:
        called["list"] += 1
        gap = self.left_out(len(self.items), ctx.limit)
        rows: list[Child] = [
            Item()[each] for place, each in enumerate(self.items) if place not in gap
        ]
        if gap:
            rows.insert(gap.start, Omitted(count=len(gap), handle="list"))
        return Section(title="Items")[List()[rows]]

    def left_out(self, total: int, limit: int | None) -> range:
        return range(total if limit is None else limit, total)


class FirstAndNewest(Listing):
    """The same, with the newest items beside the first."""

    def left_out(self, total: int, limit: int | None) -> range:
        return elided(total, limit)


class Newest(Listing):
    """The same, with the newest items alone."""

    def left_out(self, total: int, limit: int | None) -> range:
        return range(0 if limit is None else max(total - limit, 0))


PROSE = [
    "the",
    "ledger",
    "worker",
    "retries",
    "before",
    "it",
    "parks",
    "an",
    "event",
    "and",
    "`says`",
    "how",
    "to",
    "go",
    "*on*",
]


def prose(source: random.Random, items: int) -> Sequence[str]:
    """Items of different lengths."""
    return [
        f"{n} " + " ".join(source.choices(PROSE, k=source.randint(1, 12))) for n in range(items)
    ]


@pytest.mark.parametrize(
    ("kind", "most"), [(Listing, 3 + 3), (FirstAndNewest, 3 + 3), (Newest, 3 + 5)]
)
@looped("seed", range(12))
def test_a_list_is_called_for_its_rungs_and_next_to_the_last_limit_that_fits(
    kind: type[Listing], most: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = random.Random(seed)
    tree = kind(items=tuple(prose(source, source.choice([12, 40, 400]))))
    budget = source.randint(40, render_document(tree).tokens)
    called.clear()
    rendered = render_document(tree, budget=budget)
    assert called["list"] <= most
    with monkeypatch.context() as patched:
        patched.setattr(Forecast, "of", lambda *_: None)
        assert rendered == render_document(tree, budget=budget)  # as found by halving
