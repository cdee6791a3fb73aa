"""The prefix run: how much of a growing list stays a cached prefix, and how much of it is shown.

60 turns; each adds a note of some 100 characters behind a fixed head (a task and ten rules); a line
about the context, which changes every turn, stands last; 900 tokens at four characters each. Kept is
the sum of neighbours' common prefixes over the sum of the lengths; shown is the mean number of notes.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, TypeAlias

from hud_components import (
    ContextBar,
    ContextUsage,
    Hud,
    HudState,
    Note,
    NotesSection,
    Task,
    TaskSection,
)
from tests.benchmarks.budget_laws import generated_state
from ujsx import (
    Child,
    Children,
    Component,
    Density,
    Disclosure,
    RenderContext,
    Rendered,
    Renderer,
    Rung,
    elided,
)
from ujsx.elements import Item, List, Omitted, Paragraph, Section
from ujsx.testing import prefix_kept

TOKENS = 900
LIMITS = (600, 900, 1_200, 1_800)

Policy: TypeAlias = Callable[[int, int], list[int]]
"""From a number of notes, and how many fit, to the places of those that are shown."""

HEAD = "\n".join(
    [
        "# HUD",
        "",
        "## Task",
        "",
        "Keep the ledger service running through the migration",
        "",
        "## Rules",
        "",
        *(f"{n}. Rule {n}: run the tests before every commit" for n in range(1, 11)),
        "",
        "## Notes",
        "",
    ]
)


def note(number: int) -> str:
    """Return a note of the run."""
    return (
        f"Note {number}: the ledger worker retries {number % 9 + 2} times before parking an event; "
        f"see runbook section {number}"
    )


def context_line(turn: int) -> str:
    """Return what changes every turn."""
    return f"Context: {turn}% used ({turn * 2113:,} / 200,000 tokens)"


def text(count: int, shown: list[int], *, turn: int, context_first: bool = False) -> str:
    """Return a turn's text; where notes are left out, a line says how many."""
    items = {place: f"- {note(place + 1)}" for place in shown}
    if len(shown) < count:
        last_gap = next(place for place in reversed(range(count)) if place not in items)
        items[last_gap] = f"- *… {count - len(shown)} more notes: `hud notes.list`*"
    head, notes = HEAD, "\n".join(items[place] for place in sorted(items))
    if context_first:
        head = HEAD.replace("## Notes", f"{context_line(turn)}\n\n## Notes")
        return f"{head}\n{notes}\n"
    return f"{head}\n{notes}\n\n{context_line(turn)}\n"


def ours(count: int, fit: int) -> list[int]:
    """Keep the first ones, and drop those behind them in steps."""
    gap = elided(count, fit)
    return [*range(gap.start), *range(gap.stop, count)]


def newest(count: int, fit: int) -> list[int]:
    """Drop the oldest at every turn."""
    return list(range(max(0, count - fit), count))


