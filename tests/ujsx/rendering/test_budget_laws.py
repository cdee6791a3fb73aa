"""The laws of budgets on generated HUDs, and how far from the best they are: ``make budgets``, small."""

from __future__ import annotations

import random
import statistics
from itertools import product
from typing import Any
from zlib import crc32

import pytest

from tests.benchmarks.budget_laws import HUDS, best_values, check, value_within, worth
from tests.ids import looped
from tests.ujsx.rendering.priced import counting, priced
from ujsx import RenderContext, estimate_tokens


@pytest.mark.parametrize("seed", range(5))
def test_the_laws_hold(seed: int) -> None:
    for generated in HUDS.values():
        source = random.Random(seed)
        check(generated(source), source)


def unevenly(text: str) -> int:
    """Count a text without regard to its parts: more words may count less, and the whole more than its parts."""
    return estimate_tokens(text) + crc32(text.encode()) % 8


@pytest.mark.parametrize("seed", [0, 12, 37])
def test_the_laws_hold_whatever_a_counter_finds(seed: int) -> None:
    for generated in HUDS.values():
        source = random.Random(seed)
        check(generated(source), source, 40, context=RenderContext(count_tokens=unevenly))


@pytest.mark.parametrize("name", HUDS)
def test_what_is_left_over_is_spent(name: str) -> None:
    """Where something is left out, what stays is less than the next item, or than its next word."""
    source, unspent = random.Random(7), list[float]()
    for _ in range(6):
        check(HUDS[name](source), source, 8, unspent)
    assert statistics.mean(unspent) < 0.1


class TestBest:
    """The knapsack that the plan is measured by, against every mixture of rungs."""

    def plan(self, source: random.Random) -> Any:
        return counting().plan(
            [
                priced(*sorted(source.sample(range(1, 30), 3)), weight=source.choice([0.5, 1, 3]))
                for _ in range(4)
            ]
        )

    @looped("seed", range(5))
    def test_is_that_of_all_mixtures(self, seed: int) -> None:
        plan = self.plan(random.Random(seed))
        found = best_values(plan, 60)
        tried = [0.0] * 61
        for mixture in product(*(ladder.useful for ladder in plan.ladders)):
            tokens = sum(alternative.tokens for alternative in mixture)
            value = sum(
                ladder.disclosure.weight * worth(alternative.rung, ladder.disclosure)
                for ladder, alternative in zip(plan.ladders, mixture, strict=True)
            )
            for left in range(tokens, 61):
                tried[left] = max(tried[left], value)
        assert found == pytest.approx(tried)
        assert all(value_within(plan, left) <= best + 1e-9 for left, best in enumerate(found))
