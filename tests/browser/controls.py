"""How long each control of the preview's page takes until the browser has drawn what it asks for.

In: a page that shows a long session. Out: a row for each control. Time counts from the moment at which the browser
knows of the key or the click, as the event says, to the frame behind the one that shows what it led to.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle
from typing import Any, NamedTuple

PROBE = """
(() => {
  const begun = new Map();
  let last = null, watched = null;
  window.taken = [];
  const key = () => document.getElementById("turn")?.value;
  const heard = (event) => { last = event.timeStamp; if (event.target.id === "turn") begun.set(event.target.value, last); };
  addEventListener("input", heard, true);
  addEventListener("click", heard, true);
  window.watch = (selector, isTurn) => {
    watched?.disconnect();
    window.taken = []; begun.clear(); last = null;
    watched = new MutationObserver(() => {
      const from = isTurn ? begun.get(key()) : last;
      if (from === undefined || from === null) return;
      if (isTurn) begun.delete(key()); else last = null;
      requestAnimationFrame(() => {
        const behind = new MessageChannel();
        behind.port1.onmessage = () => window.taken.push(performance.now() - from);
        behind.port2.postMessage(0);
      });
    });
    watched.observe(document.querySelector(selector), { subtree: true, childList: true, characterData: true });
  };
})();
"""
"""Measures in the page, from an event to the task behind the frame that shows what it led to."""

PAUSES = (0.0, 0.1, 0.2, 0.35)
"""Seconds between two keys, one after the other: in some of them the page asks for more of what it shows."""

PATIENCE = 60.0
"""Seconds in which something has to be drawn."""

HELD = 1 / 30
"""Seconds between two repetitions of a key that is held."""

HEADING = f"{'drawn after, ms':34}{'times':>6}{'median':>8}{'p95':>8}{'most':>8}"


class Control(NamedTuple):
    """Something that a user does, and what shows that it was done."""

    name: str
    focus: str
    """What has the focus before."""

    keys: Sequence[str]

    shows: str = "#turn-is"
    """What is drawn anew."""


ANYWHERE = ("Home", "PageUp", "PageUp", "End", "PageDown", "PageDown", "ArrowLeft", "PageDown")
"""Keys that lead to turns all over a session."""

FIRST = Control("the first jumps after opening", "#turn", ANYWHERE[:6])

SLIDERS = (
    Control("turn by turn", "#turn", ["ArrowLeft"] * 12),
    Control("turns anywhere", "#turn", ANYWHERE * 2),
    Control(
        "density", "#density", ["End", "ArrowLeft", "ArrowLeft", "ArrowLeft"] * 3, "#density-is"
    ),
    Control("budget", "#budget", [*["ArrowRight"] * 10, "End", "Home"], "#budget-is"),
)

FULL = Control("turns anywhere, in full", "#turn", ANYWHERE * 2)

TABS = {"exact": "shown", "changes": "shown", "reading": "shown"} | dict.fromkeys(
    ("omitted", "prefix", "tree", "section"), "details"
)
"""What is looked at of a turn, and where it stands."""


def measured(page: Any, rested: float) -> Iterator[str]:
    """Yield a row for each control of a page that was opened just now.

    :param rested: seconds that it is left alone before the sliders are moved again.
    """
    yield _row(FIRST, _driven(page, FIRST))
    page.wait_for_timeout(1_000 * rested)
    for each in SLIDERS:
        yield _row(each, _driven(page, each))
    yield _row(Control("turn, its key held", "#turn", ()), _held(page))
    for name in TABS:
        yield _row(Control(f"tab {name}", "", ()), _tab(page, name))
        if name in ("exact", "changes"):
            yield _row(Control("  turn by turn there", "", ()), _steps(page, f"#{name}"))
        if name == "tree":
            yield _row(Control("  turn by turn there", "", ()), _steps(page, f"#{name}"))
    _press(page, "#density", ["End"])
    _press(page, "#budget", ["End"])
    page.wait_for_timeout(1_000 * rested)
    yield _row(FULL, _driven(page, FULL))


def _steps(page: Any, shows: str) -> list[float]:
    return _driven(page, Control("", "#turn", ["ArrowLeft"] * 6, shows))


def _driven(page: Any, control: Control) -> list[float]:
    page.focus(control.focus)
    page.evaluate(
        "([selector, isTurn]) => watch(selector, isTurn)",
        [control.shows, control.shows == "#turn-is"],
    )
    for place, (key, pause) in enumerate(zip(control.keys, cycle(PAUSES)), 1):
        before = page.input_value(control.focus)
        page.keyboard.press(key)
        if page.input_value(control.focus) == before:  # it was there already
            page.evaluate("taken.push(NaN)")
        _until(page, place)
        page.wait_for_timeout(1_000 * pause)
    return _taken(page)


def _held(page: Any) -> list[float]:
    """How old each turn is that is drawn while a key is held."""
    page.focus("#turn")
    page.keyboard.press("Home")
    page.wait_for_timeout(500)
    page.evaluate("watch('#turn-is', true)")
    for _ in range(60):
        page.keyboard.down("ArrowRight")
        page.wait_for_timeout(1_000 * HELD)
    page.keyboard.up("ArrowRight")
    page.wait_for_timeout(1_000)
    return _taken(page)


def _tab(page: Any, name: str) -> list[float]:
    away = "reading" if TABS[name] == "shown" else "section"
    away = {"reading": "exact", "section": "tree"}.get(name, away)
    found: list[float] = []
    for _ in range(6):
        page.click(f"#tab-{away}")
        page.wait_for_timeout(250)
        page.evaluate("selector => watch(selector, false)", f"#tab-{name}")
        page.evaluate(
            "name => { const panel = document.getElementById(name);"
            " new MutationObserver((_, own) => { own.disconnect(); document.getElementById(`tab-${name}`).append(''); })"
            ".observe(panel, { attributes: true, attributeFilter: ['hidden'] }); }",
            name,
        )
        page.click(f"#tab-{name}")
        _until(page, 1)
        found += _taken(page)
    return found


def _press(page: Any, selector: str, keys: Iterable[str]) -> None:
    page.focus(selector)
    for key in keys:
        page.keyboard.press(key)


def _until(page: Any, count: int) -> None:
    end = time.monotonic() + PATIENCE
    while page.evaluate("taken.length") < count:
        assert time.monotonic() < end, "nothing was drawn"
        page.wait_for_timeout(10)


def _taken(page: Any) -> list[float]:
    return [each for each in page.evaluate("taken") if each == each]  # noqa: PLR0124 - NaN is for no change


def _row(control: Control, times: Sequence[float]) -> str:
    if len(times) < 2:
        return f"{control.name:34}{len(times):6}"
    p95 = statistics.quantiles(times, n=20, method="inclusive")[-1]
    return f"{control.name:34}{len(times):6}{statistics.median(times):8,.0f}{p95:8,.0f}{max(times):8,.0f}"
