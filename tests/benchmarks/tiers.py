"""``python -m tests.benchmarks.tiers [FOLDER]``: how many turns of recorded sessions pass their tier in exact tokens (o200k).

Each session is replayed, and its HUD rendered after each turn at each density, within what a session holds to. What stands
outside of a budget, the user's rules, is not counted. Without a folder, the sessions are those of ``UJSX_CORPORA``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from hud_components import BUDGETS
from hud_runtime.history.exchange import replayed
from tests.benchmarks.transcripts import FOLDER
from ujsx import Density, UjsxError
from ujsx.tokens import TokenCounter, estimate_tokens, rs_bpe_counter


class Shown(NamedTuple):
    """What counts of a HUD against its budget."""

    density: Density
    text: str
    tokens: int
    """The exact tokens."""

    @property
    def is_over(self) -> bool:
        """Whether these are more than its tier has."""
        return self.tokens > BUDGETS[self.density].most


def shown_in(path: Path, count: TokenCounter) -> Iterator[Shown]:
    """Yield what a session shows after each turn."""
    with replayed(path) as found:
        for turn in range(1, found.turns + 1):
            for density in Density:
                text = found.session.hud(density=density, turn=turn).budgeted_text
                yield Shown(density, text, count(text))


def main() -> None:
    """Measure and print."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER / "sessions"
    count, huds = rs_bpe_counter(), list[Shown]()
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        try:
            huds += shown_in(path, count)
        except UjsxError:
            continue  # it is no transcript
    print(
        f"{'':10}{'turns':>7}{'over':>6}{'share':>8}{'HUDs':>7}{'over':>6}{'most':>6}{'mean':>7}{'estimate':>10}"
    )
    for density in Density:
        turns = [each for each in huds if each.density is density and each.text]
        once, over = set(turns), [each for each in turns if each.is_over]
        tokens = [each.tokens for each in once]
        off = sum(estimate_tokens(each.text) for each in once) / sum(tokens) - 1
        print(
            f"{density:10}{len(turns):7,}{len(over):6,}{len(over) / len(turns):8.2%}{len(once):7,}"
            f"{len(set(over)):6,}{max(tokens):6,}{mean(tokens):7.1f}{off:+10.1%}"
        )


if __name__ == "__main__":
    main()
