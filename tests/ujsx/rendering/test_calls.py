"""Calls of an author's ``render`` within a budget: counted, whatever the tree, the budget and the rungs."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.ids import looped
from ujsx import (
    Child,
    Children,
    Component,
    Density,
    Disclosure,
    ForEach,
    RenderContext,
    Rung,
    elided,
    render_document,
)
from ujsx.elements import Item, List, Omitted, Paragraph, Section

LIMITS = Disclosure((Rung(Density.MINIMAL, 1), Rung(Density.COMPACT, 3), Rung(Density.FULL)))

called: Counter[str] = Counter()
"""How often each component was rendered, by its name."""

READS: dict[str, Callable[[RenderContext], int]] = {
    "nothing": lambda ctx: 1,
    "the density": lambda ctx: ctx.density.rank,
    "a text": lambda ctx: len(ctx.texts.get("title", "title")),
    "the sections around": lambda ctx: ctx.deeper().depth,
    "a bound value": lambda ctx: ctx.get(int) or 0,
}
"""Ways to read a context that differ with the density at most, and say more with more of it."""

MOST = 9

MORE_READS: dict[str, Callable[[RenderContext], int]] = {
    **READS,
    "the limit": lambda ctx: MOST if ctx.limit is None else ctx.limit,
    "the limit of a copy": lambda ctx: min(copy(ctx).limit or MOST, MOST),
    "the limit in full": lambda ctx: ctx.limit or MOST if ctx.density is Density.FULL else 1,
    "the width": lambda ctx: (ctx.width or 800) // 80,
    "the width in full": lambda ctx: (ctx.in_full().width or 800) // 80,
    "the width where that is given": lambda ctx: (
        (replace(ctx, density=Density.MINIMAL).width or 800) // 80
    ),
    "whether it is equal to another": lambda ctx: 2 + (ctx != RenderContext(Density.COMPACT, 3)),
    "whether another is equal to it": lambda ctx: 2 + (RenderContext(Density.FULL) == ctx),
    "all of it, as text": lambda ctx: len(f"{ctx!r}") % 7,
}


class Reading(Component):
    """Words, of which there are as many as what it reads of its context says.

    With ``late``, it is read when its row is asked for.
    """

    name: str
    reads: str
    words: int
    late: bool = False

    def render(self, ctx: RenderContext, children: Children) -> Child:
        called[self.name] += 1

        def row(_: int) -> Child:
            return Paragraph()["word " * (MORE_READS[self.reads](ctx) * self.words + 1)]

        return [ForEach(rows=(1,), each=row) if self.late else row(1), children]


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


Made = tuple[type[Reading], str, int, bool, list[Any]]
"""A component's class, what it reads, how many words it has, whether it reads late, and its children."""


def trees_of(reads: Iterable[str]) -> st.SearchStrategy[list[Any]]:
    """Trees of components that read some of these."""

    def holding(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Made]:
        kinds = st.sampled_from([OnLimits, OnDensities, Reading, Providing])
        words = st.integers(1, 20)
        children = st.lists(inner, max_size=2)
        return st.tuples(kinds, st.sampled_from([*reads]), words, st.booleans(), children)

    return st.lists(holding(st.recursive(st.just("text"), holding)), min_size=1, max_size=3)


def tree_of(made: Any, names: count[int]) -> Child:
    """The tree, with a name of its own for each component."""
    if isinstance(made, str):
        return Paragraph()[made]
    if isinstance(made, list):
        return [tree_of(each, names) for each in made]
    kind, reads, words, late, children = made
    node: Reading = kind(name=str(next(names)), reads=reads, words=words, late=late)
    return node[tree_of(children, names)]


def part_of(tree: Child, per_cent: int) -> int:
    """A budget that has room for a part of a tree."""
    return render_document(tree).tokens * per_cent // 100


@given(made=trees_of(READS), budget=st.integers(0, 99), before=st.none() | st.integers(0, 99))
def test_a_component_is_called_at_most_once_for_each_density(
    made: Any, budget: int, before: int | None
) -> None:
    tree = tree_of(made, count())
    tokens = part_of(tree, budget)
    previous = None if before is None else render_document(tree, budget=part_of(tree, before))
    called.clear()
    assert render_document(tree, budget=tokens, previous=previous).omitted is not None
    assert max(called.values(), default=0) <= len(Density), called


@given(made=trees_of(MORE_READS), budget=st.integers(0, 99))
def test_one_that_is_not_called_again_would_say_the_same(made: Any, budget: int) -> None:
    tree = tree_of(made, count())
    tokens = part_of(tree, budget)
    rendered = render_document(tree, budget=tokens)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("ujsx.components._context.ContextRecord.holds_in", lambda *_: False)
        anew = render_document(tree, budget=tokens)
    assert rendered == anew
    assert rendered.omitted == anew.omitted


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


class AboveTen(Listing):
    """The same, with more than ten items if only a budget has room for them."""

    disclosure = Disclosure(
        (
            Rung(Density.COMPACT, 3),
            Rung(Density.FULL, 10),
            Rung(Density.FULL, only_if_room=True),
        )
    )


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
    ("kind", "most"),
    [(Listing, 3 + 2), (FirstAndNewest, 3 + 3), (AboveTen, 3 + 3), (Newest, 3 + 3)],
)
@looped("seed", range(12))
def test_a_list_is_called_for_its_rungs_and_next_to_the_last_limit_that_fits(
    kind: type[Listing], most: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = random.Random(seed)
    tree = kind(items=tuple(prose(source, source.choice([12, 40, 400]))))
    budget = source.randint(40, render_document(Listing(items=tree.items)).tokens)
    called.clear()
    rendered = render_document(tree, budget=budget)
    assert called["list"] <= most
    with monkeypatch.context() as patched:
        patched.setattr("ujsx.rendering._budget.Forecast.of", lambda *_: [])
        assert rendered == render_document(tree, budget=budget)  # as found by halving
