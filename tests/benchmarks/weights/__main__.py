"""``make weights``: fit, try on texts that were not fitted, print the table."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from tests.benchmarks.weights._fit import Weights, fit, samples
from tests.benchmarks.weights._texts import Texts, corpus
from ujsx.tokens import BLOCK_WEIGHTS, LATIN_WEIGHTS, TokenCounter, rs_bpe_counter


def source(weights: Weights) -> Iterator[str]:
    """Yield the lines of both tables of ``ujsx/tokens/_weights.py``."""
    yield "LATIN_WEIGHTS: tuple[int, ...] = ("
    for start in range(0, 256, 16):
        row = ", ".join(f"{weight:3}" for weight in weights.latin[start : start + 16])
        chars = "".join(map(chr, range(start, start + 16))).replace("\x7f", "").replace("\xad", "")
        yield f"    {row},  # {chars if chars.isprintable() else ''}".rstrip(" #")
    yield ")"
    yield "BLOCK_WEIGHTS: tuple[tuple[int, int, str], ...] = ("
    for (first, _, name), weight in zip(BLOCK_WEIGHTS, weights.blocks, strict=True):
        yield f'    (0x{first:04X}, {weight}, "{name}"),'
    yield ")"


def errors(weights: Weights, texts: Texts, exact: TokenCounter) -> dict[str, list[float]]:
    """Return by how much the estimate of each text is off, by kind."""
    return {
        kind: [weights.estimate(text) / exact(text) - 1 for text in each]
        for kind, each in texts.items()
        if each
    }


def summary(found: dict[str, list[float]]) -> str:
    """Return the mean error, the 95th percentile, and the largest."""
    every = sorted(abs(error) for each in found.values() for error in each)
    return (
        f"{len(every):,} texts of {len(found)} kinds: mean error {statistics.mean(every):.1%}, "
        f"95 of 100 within {every[len(every) * 95 // 100]:.1%}, at most {every[-1]:.1%}"
    )


def main() -> None:
    """Fit, try, print."""
    exact = rs_bpe_counter()
    fitted, tried = corpus()
    weights = fit(list(samples(fitted, exact)))
    print(*source(weights), sep="\n")
    print("\nfitted to", summary(errors(weights, fitted, exact)))
    found = errors(weights, tried, exact)
    print("tried on", summary(found))
    for kind, each in sorted(found.items()):
        off = statistics.mean(map(abs, each))
        print(
            f"{kind:20}{len(each):4}{statistics.mean(each):+8.1%}{off:8.1%}{max(each, key=abs):+8.1%}"
        )
    now = Weights(LATIN_WEIGHTS, tuple(weight for _, weight, _ in BLOCK_WEIGHTS))
    print("\nthe weights of ujsx.tokens, tried on", summary(errors(now, tried, exact)))


if __name__ == "__main__":
    main()
