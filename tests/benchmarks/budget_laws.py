"""``make budgets``: the laws of budgets on many generated HUDs, and how far from the best they are.

For each HUD budgets from 0 to 2,000 are tried: those at which what is shown changes, one token less
than those, and some others. What must hold: never over the budget unless the least is; nothing is
raised; more budget never shows less; the same bytes twice, from a renderer that kept the last turn and
(at a fifth of the budgets) from a fresh one; there, too, never over with the rungs of another held. What is
printed beside that is the share of a budget that is not spent where something is left out, of the coding
HUD and of a HUD whose sections say nothing of ladders.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from time import perf_counter
from types import MappingProxyType
from typing import Any

from hud_components import (
    ActiveFile,
    Blocker,
    ContextUsage,
    Decision,
    ErrorRecord,
    Hud,
    HudItem,
    HudState,
    ItemsSection,
    Line,
    Note,
    Step,
    Task,
)
from tests.hud_components.cases import HOSTILE
from ujsx import Child, Disclosure, RenderContext, Renderer, Rung, render_document

MOST = 2_000
"""Tokens of the largest budget."""

WORDS = (
    *("the", "ledger", "worker", "retries", "before", "it", "parks", "an", "event", "and", "中文"),
    *("🎉", "runbook", "says", "how", "to", "release", "`it`", "**again**", "src/auth/jwt.ts"),
    *("100/min", "JWT_SECRET", "refresh-token", "rotation"),
)


def _text(source: random.Random, most: int) -> str:
    if source.random() < 0.05:
        return source.choice(HOSTILE)
    return " ".join(source.choices(WORDS, k=source.randint(1, most)))


def _count(source: random.Random, most: int) -> range:
    kind = source.random()
    return range(0 if kind < 0.15 else source.randint(1, most if kind < 0.9 else 4 * most))


def generated_state(source: random.Random) -> HudState:
    """Return a state: mostly some of everything, at times nothing, very much, or hostile text."""
    text, count = partial(_text, source), partial(_count, source)
    return HudState(
        task=Task(description=text(40)) if source.random() < 0.9 else None,
        decisions=tuple(
            Decision(
                id=f"d-{n}",
                summary=text(12),
                details=text(20) if source.random() < 0.7 else "",
                label=text(3) if source.random() < 0.3 else None,
            )
            for n in count(14)
        ),
        notes=tuple(Note(id=f"n-{n}", content=text(30)) for n in count(25)),
        next_steps=tuple(
            Step(id=f"s-{n}", description=text(12), completed=source.random() < 0.4, order=n)
            for n in count(12)
        ),
        active_files=tuple(
            ActiveFile(path=text(1), last_accessed=source.randint(0, 9)) for _ in count(16)
        ),
        blockers=tuple(Blocker(id=f"b-{n}", description=text(10)) for n in count(2)),
        errors=tuple(ErrorRecord(id=f"e-{n}", message=text(25)) for n in count(5)),
        usage=ContextUsage(used=source.randint(0, 200_000)) if source.random() < 0.8 else None,
    )


class Finding(HudItem):
    """What somebody found out."""

    what: Line
    source: Line = ""
    why: Line = ""


class Findings(ItemsSection[Finding]):
    """An item has much to say in full."""

    name = "findings"
    noun = "finding|findings"
    lines = {"full": ("**{what}** (*{source}*) — {why}", "**{what}**"), "compact": "{what}"}  # noqa: RUF012

    findings: tuple[Finding, ...] | None = None


class Contact(HudItem):
    """Who is asked about what."""

    who: Line
    about: Line = ""


class Contacts(ItemsSection[Contact]):
    """An item has little to say, and as much in short."""

    name = "contacts"
    noun = "contact|contacts"
    lines = {"full": ("{who} — **{about}**", "{who}")}  # noqa: RUF012

    contacts: tuple[Contact, ...] | None = None


def generated_own(source: random.Random) -> Child:
    """Return a HUD of sections with the ladder that lists have which say nothing else."""
    text, count = partial(_text, source), partial(_count, source)
    return Hud()[
        Findings(
            findings=tuple(
                Finding(id=f"f-{n}", what=text(8), source=text(3), why=text(30)) for n in count(12)
            )
        ),
        Contacts(
            contacts=tuple(Contact(id=f"c-{n}", who=text(3), about=text(8)) for n in count(8))
        ),
    ]


HUDS: Mapping[str, Callable[[random.Random], Child]] = MappingProxyType(
    {
        "the coding HUD": lambda source: Hud.of(generated_state(source)),
        "sections of one's own": generated_own,
    }
)
"""What is measured, by its name."""


def budgets_of(plan: Any, source: random.Random, size: int) -> list[int]:
    """Return some of the budgets at which what is shown changes, those before them, and others."""
    turning, spent = [plan.floor], plan.floor
    for step in plan.steps:
        spent += step.tokens
        turning.append(spent)
    near = [each - less for each in turning if each <= MOST for less in (0, 1)]
    chosen = source.sample(near, min(size // 2, len(near)))
    others = [source.randint(0, MOST) for _ in range(size - len(chosen) - 2)]
    return sorted({0, MOST, *chosen, *others})


def check(
    node: Child,
    source: random.Random,
    size: int = 12,
    unspent: list[float] | None = None,
    context: RenderContext | None = None,
) -> Any:
    """Assert the laws for a HUD; return its ladders.

    :param unspent: takes the share of each budget that is not spent where something is left out.
    :raises AssertionError: with the budget at which a law does not hold.
    """
    kept = Renderer(context=context)
    plan = Renderer(context=context).plan(node)
    rendering = partial(render_document, node, context=context)
    floor = rendering(budget=0)
    before: list[tuple[float, ...]] = []
    previous = rendering(budget=source.randint(0, MOST))
    for budget in budgets_of(plan, source, size):
        rendered = kept.render(node, budget=budget)
        if source.random() < 0.2:
            fresh = rendering(budget=budget)
            assert rendered.text == fresh.text, f"other bytes at {budget}"
            held = rendering(budget=budget, previous=previous)
            within = held.tokens <= budget or held.text == floor.text
            assert within, f"{held.tokens} tokens at {budget}, with rungs held"
        if rendered.over_budget:
            assert rendered.text == floor.text, f"over {budget}, and not the least"
        else:
            assert rendered.tokens <= budget, f"{rendered.tokens} tokens at {budget}"
        if unspent is not None and rendered.omitted and not rendered.over_budget:
            unspent.append(1 - rendered.tokens / budget)
        heights = [_height(each.rung) for each in rendered.sections]
        shrunk = [now < then for then, now in zip(before, heights, strict=bool(before))]
        assert not any(shrunk), f"a section shows less at {budget} than with less"
        before = heights
    return plan


def _height(rung: Rung | None) -> tuple[float, ...]:
    """How much a rung shows: of two, the one with the greater height shows no less."""
    if rung is None:
        return (-1.0,)
    most = float("inf")
    return (
        rung.density.rank,
        most if rung.limit is None else rung.limit,
        most if rung.detailed_items is None else rung.detailed_items,
        most if rung.width is None else rung.width,
    )


def worth(rung: Rung | None, disclosure: Disclosure) -> float:
    """Return the value of a rung of a ladder: each one adds half as much as the one below it."""
    place = -1 if rung is None else disclosure.place_of(rung)
    assert place is not None, rung
    return 1 - 0.5 ** (place + 1)


def best_values(plan: Any, most: int = MOST) -> list[float]:
    """Return the best value of rungs for every budget above the floor, by exact knapsack."""
    best = [0.0] * (most + 1)
    for ladder in plan.ladders:
        alternatives: list[tuple[int, float]] = [
            (
                each.tokens - ladder.useful[0].tokens,
                ladder.disclosure.weight * worth(each.rung, ladder.disclosure),
            )
            for each in ladder.useful
        ]
        best = [
            max(best[left - tokens] + value for tokens, value in alternatives if tokens <= left)
            for left in range(most + 1)
        ]
    return best


def value_within(plan: Any, left: int) -> float:
    """Return the value of the rungs that the plan reaches with tokens above the floor."""
    rungs = plan.reached(plan.within(plan.floor + left).steps)
    values: list[float] = [
        ladder.disclosure.weight * worth(rung, ladder.disclosure)
        for rung, ladder in zip(rungs, plan.ladders, strict=True)
    ]
    return sum(values)


def shares_of_best(plan: Any, lefts: Sequence[int]) -> Iterator[float]:
    """Yield the share of the best value that the plan reaches."""
    best = best_values(plan, max(lefts))
    for left in lefts:
        yield value_within(plan, left) / best[left] if best[left] else 1.0


def checked(seed: int, number: int) -> dict[str, list[float]]:
    """Check one generated HUD of each kind; return the unspent shares.

    :raises AssertionError: with the HUD's number, which ``--first`` begins with to see it again.
    """
    unspent: dict[str, list[float]] = {}
    for name, generated in HUDS.items():
        source = random.Random(f"{seed}-{number}")
        unspent[name] = []
        try:
            check(generated(source), source, unspent=unspent[name])
        except AssertionError as error:
            raise AssertionError(f"{name}, {number} of seed {seed}: {error}") from error
    return unspent


def main() -> None:
    """Check, measure and print."""
    parser = argparse.ArgumentParser(description="The laws of budgets on generated HUDs.")
    parser.add_argument("count", type=int, nargs="?", default=10_000, help="how many HUDs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first HUD")
    options = parser.parse_args()
    numbers = range(options.first, options.first + options.count)
    unspent: dict[str, list[float]] = {name: [] for name in HUDS}
    start = perf_counter()
    with ProcessPoolExecutor() as processes:
        done = processes.map(partial(checked, options.seed), numbers, chunksize=10)
        for tried, shares in enumerate(done, 1):
            for name, each in shares.items():
                unspent[name] += each
            if tried % 500 == 0:
                print(
                    f"{tried:,} HUDs, {perf_counter() - start:.0f} s", file=sys.stderr, flush=True
                )
    print(
        f"{len(numbers):,} HUDs from {options.first}, seed {options.seed}: every law holds, 0 falls;"
        f" {perf_counter() - start:.0f} s"
    )
    for name, left in unspent.items():
        quantiles = statistics.quantiles(left, n=20)
        print(
            f"unspent where something is left out, {name}, {len(left):,} budgets: mean"
            f" {statistics.mean(left):.1%}, median {statistics.median(left):.1%}, 95th percentile"
            f" {quantiles[-1]:.1%}"
        )


if __name__ == "__main__":
    main()
