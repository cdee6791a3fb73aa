"""``make foresight``: print how much of what comes is named, over the sessions of a folder.

    python -m tests.benchmarks.foresight [FOLDER_OR_FILE ...] [--orders FILE.json] [--each] [--estimate] [--compactions]

Without a folder, the sessions that come with the project, and the recorded ones that ``UJSX_CORPORA`` names, else
those in ``../shared/data/sessions``.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from hud_runtime import TranscriptError
from tests.benchmarks.foresight._compactions import Kept, kept, table
from tests.benchmarks.foresight._orders import Order, ordered
from tests.benchmarks.foresight._score import BESIDE, BUDGETS, MET, Ahead, Score, score
from tests.benchmarks.foresight._story import Turn, story
from tests.benchmarks.foresight._tellers import SUMMARY, TELLERS
from ujsx.tokens import TokenCounter, estimate_tokens, rs_bpe_counter

ROOT = Path(__file__).parents[3]

BUNDLED = (ROOT / "hud_runtime" / "data" / "demo.jsonl",)

KINDS: tuple[Ahead, ...] = ("files", "commands", "errors")


def recorded() -> Iterator[Path]:
    """Yield the sessions that are read where none are named."""
    yield from BUNDLED
    data = Path(os.environ.get("UJSX_CORPORA") or ROOT.parent / "shared" / "data")
    yield from sorted(each for each in data.glob("sessions/*.*") if each.is_file())


def stories(paths: Iterable[Path]) -> Iterator[tuple[str, list[Turn]]]:
    """Yield the sessions among files and the files of folders; others are named and passed over."""
    for path in paths:
        within = (
            sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
        )
        for file in within:
            try:
                yield file.name, story(file)
            except TranscriptError as error:
                print(f"left out: {error}")


def total(sessions: Iterable[tuple[str, list[Turn]]], count: TokenCounter, *, each: bool) -> Score:
    """Return the score of all sessions together."""
    made = Score()
    for name, turns in sessions:
        one = score(turns, count)
        if each:
            print_table(f"{name}, {len(turns) - 1} turns", one)
        made.add(one)
    return made


def print_table(title: str, made: Score) -> None:
    """Print what was named, by who tells and within how many tokens."""
    print(title, "=" * len(title), sep="\n")
    print("| tokens | told by | all | files edited | commands run | errors met |")
    print("| --- | --- | --- | --- | --- | --- |")
    for budget in BUDGETS:
        for who in (*TELLERS, SUMMARY, BESIDE):
            if any(made.of[who, kind] for kind in KINDS):
                print(f"| {budget} | {who} | {' | '.join(shares(made, who, budget))} |")
    print(f"| | {MET} | {' | '.join(shares(made, MET, BUDGETS[0]))} |")
    for name, (unsaid, all_) in made.unsaid.items():
        print(f"{name} that no HUD of {BUDGETS[0]} tokens showed: {unsaid} of {all_}")
    print()


def shares(made: Score, who: str, budget: int) -> Iterator[str]:
    """Yield the share of everything and of each kind, each with how much of it there was."""
    for kind in (None, *KINDS):
        share = made.share(who, budget, kind)
        yield "–" if share is None else f"{share:.1%}"


def print_orders(
    sessions: list[tuple[str, list[Turn]]], orders: dict[str, Order], count: TokenCounter
) -> None:
    """Print what the HUD names with each order of worth."""
    title = "Orders of worth: the share of all that comes which the HUD names"
    print(title, "=" * len(title), sep="\n")
    print("| order | " + " | ".join(f"{budget} tokens" for budget in BUDGETS) + " | mean |")
    print("| --- |" + " --- |" * (len(BUDGETS) + 1))
    usual: Order = {}
    for name, order in {"as it is": usual, **orders}.items():
        with ordered(order):
            made = total(sessions, count, each=False)
        found = [made.share("HUD", budget) or 0 for budget in BUDGETS]
        told = [f"{share:.1%}" for share in (*found, sum(found) / len(found))]
        print(f"| {name} | {' | '.join(told)} |")


def print_compactions(sessions: list[tuple[str, list[Turn]]], count: TokenCounter) -> None:
    """Print what is named of what comes before a compaction and after it."""
    made = Kept()
    for _, turns in sessions:
        made.add(kept(turns, count))
    title = f"What survives a compaction: {made.compactions} recorded, {made.cuts} cuts"
    print(title, "=" * len(title), *table(made), "", sep="\n")


def main() -> None:
    """Score, and print."""
    parser = argparse.ArgumentParser(prog="foresight", description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--orders", type=Path, help="other orders of worth, as JSON")
    parser.add_argument("--each", action="store_true", help="a table for each session, too")
    parser.add_argument("--estimate", action="store_true", help="count by estimate: quicker")
    parser.add_argument(
        "--compactions", action="store_true", help="what survives them, and nothing else"
    )
    options = parser.parse_args()
    count: TokenCounter = estimate_tokens if options.estimate else rs_bpe_counter()
    sessions = list(stories(options.paths or recorded()))
    if options.orders is not None:
        print_orders(sessions, json.loads(options.orders.read_text(encoding="utf-8")), count)
        return
    print_compactions(sessions, count)
    if options.compactions:
        return
    turns = sum(len(turns) - 1 for _, turns in sessions)
    made = total(sessions, count, each=options.each)
    print_table(f"{len(sessions)} session{'s' * (len(sessions) != 1)}, {turns} turns", made)
    print("there were", ", ".join(f"{made.of['HUD', kind]:,} {kind}" for kind in KINDS), "to name")


if __name__ == "__main__":
    main()
