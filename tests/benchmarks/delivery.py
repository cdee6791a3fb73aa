"""Delivery: what a HUD costs in each place, over 100 and 200 turns of a session.

The session is made up at random, as coding sessions go: each turn a file is read or edited, and now
and then a step is done, a note taken, something decided, or an error met; every forty turns comes a
new ask. Its HUDs are real, and so are the deltas. A turn adds 1,500 tokens to the history, behind
12,000 of system prompt and tools.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import lru_cache

from hud_runtime import EventDraft, HudSession, HudStore, Reanchor
from hud_runtime.delivery._economy import EACH, WAYS, Turn, ratios
from hud_runtime.delivery._prices import PRICES, Block
from ujsx import Rendered
from ujsx.tokens import estimate_tokens

SEED = 7
WINDOW = 400_000

FILES = tuple(
    f"src/{room}/{name}.py"
    for room in ("ledger", "api", "auth", "store")
    for name in ("models", "routes", "worker", "retry", "schema", "tests")
)
NOTES = (
    "The worker retries {n} times before it parks an event",
    "Port {n} is what the staging proxy expects",
    "Batch {n} took twice as long as the one before; the index is missing",
    "Fixtures live in tests/data/{n}; do not edit them by hand",
)


def edits(turns: int, seed: int = SEED) -> Iterator[list[EventDraft]]:
    """Yield what happens in each turn of a session."""
    source = random.Random(seed)
    yield [
        EventDraft("task.set", {"description": "Move the ledger service to PostgreSQL"}),
        *(
            EventDraft("step.add", {"description": f"Step {n}: migrate part {n} of the ledger"})
            for n in range(6)
        ),
    ]
    for turn in range(1, turns):
        file = FILES[min(int(source.expovariate(0.25)), len(FILES) - 1)]
        drafts = [
            EventDraft(source.choice(["file.open", "file.open", "file.edit"]), {"path": file})
        ]
        if turn % 40 == 0:
            drafts.append(EventDraft("task.set", {"description": f"Now part {turn} of the ledger"}))
        if source.random() < 0.15:
            words = source.choice(NOTES).format(n=turn)
            drafts.append(EventDraft("note.add", {"content": words}))
        if source.random() < 0.07:
            said = {
                "summary": f"Decision {turn}: keep the old tables",
                "details": "A week is enough",
            }
            drafts.append(EventDraft("decision.record", said))
        if source.random() < 0.12:
            drafts.append(
                EventDraft("step.add", {"description": f"Step {turn}: check part {turn}"})
            )
        if source.random() < 0.10:
            said = {"message": f"test_ledger_{turn} failed: 3 != {turn}"}
            drafts.append(EventDraft("error.encountered", said))
        yield [
            *drafts,
            EventDraft("context.snapshot", {"used": 12_000 + EACH * turn, "limit": WINDOW}),
        ]


def happen(session: HudSession, drafts: list[EventDraft], source: random.Random) -> None:
    """Record what happens in a turn; what is open is now and then done."""
    session.record_all(drafts)
    state = session.known
    steps = [step for step in state.next_steps if not step.completed]
    errors = [error for error in state.errors if not error.resolved]
    if steps and source.random() < 0.12:
        session.record("step.complete", id=steps[0].id)
    if errors and source.random() < 0.15:
        session.record("error.resolved", id=errors[0].id)
    if state.notes and source.random() < 0.03:
        note = source.choice(state.notes)
        session.record("note.update", id=note.id, content=f"{note.content}, as of now")


def block(text: str) -> Block:
    return Block(text, estimate_tokens(text))


@lru_cache(maxsize=8)
def played(turns: int, reanchor: int | None = None) -> tuple[list[Turn], list[Rendered]]:
    """Play a session, and return what was sent in each turn."""
    made: list[Turn] = []
    huds: list[Rendered] = []
    source = random.Random(SEED + 1)
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        session = store.session("s")
        for drafts in edits(turns):
            happen(session, drafts, source)
            rendered = session.hud()
            again = None if reanchor is None else Reanchor(tokens=reanchor)
            delivery = session.deliver(reanchor=again)
            session.delivered(delivery.id)
            static, *rest = rendered.layers
            huds.append(rendered)
            appended = tuple(block(each.text) for each in delivery.parts)
            behind = block("\n".join(each.text for each in rest if each.text))
            made.append(Turn(EACH, block(rendered.text), block(static.text), behind, appended))
    return made, huds


def print_costs() -> None:
    """Print what each way costs beside no HUD."""
    title = "What a HUD costs, beside none: requests of a session, real renderings"
    print(title, "=" * len(title), sep="\n")
    print(f"{'':28}" + "".join(f"{name:>24}" for name in PRICES))
    print(f"{'turns':28}" + f"{'100':>12}{'200':>12}" * len(PRICES))
    for way in WAYS:
        columns = [
            ratios(played(turns)[0], prices)[way]
            for prices in PRICES.values()
            for turns in (100, 200)
        ]
        print(f"{way:28}" + "".join(f"{each:11.3f}×" for each in columns))
    for tokens in (30_000, 60_000):
        columns = [
            _ratio(played(turns, tokens)[0], prices)
            for prices in PRICES.values()
            for turns in (100, 200)
        ]
        name = f"append, reanchor={tokens:,}"
        print(f"{name:28}" + "".join(f"{each:11.3f}×" for each in columns))
    for turns in (100, 200):
        made, _ = played(turns)
        sent = [sum(each.tokens for each in turn.appended) for turn in made]
        quiet = sum(not each for each in sent)
        print(
            f"{turns} turns: {sum(sent):,} tokens appended in all, nothing in {quiet} turns;"
            f" a whole HUD has {made[-1].whole.tokens} tokens at the end"
        )
    print()


def _ratio(turns: list[Turn], prices: object) -> float:
    return ratios(turns, prices)["append"]  # type: ignore[arg-type]


def main() -> None:
    """Measure and print."""
    print_costs()


if __name__ == "__main__":
    main()
