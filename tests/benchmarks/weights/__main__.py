"""``make weights``: fit, try on texts that were not fitted, print the tables."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator

from tests.benchmarks.weights._fit import WINDOWS, Tables, estimates, fit, samples
from tests.benchmarks.weights._texts import corpus
from ujsx.tokens import BLOCK_WEIGHTS


def source(tables: Tables) -> Iterator[str]:
    """Yield the lines of the tables of ``ujsx/tokens.py``."""
    yield "CLASSES = bytes.fromhex("
    for start in range(0, WINDOWS, 32):
        yield f'    "{bytes(map(int, tables.codes[start : start + 32])).hex()}"'
    yield ")"
    yield "WINDOW_WEIGHTS: tuple[int, ...] = ("
    weights = [round(100 * weight) for weight in tables.windows]
    for start in range(0, WINDOWS, 16):
        yield f"    {', '.join(f'{weight:3}' for weight in weights[start : start + 16])},"
    yield ")"
    yield "BLOCK_WEIGHTS: tuple[tuple[int, int, str], ...] = ("
    for (first, _, name), weight in zip(BLOCK_WEIGHTS, tables.blocks, strict=True):
        yield f'    (0x{first:04X}, {round(100 * weight)}, "{name}"),'
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
    tables = fit(list(samples(texts.fitted)))
    print(*source(tables), sep="\n")
    print("\nmean error, mean of its size, 95 of 100 within, at most")
    for name, each in (("fitted", texts.fitted), ("tried", texts.tried)):
        found = list(estimates(tables, each))
        print(f"{name:24}{summary(error for _, error in found)}")
        read = [error for kind, error in found if kind.startswith("agent")]
        print(f"{'  what agents read':24}{summary(read)}")
    for kind in sorted({kind for kind, _ in found}):
        print(f"{kind:24}{summary(error for each, error in found if each == kind)}")


if __name__ == "__main__":
    main()
