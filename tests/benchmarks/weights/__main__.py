"""``make weights``: fit, try on texts that were not fitted, print the tables."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterable, Iterator

from tests.benchmarks.weights._fit import WINDOWS, Tables, estimates, fit, samples, tables
from tests.benchmarks.weights._texts import corpus
from ujsx.tokens import BLOCK_WEIGHTS


def source(found: Tables) -> Iterator[str]:
    """Yield the lines of the tables of ``ujsx/tokens.py``."""
    yield "CLASSES = bytes.fromhex("
    for start in range(0, WINDOWS, 32):
        yield f'    "{bytes(map(int, found.codes[start : start + 32])).hex()}"'
    yield ")"
    yield "WINDOW_WEIGHTS: tuple[int, ...] = ("
    weights = [round(100 * weight) for weight in found.weights]
    for start in range(0, WINDOWS, 16):
        yield f"    {', '.join(f'{weight:3}' for weight in weights[start : start + 16])},"
    yield ")"
    yield "BLOCK_WEIGHTS: tuple[tuple[int, int, str], ...] = ("
    for (first, _, name), weight in zip(BLOCK_WEIGHTS, weights[WINDOWS:], strict=True):
        yield f'    (0x{first:04X}, {weight}, "{name}"),'
    yield ")"


def summary(errors: Iterable[float]) -> str:
    """Return the mean error, its mean size, the 95th percentile, and the largest."""
    found = list(errors)
    sizes = sorted(map(abs, found))
    return (
        f"{len(found):6,} texts {statistics.mean(found):+7.1%} {statistics.mean(sizes):6.1%} "
        f"{sizes[len(sizes) * 95 // 100]:6.1%} {sizes[-1]:6.1%}"
    )


def main() -> None:
    """Fit, try, print."""
    texts = corpus()
    found = fit(list(samples(texts.fitted)), is_all="--all" in sys.argv)
    print(*source(found), sep="\n")
    print("\nmean error, mean of its size, 95 of 100 within, at most; before and now")
    for name, each in (("fitted", texts.fitted), ("tried", texts.tried)):
        both = [list(estimates(one, each)) for one in (tables(), found)]
        kinds = sorted({kind for kind, _ in both[0]})
        shown(name, both, kinds)
        shown("  what agents read", both, [kind for kind in kinds if kind.startswith("agent")])
    for kind in kinds:
        shown(kind, both, [kind])


def shown(name: str, both: list[list[tuple[str, float]]], kinds: list[str]) -> None:
    """Print how far both are off on the texts of some kinds."""
    each = (summary(error for kind, error in one if kind in kinds) for one in both)
    print(f"{name:28}{' |'.join(each)}")


if __name__ == "__main__":
    main()