def newest_in_steps(share: float) -> Policy:
    """Return a policy that drops the oldest down to a share of what fits, when it is full."""

    def policy(count: int, fit: int) -> list[int]:
        step = max(1, round(fit * (1 - share)))
        return list(range(-(-max(0, count - fit) // step) * step, count))

    return policy


def head_renewed(every: int) -> Policy:
    """Return a policy like ours whose first notes are replaced by later ones now and then.

    :param every: after how many times as many notes as fit.
    """

    def policy(count: int, fit: int) -> list[int]:
        start = max(0, count - fit) // (every * fit) * every * fit
        return [start + place for place in ours(count - start, fit)]

    return policy


@dataclass(frozen=True)
class Run:
    """What a run came to."""

    fit: int
    kept: float
    shown: float
    newest: int
    """How many of the newest notes were always shown."""


def run(
    policy: Policy, *, tokens: int = TOKENS, turns: int = 60, context_first: bool = False
) -> Run:
    """Play the run with as many notes as fit at every turn."""

    def texts(fit: int) -> Iterator[tuple[str, int, int]]:
        for turn in range(1, turns + 1):
            shown = policy(turn, fit)
            missing = max(set(range(turn)) - set(shown), default=-turns)
            yield (
                text(turn, shown, turn=turn, context_first=context_first),
                len(shown),
                turn - missing - 1,
            )

    fit = 1
    while fit < turns and all(len(each) <= 4 * tokens for each, *_ in texts(fit + 1)):
        fit += 1
    played = list(texts(fit))
    shown = sum(count for _, count, _ in played) / turns
    return Run(fit, prefix_kept(each for each, *_ in played), shown, min(n for *_, n in played))


class Notes(Component):
    """The notes of the run as a component; what is left out stands where it is missing."""

    disclosure: ClassVar[Disclosure] = Disclosure(
        ladder=(
            Rung(Density.MINIMAL, 0),
            Rung(Density.COMPACT, 3),
            *(Rung(Density.FULL, limit) for limit in (10, 15, 20, 24, 28, 32, 40, 48, 64, 80)),
            Rung(Density.FULL),
        ),
        floor=Density.MINIMAL,
    )

    count: int

    def render(self, ctx: RenderContext, children: Children) -> Child:
        gap = elided(self.count, ctx.limit)
        items: list[Child] = [
            Item()[note(number + 1)] for number in range(self.count) if number not in gap
        ]
        if gap:
            items.insert(gap.start, Omitted(count=len(gap), handle="hud notes.list"))
        return Section(title="Notes")[List()[items]]


def layout(turn: int) -> Child:
    """Return the run as a layout around the component above."""
    return Section(title="HUD")[
        Section(title="Task")["Keep the ledger service running through the migration"],
        Section(title="Rules")[_RULES],
        Notes(count=turn),
        Paragraph()[context_line(turn)],
    ]


def hud(turn: int) -> Child:
    """Return the run as a HUD of the library's own sections."""
    return Hud()[
        TaskSection(task=Task(description="Keep the ledger service running through the migration")),
        Section(title="Rules")[_RULES],
        NotesSection(notes=tuple(Note(id=f"n-{n}", content=note(n)) for n in range(1, turn + 1))),
        ContextBar(usage=ContextUsage(used=turn * 2113)),
    ]


_RULES = List(ordered=True)[
    [Item()[f"Rule {n}: run the tests before every commit"] for n in range(1, 11)]
]


def rendered_run(
    node: Callable[[int], Child], tokens: int | None, *, turns: int = 60, holds: bool = True
) -> tuple[float, float, int]:
    """Play the run with components; return kept, shown, and the most tokens.

    :param tokens: the budget; full density without one.
    """
    renderer = Renderer(context=RenderContext(count_tokens=lambda text: -(-len(text) // 4)))
    texts: list[str] = []
    shown, most, previous = 0, 0, None
    for turn in range(1, turns + 1):
        previous = renderer.render(node(turn), budget=tokens, previous=previous if holds else None)
        texts.append(previous.text)
        shown += previous.text.count("- Note ")
        most = max(most, previous.tokens)
    return prefix_kept(texts), shown / turns, most


def growing(seed: int, turns: int = 40) -> Iterator[HudState]:
    """Yield a generated state that gets a note in three of ten turns, and another usage in each."""
    source = random.Random(seed)
    state = generated_state(source)
    for turn in range(turns):
        if source.random() < 0.3:
            words = " ".join(["word"] * source.randint(3, 20))
            state = state.model_copy(update={"notes": (*state.notes, Note(content=words))})
        yield state.model_copy(update={"usage": ContextUsage(used=turn * 3_000)})


def print_flapping(sessions: int = 20) -> None:
    """Print how often rungs change in growing sessions, with and without ``previous=``."""
    title = f"{sessions} generated sessions of 40 turns: changes of rungs, bytes kept as a prefix"
    print(title, "=" * len(title), sep="\n")
    for budget in (150, 300, 600, 1_000):
        for holds in (False, True):
            changes, shares = 0, 0.0
            for seed in range(sessions):
                renderer = Renderer()
                previous: Rendered | None = None
                huds: list[Rendered] = []
                for state in growing(seed):
                    held = previous if holds else None
                    previous = renderer.render(Hud.of(state), budget=budget, previous=held)
                    huds.append(previous)
                changes += sum(
                    was.rung != now.rung
                    for one, other in pairwise(huds)
                    for was, now in zip(one.sections, other.sections, strict=True)
                )
                shares += prefix_kept(huds)
            how = "previous=" if holds else "nothing held"
            print(f"{budget:6,} tokens, {how:13}{changes:4} changes{shares / sessions:9.1%}")
    print()


def main() -> None:
    """Measure and print."""
    title = f"The prefix run, {TOKENS} tokens: bytes kept, notes shown, newest always shown"
    print(title, "=" * len(title), sep="\n")
    print(f"{'':44}{'60 turns':>24}{'300 turns':>24}")
    policies: dict[str, tuple[Policy, bool]] = {
        "newest, context line before the notes": (newest, True),
        "newest, context line last": (newest, False),
        **{
            f"newest, dropped down to {share:.0%}": (newest_in_steps(share), False)
            for share in (0.5, 0.6, 0.7, 0.8, 0.9)
        },
        **{
            f"elided, its head renewed every {every} lists": (head_renewed(every), False)
            for every in (1, 2, 4)
        },
        "elided": (ours, False),
    }
    for name, (policy, first) in policies.items():
        runs = [run(policy, turns=turns, context_first=first) for turns in (60, 300)]
        print(f"{name:44}" + "".join(_columns(each) for each in runs))
    title = "elided at other limits (tokens, how many notes fit), and as a component under a budget"
    print(f"\n{title}", "=" * len(title), sep="\n")
    for tokens in LIMITS:
        each = run(ours, tokens=tokens, turns=300)
        print(f"{tokens:5} tokens, {each.fit:3} notes fit, 300 turns {_columns(each)}")
    for most in (None, *LIMITS):
        for name, node, holds in (
            ("a component with many rungs, nothing held", layout, False),
            ("the same, with previous=", layout, True),
            ("the HUD's own notes, with previous=", hud, True),
        ):
            budget = "full" if most is None else f"{most:,}"
            columns = "".join(
                f"{kept:10.1%}{shown:7.1f}{reached:7,}"
                for kept, shown, reached in (
                    rendered_run(node, most, turns=turns, holds=holds) for turns in (60, 300)
                )
            )
            print(f"{budget:>5}, {name:42}{columns}")
    print()
    print_flapping()


def _columns(each: Run) -> str:
    return f"{each.kept:10.1%}{each.shown:7.1f}{each.newest:7}"


if __name__ == "__main__":
    main()
