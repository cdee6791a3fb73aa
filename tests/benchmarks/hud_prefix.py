"""The HUD's own text from turn to turn: what of it stays a prefix, what breaks it, and how much could stay.

The sessions are those of the delivery run, made up at random, over 60 and over 200 turns; that of ``ujsx demo``; and
recorded ones where there are some. Each is shown at every turn as ``session.hud()`` shows it. Beside what is kept
stands what could be, with the same sections and the same words:

- *rungs held*: each rendering knows the one before (``previous=``);
- *best order*: the order of sections that keeps the most of this very session, found when it is over;
- *ends only*: besides, each section changes at its end alone;
- *new alone*: nothing that was there before is ever behind something new.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from hud_components import Hud, HudState, room_for
from hud_runtime import HudStore
from tests.benchmarks.delivery import SEED, edits, happen
from tests.benchmarks.foresight.__main__ import recorded, stories
from tests.benchmarks.foresight._score import heard_at
from ujsx import Rendered, Renderer, compare
from ujsx.testing import prefix_kept

TURNS = (60, 200)
SEEDS = (SEED, SEED + 1, SEED + 2)


def made_up(turns: int, seed: int) -> Iterator[HudState]:
    """Yield the states of a session that is made up, turn by turn."""
    source = random.Random(seed + 1)
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        session = store.session("s")
        for drafts in edits(turns, seed):
            happen(session, drafts, source)
            yield session.known


def played(states: Iterable[HudState], *, holds: bool = False) -> list[Rendered]:
    """Return the HUD of each state, as a session shows it."""
    renderer, made = Renderer(), list[Rendered]()
    for state in states:
        room = room_for(state.usage)
        previous = made[-1] if holds and made else None
        rendered = renderer.render(
            Hud.of(state), density=room.density, budget=room.budget, previous=previous
        )
        made.append(rendered)
    return made


class Kept(NamedTuple):
    """What a section has of the turn before, in bytes."""

    is_same: bool
    size: int
    begun: int
    """What it begins with that it began with before."""

    lines: int
    """What it has of lines that it had before, wherever they stand."""


Step = dict[str, Kept]
"""Of each section of a turn, by its name, in the order in which they stand."""


def steps_of(huds: Sequence[Rendered]) -> list[Step]:
    """Return what each section has of the turn before, turn by turn."""
    texts = [{node.name: node.text for node in each.nodes if node.text} for each in huds]
    return [
        {name: _kept(before.get(name, ""), text) for name, text in now.items()}
        for before, now in pairwise(texts)
    ]


def _kept(before: str, now: str) -> Kept:
    known = {*before.splitlines(keepends=True)}
    lines = sum(_size(each) for each in now.splitlines(keepends=True) if each in known)
    return Kept(before == now, _size(now), _size(now[: _common(before, now)]), lines)


def _common(left: str, right: str) -> int:
    """How many characters both begin with."""
    pairs = zip(left, right, strict=False)
    shorter = min(len(left), len(right))
    return next((place for place, (one, other) in enumerate(pairs) if one != other), shorter)


def _size(text: str) -> int:
    return len(text.encode())


def share(steps: Sequence[Step], order: Sequence[str], *, ends_only: bool = False) -> float:
    """Return the share of the bytes that are kept with the sections in some order."""
    kept = 0
    for step in steps:
        for name in order:
            found = step.get(name)
            if found is None:
                continue
            kept += max(found.begun, found.lines if ends_only else 0)
            if not found.is_same:
                break
    return kept / _all(steps)


def _all(steps: Sequence[Step]) -> int:
    return sum(each.size for step in steps for each in step.values()) or 1


def new_alone(steps: Sequence[Step]) -> float:
    """Return the share that were kept if only lines that are new were written anew."""
    kept = sum(max(each.begun, each.lines) for step in steps for each in step.values())
    return kept / _all(steps)


def best_order(order: Sequence[str], worth: Callable[[Sequence[str]], float]) -> list[str]:
    """Return an order that is worth the most: no section in another place is worth more."""
    best, most = [*order], worth(order)
    is_better = True
    while is_better:
        is_better = False
        for taken in range(len(best)):
            for place in range(len(best)):
                tried = [*best[:taken], *best[taken + 1 :]]
                tried.insert(place, best[taken])
                found = worth(tried)
                if found > most:
                    best, most, is_better = tried, found, True
    return best


class Measured(NamedTuple):
    """The shares of a session's bytes that are kept, and that could be."""

    as_it_is: float
    held: float
    best_order: float
    ends_only: float
    new_alone: float


def measured(states: Sequence[HudState]) -> Measured:
    """Measure a session."""
    huds = played(states)
    steps = steps_of(huds)
    order = list(dict.fromkeys(node.name for hud in huds for node in hud.nodes))

    def best(*, ends_only: bool) -> float:
        def worth(tried: Sequence[str]) -> float:
            return share(steps, tried, ends_only=ends_only)

        return worth(best_order(order, worth))

    return Measured(
        prefix_kept(huds),
        prefix_kept(played(states, holds=True)),
        best(ends_only=False),
        best(ends_only=True),
        new_alone(steps),
    )


def print_shares() -> None:
    """Print what is kept, and what could be."""
    title = "The HUD's text from turn to turn: bytes kept as a prefix, and what could be kept"
    print(title, "=" * len(title), sep="\n")
    names = ("kept", "rungs held", "best order", "ends only", "new alone")
    print(f"{'':38}" + "".join(f"{each:>12}" for each in names))
    for turns in TURNS:
        each = [measured([*made_up(turns, seed)]) for seed in SEEDS]
        means = [sum(column) / len(each) for column in zip(*each, strict=True)]
        _print_row(f"made up, {len(SEEDS)} of {turns} turns", means)
    for name, turns_of in stories(recorded()):
        states = [heard.state for heard in heard_at(turns_of)]
        _print_row(f"{name}, {len(states) - 1} turns", measured(states))
    print()


def _print_row(name: str, shares: Iterable[float]) -> None:
    print(f"{name:38}" + "".join(f"{each:>12.1%}" for each in shares))


def print_breaks() -> None:
    """Print what broke the prefix."""
    for turns in TURNS:
        broke, lost = Counter[str](), Counter[str]()
        for before, after in pairwise(played(made_up(turns, SEED))):
            found = compare(before, after)
            if found.broken is not None:
                broke[found.broken.node] += 1
                lost[found.broken.node] += found.lost_tokens
        print(f"{turns} turns, what breaks it:")
        for name, tokens in lost.most_common():
            print(f"      {name:20}{broke[name]:5} times, {tokens:7,} tokens lost behind it")
    print()


def main() -> None:
    """Measure and print."""
    print_shares()
    print_breaks()


if __name__ == "__main__":
    main()
