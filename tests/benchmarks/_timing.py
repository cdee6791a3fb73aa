"""Timing candidates in turn, so that a change of the machine's speed hits them all alike."""

from __future__ import annotations

import gc
import statistics
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from time import process_time_ns
from typing import NamedTuple, TypeAlias

Run: TypeAlias = Callable[[], object]

ROUNDS = 25
"""Rounds in which every candidate has its turn; the median of the rounds counts."""

SLICE_NS = 16_000_000
"""How long one turn takes at least, in nanoseconds."""


class Asked(NamedTuple):
    """A question whose answer is a ratio: how long one way takes, to another."""

    what: str
    ours: Run
    theirs: Run
    most: float | None = None
    """What the ratio is to be at most; ``None`` where it is only told."""

    each: int = 1
    """How many things a run makes: times are told for each of them."""


def medians(
    candidates: Mapping[str, Run], *, collects: bool = False, rounds: int = ROUNDS
) -> dict[str, float]:
    """Return each candidate's median processor time per call, in microseconds.

    :param collects: whether the garbage collector is at work in the turns.
    :param rounds: how many turns each has.
    """
    times = _rounds(candidates, collects=collects, rounds=rounds)
    return {name: statistics.median(each) for name, each in times.items()}


def _rounds(
    candidates: Mapping[str, Run], *, collects: bool = False, rounds: int = ROUNDS
) -> dict[str, list[float]]:
    """Return each candidate's processor time per call in each round, in microseconds.

    Each round begins with another candidate: the first one pays for the caches that collecting
    garbage has emptied, and with few calls it pays a lot. What was there before the rounds is not
    looked at by the collector: it is the bench's.
    """
    calls = {name: _calls_per_slice(run) for name, run in candidates.items()}
    times: dict[str, list[float]] = {name: [] for name in candidates}
    gc.collect()
    gc.freeze()
    if not collects:
        gc.disable()
    try:
        order = deque(candidates.items())
        for _ in range(rounds):
            for name, run in order:
                times[name].append(_time(run, calls[name]))
            order.rotate()
            gc.collect()
    finally:
        gc.enable()
        gc.unfreeze()
    return times


def _calls_per_slice(run: Run) -> int:
    run()  # warm caches, compile, import
    calls = 1
    while _time(run, calls) * calls * 1000 < SLICE_NS:
        calls *= 2
    return calls


def _time(run: Run, calls: int) -> float:
    start = process_time_ns()  # waiting for a busy machine is no work
    for _ in range(calls):
        run()
    return (process_time_ns() - start) / calls / 1000


def headed(title: str) -> str:
    """Return a title, underlined."""
    return f"{title}\n{'=' * len(title)}"


def table(title: str, times: Mapping[str, float], *against: str) -> str:
    """Return times as a table, with a column of ratios for each name in ``against``."""
    width = max(map(len, times))
    head = f"{'':{width}}  {'µs':>9}" + "".join(f"  {'× ' + name:>22}" for name in against)
    rows = [
        f"{name:{width}}  {time:9.1f}"
        + "".join(f"  {time / times[other]:22.2f}" for other in against)
        for name, time in times.items()
    ]
    return "\n".join([headed(title), head, *rows, ""])


def answers(title: str, questions: Sequence[Asked], *, collects: bool = False) -> str:
    """Return the answers as a table: both times, the ratio, and its aim.

    The ratio is the median of those of the rounds, in which both stand side by side.
    """
    width = max(len(question.what) for question in questions)
    lines = [headed(title), f"{'':{width}}  {'µs':>9}  {'to µs':>9}  {'ratio':>7}  {'aim':>7}"]
    for what, ours, theirs, most, each in questions:
        times = _rounds({"ours": ours, "theirs": theirs}, collects=collects)
        ratio = statistics.median(
            one / other for one, other in zip(times["ours"], times["theirs"], strict=True)
        )
        mine, others = (statistics.median(each_time) / each for each_time in times.values())
        aim = "" if most is None else f"≤ {most:g}"
        missed = "  missed" if most is not None and ratio > most else ""
        lines.append(f"{what:{width}}  {mine:9.2f}  {others:9.2f}  {ratio:7.2f}  {aim:>7}{missed}")
    return "\n".join([*lines, ""])
