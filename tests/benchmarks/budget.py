"""What a budget costs: rungs of 12 sections, and 6,400 items cut to half their tokens.

The items are measured beside vscode-prompt-tsx, which is installed from the npm registry into
``.cache`` when Node.js is there: processor time in both, with both garbage collectors at work. Of
ours it is the median, of the peer's the better of two runs, of which the first one compiles.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import ClassVar

from hud_components import DecisionsList, NextSteps, NotesSection
from tests.benchmarks._sample import sample_state
from tests.benchmarks._timing import medians, table
from ujsx import (
    Child,
    Children,
    Component,
    Density,
    Disclosure,
    RenderContext,
    Renderer,
    Rung,
    elided,
    fragment,
)
from ujsx.elements import Item, List, Omitted, Paragraph

ITEMS = 6_400
WORDS = "the ledger worker retries before it parks an event and the runbook says how to go on"

CACHE = Path(__file__).parents[2] / ".cache" / "benchmarks"
PEER = "@vscode/prompt-tsx@0.4.0-alpha.9"
SCRIPT = Path(__file__).with_name("prompt_tsx.cjs")


def quarter(text: str) -> int:
    """Return a token for four characters, as the peer counts here."""
    return -(-len(text) // 4)


CONTEXT = RenderContext(count_tokens=quarter)


class Chunk(Component):
    """A text that a budget shows or hides."""

    disclosure: ClassVar[Disclosure] = Disclosure((Rung(Density.FULL),))
    text: str

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return Paragraph()[self.text]


class Chunks(Component):
    """A list of texts that is cut as a whole."""

    disclosure: ClassVar[Disclosure] = Disclosure(
        (*(Rung(Density.FULL, limit) for limit in (100, 800, 1_600, 3_200)), Rung(Density.FULL))
    )
    texts: tuple[str, ...]

    def render(self, ctx: RenderContext, children: Children) -> Child:
        gap = elided(len(self.texts), ctx.limit)
        items: list[Child] = [
            Item()[text] for place, text in enumerate(self.texts) if place not in gap
        ]
        if gap:
            items.insert(gap.start, Omitted(count=len(gap), handle="chunks.list"))
        return List()[items]


def texts() -> tuple[str, ...]:
    """Return the items, of 9 to 28 words."""
    words = WORDS.split()
    return tuple(
        f"Chunk {n}: " + " ".join(words[(n + place) % len(words)] for place in range(7 + n % 20))
        for n in range(ITEMS)
    )


def print_choosing() -> None:
    """Print what choosing rungs costs beside rendering them."""
    state = sample_state()
    kinds = (
        DecisionsList(decisions=state.decisions),
        NotesSection(notes=state.notes),
        NextSteps(steps=state.next_steps),
    )
    sections = fragment(*(kind.keyed(str(n)) for n in range(4) for kind in kinds))
    renderer = Renderer()
    plan = renderer.plan(sections)
    budget = sum(ladder.useful[-1].tokens for ladder in plan.ladders) // 2

    def choose() -> object:
        return type(plan).of(plan.ladders).within(budget)

    kept = Renderer()
    budgets = iter(range(budget, 10**9))
    times = medians(
        {
            "choosing alone": choose,
            "render, every rung known": lambda: kept.render(sections, budget=next(budgets)),
            "render, from nothing": lambda: Renderer().render(sections, budget=budget),
            "render at full density, from nothing": lambda: Renderer().render(sections),
        }
    )
    print(
        table(
            f"Rungs of {len(plan.ladders)} sections", times, "render at full density, from nothing"
        )
    )


def print_cutting() -> None:
    """Print what cutting 6,400 items costs, ours and the peer's."""
    items = texts()
    apart = fragment(*(Chunk(text=text) for text in items))
    together = Chunks(texts=items)
    half = Renderer(context=CONTEXT).render(apart).tokens // 2
    kept = Renderer(context=CONTEXT)
    budgets = iter(range(half, 10**9))
    times = medians(
        {
            "ujsx, a component for each item": lambda: _cut(apart, half),
            "ujsx, the same, rungs known": lambda: kept.render(apart, budget=next(budgets)),
            "ujsx, a list cut as a whole": lambda: _cut(together, half),
        },
        collects=True,
    )
    title = f"{ITEMS:,} items cut to half their tokens ({half:,})"
    peer = with_prompt_tsx(items, half)
    if isinstance(peer, str):
        print(table(title, times, "ujsx, a component for each item"))
        print(f"vscode-prompt-tsx is left out: {peer}\n")
    else:
        milliseconds, tokens, count = peer
        times["vscode-prompt-tsx"] = 1_000 * milliseconds
        print(table(title, times, "vscode-prompt-tsx"))
        print(
            f"vscode-prompt-tsx {PEER.rpartition('@')[2]} kept {count:,} items, {tokens:,} tokens"
        )
    rendered = Renderer(context=CONTEXT).render(apart, budget=half)
    count = sum(section.rung is not None for section in rendered.sections)
    print(f"ujsx kept {count:,} items, {rendered.tokens:,} tokens\n")


def _cut(node: Child, budget: int) -> str:
    return Renderer(context=CONTEXT).render(node, budget=budget).text


def with_prompt_tsx(items: tuple[str, ...], budget: int) -> tuple[float, int, int] | str:
    """Return the peer's better milliseconds of two runs, tokens and items kept; or why it has none."""
    if not shutil.which("node") or not shutil.which("npm"):
        return "there is no Node.js with npm here"
    if not (CACHE / "node_modules" / "@vscode" / "prompt-tsx").is_dir():
        CACHE.mkdir(parents=True, exist_ok=True)
        install = ["npm", "install", "--prefix", str(CACHE), "--silent", "--no-audit", "--no-fund"]
        if subprocess.run([*install, PEER], capture_output=True, check=False).returncode:
            return f"npm cannot install {PEER}"
    shutil.copy(SCRIPT, CACHE)
    done = subprocess.run(
        ["node", str(CACHE / SCRIPT.name)],
        input=json.dumps({"items": items, "budget": budget}),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return done.stderr.strip().splitlines()[-1]
    found = json.loads(done.stdout)
    return min(found["ms"]), found["tokens"], found["kept"]


def main() -> None:
    """Measure and print."""
    print_choosing()
    print_cutting()


if __name__ == "__main__":
    main()
