"""How long the preview's page waits: a session of 1,000 turns in a HUD of 100 sections.

Time that passes counts, from the question to the answer of the process that holds the session: each question at
turns that nobody has looked at yet, as a slider asks them. While nobody asks, that process makes turns ready; how long
that took is told. Then a real Chromium opens the page, and each control is timed until what it asks for is drawn.
"""

from __future__ import annotations

import math
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from time import clock_gettime, perf_counter
from typing import Any, NamedTuple

from hud_runtime.preview import Preview, PreviewLook, Subject
from tests.benchmarks._timing import headed
from tests.browser import controls
from tests.browser.conftest import chromium
from tests.hud_runtime.preview.many import FOREIGN, LOUD, SECTIONS, TURNS, long_session

ROOT = Path(__file__).parents[2]

TRIED = range(37, TURNS, 47)
"""Turns that are jumped to; not in steps in which snapshots are, nor in those in which turns are made ready."""

NEXT = range(711, 731)
"""Turns that an arrow key goes through."""

AT = 503
"""The turn at which the other sliders are moved."""

FORMS = {
    "by level": PreviewLook(),
    "300 tokens": PreviewLook(budget=300),
    "full, no budget": PreviewLook(density="full", budget="off"),
}
"""How much is shown."""

ASKED: tuple[str, ...] = ("change", "rungs", "node", "events")
"""What a page asks for once a slider rests, or a tab is open."""


DOMAIN = "tests.hud_runtime.preview.many:MANY"

CASES: dict[str, dict[str, Any]] = {
    "the built-in HUD": {"session": "long"},
    "a layout of an author's, bound to the session": {
        "session": "long",
        "object": "tests.hud_runtime.preview.many:BOUND",
    },
    "hostile and long texts": {"session": "loud"},
    "other scripts and punctuation": {"session": "foreign"},
}
"""What is shown."""


