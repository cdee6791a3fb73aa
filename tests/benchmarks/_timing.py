"""Timing candidates in turn, so that a change of the machine's speed hits them all alike."""

from __future__ import annotations

import gc
import statistics
from collections import deque
from collections.abc import Callable, Mapping
from time import process_time_ns

ROUNDS = 25
"""Rounds in which every candidate has its turn; the median of the rounds counts."""

SLICE_NS = 16_000_000
"""How long one turn takes at least, in nanoseconds."""


def medians(candidates: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """Return each candidate's median processor time per call, in microseconds.

    Each round begins with another candidate: the first one pays for the caches that collecting
    garbage has emptied, and with few calls it pays a lot.
    """
    calls = {name: _calls_per_slice(run) for name, run in candidates.items()}
    samples: dict[str, list[float]] = {name: [] for name in candidates}
    gc.disable()
    try:
        order = deque(candidates.items())
        for _ in range(ROUNDS):
            for name, run in order:
                samples[name].append(_time(run, calls[name]))
            order.rotate()
            gc.collect()
    finally:
        gc.enable()
    return {name: statistics.median(times) for name, times in samples.items()}


def _calls_per_slice(run: Callable[[], object]) -> int:
    run()  # warm caches, compile, import
    calls = 1
    while _time(run, calls) * calls * 1000 < SLICE_NS:
        calls *= 2
    return calls


def _time(run: Callable[[], object], calls: int) -> float:
    start = process_time_ns()  # waiting for a busy machine is no work
    for _ in range(calls):
        run()
    return (process_time_ns() - start) / calls / 1000


def table(title: str, times: Mapping[str, float], *against: str) -> str:
    """Return times as a table, with a column of ratios for each name in ``against``."""
    width = max(map(len, times))
    head = f"{'':{width}}  {'µs':>9}" + "".join(f"  {'× ' + name:>22}" for name in against)
    rows = [
        f"{name:{width}}  {time:9.1f}"
        + "".join(f"  {time / times[other]:22.2f}" for other in against)
        for name, time in times.items()
    ]
    return "\n".join([title, "=" * len(title), head, *rows, ""])
