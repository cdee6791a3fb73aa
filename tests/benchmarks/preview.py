"""How long the preview's page waits: a session of 1,000 turns in a HUD of 100 sections.

Time that passes counts, from the question to the answer of the process that holds the session: each question at
turns that nobody has looked at yet, as a slider asks them. The browser adds what it takes to draw.
"""

from __future__ import annotations

import json
import os
import statistics
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from hud_runtime.preview import Look, Preview, Subject
from tests.benchmarks._timing import headed
from tests.hud_runtime.preview.many import SECTIONS, TURNS, long_session

ROOT = Path(__file__).parents[2]

TRIED = range(37, TURNS, 113)
"""Turns that are looked at; not in steps in which snapshots are."""

FORMS = {
    "by level": Look(),
    "300 tokens": Look(budget=300),
    "full, no budget": Look(density="full", budget="off"),
}
"""How much is shown."""

ASKED = ("view", "change", "rungs", "node", "events")
"""What a page asks for at each step: the first is what a slider waits for."""


def main() -> None:
    """Measure and print."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "hud.db"
        long_session(path)
        os.environ["PYTHONPATH"] = os.fspath(ROOT)  # the process that holds it imports the domain
        domain = "tests.hud_runtime.preview.many:MANY"
        begun = perf_counter()
        with Preview(Subject("long", store=str(path), session="long", domain=domain)) as shown:
            if shown.fault is not None:
                raise SystemExit(str(shown.fault))
            opened = perf_counter() - begun
            print(headed(f"The preview's page: {TURNS:,} turns, {SECTIONS} sections"))
            print(f"read, with the first rendering: {1_000 * opened:,.0f} ms")
            print("\n".join(_rows(shown)))


def _rows(shown: Preview) -> Iterator[str]:
    yield f"{'ms: median (most)':20}" + "".join(f"{each:>16}" for each in ASKED)
    for name, form in FORMS.items():
        cells: list[str] = []
        for what in ASKED:
            times = [_taken(shown, what, form, turn) for turn in TRIED]
            cells.append(f"{statistics.median(times):,.0f} ({max(times):,.0f})")
        yield f"{name:20}" + "".join(f"{each:>16}" for each in cells)
    size = len(json.dumps(shown.ask("view", FORMS["full, no budget"])))
    yield f"the largest answer: {size:,} bytes"


def _taken(shown: Preview, what: str, form: Look, turn: int) -> float:
    more = {"index": SECTIONS // 2} if what == "node" else {}
    begun = perf_counter()
    shown.ask(what, Look(turn, form.density, form.budget), **more)  # type: ignore[arg-type]
    return 1_000 * (perf_counter() - begun)


if __name__ == "__main__":
    main()
