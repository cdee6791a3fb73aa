"""How long the preview's page waits: a session of 1,000 turns in a HUD of 100 sections.

Time that passes counts, from the question to the answer of the process that holds the session: each question at
turns that nobody has looked at yet, as a slider asks them. While nobody asks, that process makes turns ready; how long
that took is told. The browser adds what it takes to draw.
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
from hud_runtime.preview._subject import Asked
from tests.benchmarks._timing import headed
from tests.hud_runtime.preview.many import SECTIONS, TURNS, long_session

ROOT = Path(__file__).parents[2]

TRIED = range(37, TURNS, 47)
"""Turns that are jumped to; not in steps in which snapshots are, nor in those in which turns are made ready."""

NEXT = range(711, 731)
"""Turns that an arrow key goes through."""

AT = 503
"""The turn at which the other sliders are moved."""

FORMS = {
    "by level": Look(),
    "300 tokens": Look(budget=300),
    "full, no budget": Look(density="full", budget="off"),
}
"""How much is shown."""

ASKED: tuple[Asked, ...] = ("change", "rungs", "node", "events")
"""What a page asks for once a slider rests, or a tab is open."""


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
            print(f"{'a slider, ms':24}{'median':>8}{'p95':>8}{'most':>8}")
            print("\n".join(_sliders(shown)))
            print()
            print(f"{'at rest, ms: median (p95)':26}" + "".join(f"{each:>14}" for each in ASKED))
            print("\n".join(_at_rest(shown)))
            size = len(json.dumps(shown.ask("view", FORMS["full, no budget"])))
            print(f"the largest answer: {size:,} bytes")


def _sliders(shown: Preview) -> Iterator[str]:
    """What moves of the sliders take: right after the start, and once it was left alone."""
    yield _row("turn by turn, at once", [_taken(shown, "view", Look(turn)) for turn in NEXT])
    yield _row("budget", [_taken(shown, "view", Look(AT, budget=each)) for each in _BUDGETS])
    yield _row("density", [_taken(shown, "view", Look(AT, each)) for each in _DENSITIES])
    for name, form in FORMS.items():
        yield f"{name}:"
        rested = _rested(shown, form)
        yield _row("  turn by turn", [_taken(shown, "view", _at(form, turn)) for turn in NEXT])
        yield _row("  turns anywhere", [_taken(shown, "view", _at(form, turn)) for turn in TRIED])
        yield f"  after it was left alone for {rested:.1f} s"


_BUDGETS = range(50, 2_050, 50)
_DENSITIES = ("minimal", "compact", "full") * 4


def _rested(shown: Preview, form: Look) -> float:
    """Have all made ready that is while nobody asks."""
    shown.ask("view", _at(form, TURNS))
    begun = perf_counter()
    while shown.ask("ahead"):
        pass
    return perf_counter() - begun


def _at_rest(shown: Preview) -> Iterator[str]:
    for name, form in FORMS.items():
        cells: list[str] = []
        for what in ASKED:
            times = [_taken(shown, what, _at(form, turn)) for turn in TRIED]
            cells.append(f"{statistics.median(times):,.0f} ({_p95(times):,.0f})")
        yield f"{name:26}" + "".join(f"{each:>14}" for each in cells)


def _row(name: str, times: list[float]) -> str:
    return f"{name:24}{statistics.median(times):8,.0f}{_p95(times):8,.0f}{max(times):8,.0f}"


def _p95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20, method="inclusive")[-1]


def _at(form: Look, turn: int) -> Look:
    return Look(turn, form.density, form.budget)


def _taken(shown: Preview, what: Asked, look: Look) -> float:
    more = {"index": SECTIONS // 2} if what == "node" else {}
    begun = perf_counter()
    shown.ask(what, look, **more)
    return 1_000 * (perf_counter() - begun)


if __name__ == "__main__":
    main()
