"""Many adversarial trees through law 1, in several processes. Run with ``make fuzz``.

Prints the rate per context, and each failure as a small tree in JSON. The same seed gives the same
trees, however many processes there are. Exit status 1 if a tree failed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from tests.conformance._law_1 import broken
from tests.conformance._shrink import shrunk
from tests.conformance._trees import contexts, tree
from ujsx.mdast import Root, normalize, to_dict, to_markdown

BATCH = 250
"""Trees that a process is handed at once."""

SHOWN = 20
"""Failures that are made small and printed; that takes a second each."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Trees of one context, by their numbers."""

    context: str
    seed: int
    numbers: range
    gfm: bool


@dataclass(frozen=True, slots=True)
class Tally:
    """What came of a batch: how many were exact, how many canonical as they grew, what failed."""

    batch: Batch
    exact: int
    canonical: int
    failures: tuple[tuple[int, str], ...]


def batches(total: int, seed: int, *, gfm: bool) -> Iterator[Batch]:
    """Share ``total`` trees out over the contexts."""
    names = contexts(gfm=gfm)
    for place, name in enumerate(names):
        count = total // len(names) + (place < total % len(names))
        for start in range(0, count, BATCH):
            yield Batch(name, seed, range(start, min(start + BATCH, count)), gfm)


def examine(batch: Batch) -> Tally:
    """Try the law on a batch."""
    failures: list[tuple[int, str]] = []
    canonical = 0
    for number in batch.numbers:
        root = tree(batch.context, batch.seed, number, gfm=batch.gfm)
        fault = broken(root)
        if fault is None:
            canonical += normalize(root) == root
        else:
            failures.append((number, fault))
    return Tally(batch, len(batch.numbers) - len(failures), canonical, tuple(failures))


def run(total: int, seed: int, *, gfm: bool) -> list[Tally]:
    """Examine all batches, with progress on standard error."""
    waiting = list(batches(total, seed, gfm=gfm))
    tallies: list[Tally] = []
    done, started = 0, time.monotonic()
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for tally in pool.map(examine, waiting):
            tallies.append(tally)
            done += len(tally.batch.numbers)
            failed = sum(len(each.failures) for each in tallies)
            rate = done / (time.monotonic() - started)
            _progress(f"{done:,} of {total:,} trees, {failed} failed, {rate:,.0f} a second")
    _progress("")
    return tallies


def _progress(text: str) -> None:
    if sys.stderr.isatty() or not text:
        print(f"\r{text:78}", end="" if text else "\r", file=sys.stderr, flush=True)


def rates(tallies: list[Tally]) -> str:
    """Return the exact rate per context, as a table."""
    trees: Counter[str] = Counter()
    exact: Counter[str] = Counter()
    canonical: Counter[str] = Counter()
    for tally in tallies:
        for name in (tally.batch.context, "all"):
            trees[name] += len(tally.batch.numbers)
            exact[name] += tally.exact
            canonical[name] += tally.canonical
    names = [name for name in trees if name != "all"] + ["all"]
    rows = [
        f"{name:20} {trees[name]:8,} {exact[name]:8,} {percent(exact[name], trees[name]):>9}"
        f" {percent(canonical[name], trees[name]):>19}"
        for name in names
    ]
    head = f"{'context':20} {'trees':>8} {'exact':>8} {'':>9} {'canonical as grown':>19}"
    return "\n".join([head, *rows])


def percent(part: int, whole: int) -> str:
    """Return a share, never rounded up to 100 %.

    >>> percent(59_999, 60_000), percent(3, 3)
    ('99.99 %', '100 %')
    """
    if part == whole:
        return "100 %"
    return f"{int(10_000 * part / whole) / 100:.2f} %"


def report(tally: Tally, number: int, fault: str) -> str:
    """Return a failure in words, with a small tree that fails the same way."""
    batch = tally.batch
    root = shrunk(tree(batch.context, batch.seed, number, gfm=batch.gfm), broken)
    return "\n".join(
        [
            f"{batch.context}, seed {batch.seed}, tree {number}: {fault}",
            f"  {json.dumps(to_dict(root), ensure_ascii=True)}",
            f"  written: {_written(root)}",
        ]
    )


def _written(root: Root) -> str:
    try:
        return repr(to_markdown(normalize(root)))
    except Exception as error:  # noqa: BLE001  # shown in place of the text
        return f"{type(error).__name__}: {error}"


def main() -> int:
    """Read the arguments, run, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.fuzz", description=__doc__)
    parser.add_argument("trees", type=int, nargs="?", default=60_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dialect", choices=("gfm", "commonmark"), default="gfm")
    options = parser.parse_args()
    tallies = run(options.trees, options.seed, gfm=options.dialect == "gfm")
    print(f"Law 1, {options.dialect}, seed {options.seed}\n\n{rates(tallies)}")
    failures = [(tally, *failure) for tally in tallies for failure in tally.failures]
    for tally, number, fault in failures[:SHOWN]:
        print(f"\n{report(tally, number, fault)}", flush=True)
    if len(failures) > SHOWN:
        print(f"\n… and {len(failures) - SHOWN:,} more")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