def main() -> None:
    """Measure and print."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "hud.db"
        long_session(path)
        long_session(path, name="loud", texts=LOUD)
        long_session(path, name="foreign", texts=FOREIGN)
        os.environ["PYTHONPATH"] = os.fspath(ROOT)  # the process that holds it imports the domain
        print(headed(f"The preview's page: {TURNS:,} turns, {SECTIONS} sections"))
        print(f"load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
        for name, shown in CASES.items():
            print(f"\n== {name}")
            subject = Subject(name, store=str(path), domain=DOMAIN, **shown)
            _process(subject)
            _browser(subject)


def _process(subject: Subject) -> None:
    """Print how long the answers of the process take that holds a subject."""
    begun = perf_counter()
    with Preview(subject) as shown:
        if shown.fault is not None:
            raise SystemExit(str(shown.fault))
        opened = perf_counter() - begun
        print(f"read, with the first rendering: {1_000 * opened:,.0f} ms")
        print(
            f"{'answered after, ms':26}{'median':>8}{'p95':>8}{'most':>8}{'processor: median':>20}{'p95':>8}"
        )
        print("\n".join(_sliders(shown)))
        print(f"{'at rest, ms: median (p95)':26}" + "".join(f"{each:>14}" for each in ASKED))
        print("\n".join(_at_rest(shown)))
        size = len(shown.answer("view", FORMS["full, no budget"]))
        print(f"the largest answer: {size:,} bytes")


def _browser(subject: Subject) -> None:
    """Print how long each control takes in a real Chromium, where one is there."""
    place = chromium()
    if place is None or find_spec("playwright") is None:
        print("there is no Chromium to draw it: make browser-ready")
        return
    sync_playwright: Any = import_module("playwright.sync_api").sync_playwright
    assert subject.store is not None
    assert subject.session is not None
    named = (
        [subject.session]
        if subject.object is None
        else [subject.object, "--session", subject.session]
    )
    more = ["--store", subject.store, "--domain", DOMAIN]
    command = [sys.executable, "-m", "hud_runtime", "preview", *named, *more]
    with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8", cwd=ROOT) as served:
        assert served.stdout is not None
        address = served.stdout.readline().strip()
        try:
            with sync_playwright() as driver:
                rights = ["--no-sandbox"] if os.geteuid() == 0 else []
                opened = driver.chromium.launch(executable_path=place, args=rights)
                page = opened.new_page(viewport={"width": 1280, "height": 800})
                page.add_init_script(controls.PROBE)
                page.goto(address)
                page.wait_for_selector("#reading .part")
                print(controls.HEADING)
                for row in controls.measured(page, RESTED):
                    print(row, flush=True)
                opened.close()
        finally:
            served.terminate()


RESTED = 12.0
"""Seconds that the page is left alone; turns are made ready meanwhile."""


def _sliders(shown: Preview) -> Iterator[str]:
    """What moves of the sliders take: right after the start, and once it was left alone."""
    first = [_taken(shown, "view", PreviewLook(turn)) for turn in TRIED[:6]]
    yield _row("turns anywhere, at once", first)
    yield _row("turn by turn, at once", [_taken(shown, "view", PreviewLook(turn)) for turn in NEXT])
    yield _row("budget", [_taken(shown, "view", PreviewLook(AT, budget=each)) for each in _BUDGETS])
    yield _row("density", [_taken(shown, "view", PreviewLook(AT, each)) for each in _DENSITIES])
    for name, form in FORMS.items():
        yield f"{name}:"
        rested = _rested(shown, form)
        yield _row("  turn by turn", [_taken(shown, "view", _at(form, turn)) for turn in NEXT])
        yield _row("  turns anywhere", [_taken(shown, "view", _at(form, turn)) for turn in TRIED])
        yield f"  after it was left alone for {rested:.1f} s"


_BUDGETS = range(50, 2_050, 50)
_DENSITIES = ("minimal", "compact", "full") * 4


def _rested(shown: Preview, form: PreviewLook) -> float:
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
            times = [_taken(shown, what, _at(form, turn)).passed for turn in TRIED]
            cells.append(f"{statistics.median(times):,.0f} ({_p95(times):,.0f})")
        yield f"{name:26}" + "".join(f"{each:>14}" for each in cells)


def _row(name: str, taken: list[_Taken]) -> str:
    passed, own = [each.passed for each in taken], [each.processor for each in taken]
    return (
        f"{name:26}{statistics.median(passed):8,.0f}{_p95(passed):8,.0f}{max(passed):8,.0f}"
        f"{statistics.median(own):20,.0f}{_p95(own):8,.0f}"
    )


def _p95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20, method="inclusive")[-1]


def _at(form: PreviewLook, turn: int) -> PreviewLook:
    return PreviewLook(turn, form.density, form.budget)


class _Taken(NamedTuple):
    """Milliseconds that an answer takes: those that pass, and those of the process's own work."""

    passed: float
    processor: float


def _taken(shown: Preview, what: Any, look: PreviewLook) -> _Taken:
    more = {"index": SECTIONS // 2} if what == "node" else {}
    begun, before = perf_counter(), _processor(shown)
    shown.answer(what, look, **more)
    return _Taken(1_000 * (perf_counter() - begun), 1_000 * (_processor(shown) - before))


def _processor(shown: Preview) -> float:
    """Seconds of a processor that the process has had which holds the subject; not a number where nobody tells."""
    if sys.platform != "linux":
        return math.nan
    return clock_gettime(~_pid_of(shown) << 3 | _OF_A_PROCESS)


_OF_A_PROCESS = 2
"""``CPUCLOCK_SCHED``, as ``clock_getcpuclockid(3)`` makes a clock of a process's id."""


def _pid_of(shown: Preview) -> int:
    worker = shown._worker
    assert worker is not None
    return worker._process.pid


if __name__ == "__main__":
    main()
