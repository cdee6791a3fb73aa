"""``make huds``: ten HUDs of recorded sessions at 300, 150 and 60 tokens, to be read by a person.

What to look for: nothing is said twice, and nothing that is done stands before what is open.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from hud_components import Hud, HudState
from hud_runtime.history.exchange import replayed
from ujsx import render_document
from ujsx.errors import UjsxError

BUDGETS = (300, 150, 60)
DEMO = Path(__file__).parents[2] / "hud_runtime" / "data" / "demo.jsonl"
COUNT = 10


def states(files: list[Path], count: int = COUNT) -> Iterator[tuple[str, HudState]]:
    """Yield states from the sessions in turn: the last of each, and then earlier ones."""
    each = -(-count // max(len(files), 1))
    left = count
    for file in files:
        try:
            with replayed(file) as session:
                turns = [session.turns - session.turns * n // each for n in range(min(each, left))]
                found = [(f"{file.name}, turn {turn}", session.state(turn)) for turn in turns]
        except UjsxError:
            continue  # it is no transcript
        left -= len(found)
        yield from found


def main() -> None:
    """Print them."""
    parser = argparse.ArgumentParser(description="HUDs of recorded sessions, to be read.")
    parser.add_argument("folder", nargs="?", type=Path, help="a folder of transcripts")
    options = parser.parse_args()
    files = sorted(options.folder.iterdir()) if options.folder else []
    for name, state in states([DEMO, *(each for each in files if each.is_file())]):
        for budget in BUDGETS:
            rendered = render_document(Hud.of(state), budget=budget)
            title = f"{name}: {rendered.tokens} of {budget} tokens"
            print(title, "=" * len(title), rendered.text, sep="\n")


if __name__ == "__main__":
    main()
