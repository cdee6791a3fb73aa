"""How far estimated tokens are from those that o200k has, and the sum of pieces from the whole.

The texts are on any machine that can run this: READMEs of installed packages, the standard library's
source, what Python logs when it imports, JSON, HUDs, and those of tests/token_texts.py. Only rs_bpe knows o200k here.
"""

from __future__ import annotations

import inspect
import json
import statistics
import subprocess
import sys
from collections.abc import Iterable
from functools import partial

from hud_components import Hud, HudState
from tests.benchmarks._sample import sample_state
from tests.benchmarks._timing import medians
from tests.benchmarks.markdown_speed import readmes
from tests.token_texts import kinds, off, percentile, rows
from ujsx import Density, RenderContext, render_document
from ujsx.mdast import from_markdown, to_dict
from ujsx.tokens import TokenCounter, calibrated, estimate_tokens, rs_bpe_counter

MODULES = "argparse ast bisect calendar csv dataclasses difflib functools heapq textwrap"


def a_quarter(text: str) -> int:
    """Return the estimate that most people use: four characters a token."""
    return len(text) // 4


def huds() -> list[str]:
    """Return HUDs that are ever longer, at each density."""
    full = sample_state()
    states = [
        full.model_copy(
            update={
                name: getattr(full, name)[:count]
                for name in ("decisions", "notes", "next_steps", "active_files")
            }
        )
        for count in range(1, 11)
    ]
    return [
        render_document(Hud.of(state), density=density).text
        for state in states
        for density in Density
    ]


def samples() -> dict[str, list[str]]:
    """Return texts by kind."""
    markdown = readmes()
    modules = [inspect.getsource(__import__(name)) for name in MODULES.split()]
    log = subprocess.run(
        [sys.executable, "-v", "-c", "import asyncio, json, sqlite3"],
        capture_output=True,
        text=True,
        check=True,
    ).stderr
    return {
        "READMEs": markdown,
        "code": modules,
        "JSON": [json.dumps(to_dict(from_markdown(each)), indent=1) for each in markdown],
        "logs": _in_parts(log.splitlines(keepends=True), 40),
        "HUDs": huds(),
    }


def _in_parts(lines: list[str], size: int) -> list[str]:
    return ["".join(lines[at : at + size]) for at in range(0, len(lines), size)]


def errors(counter: TokenCounter, exact: TokenCounter, texts: Iterable[str]) -> tuple[float, float]:
    """Return the mean error over all tokens of a kind, and the mean absolute error of its texts."""
    pairs = [(counter(text), exact(text)) for text in texts]
    whole = sum(ours for ours, _ in pairs) / sum(theirs for _, theirs in pairs) - 1
    return whole, statistics.mean(abs(ours / theirs - 1) for ours, theirs in pairs)


def print_errors(exact: TokenCounter) -> None:
    """Print how far each estimate is from o200k, by the kind of text."""
    title = "Estimated tokens against o200k: the error of all texts of a kind, and that of each"
    print(title, "=" * len(title), sep="\n")
    print(
        f"{'':10}{'texts':>6}{'tokens':>9}  {'estimate':>16}  {'calibrated':>16}  {'len / 4':>16}"
    )
    for kind, texts in samples().items():
        counted, reported = (sum(map(counter, texts[::2])) for counter in (estimate_tokens, exact))
        ours = calibrated(counted=counted, reported=reported)
        rest = texts[1::2]
        shown = [
            errors(estimate_tokens, exact, texts),
            errors(ours, exact, rest),
            errors(a_quarter, exact, texts),
        ]
        columns = "  ".join(f"{whole:+8.1%}{each:8.1%}" for whole, each in shown)
        print(f"{kind:10}{len(texts):6}{sum(map(exact, texts)):9,}  {columns}")
    print("calibrated: by every other text of the kind; the error is that of the texts between\n")


def print_kinds() -> None:
    """Print the error of the estimate on each of the texts that no weight was fitted to."""
    every = [abs(off(each)) for each in kinds()]
    title = "The error of the estimate against o200k, by script and kind"
    print(title, "=" * len(title), *rows(), sep="\n")
    print(
        f"all {len(every)}: {statistics.mean(every):.1%} on average, "
        f"95 of 100 within {percentile(every, 95):.1%}, at most {max(every):.1%}\n"
    )


def print_speed(exact: TokenCounter) -> None:
    """Print how long the estimate takes, and exact counting, of texts of 8,000 characters."""
    title = "Estimating, and counting exactly (rs-bpe, o200k), 8,000 characters"
    print(title, "=" * len(title), f"{'':12}{'µs':>8}{'exact µs':>10}{'×':>6}", sep="\n")
    texts = {each.name: each.text for each in kinds()}
    runs = {"README": readmes()[0], **{name: texts[name] for name in TIMED}}
    for name, text in runs.items():
        long = (text * (8_000 // len(text) + 1))[:8_000]
        times = medians(
            {"ours": partial(estimate_tokens, long), "exact": partial(exact, long)}, rounds=9
        )
        ours, theirs = times.values()
        print(f"{name:12}{ours:8.1f}{theirs:10.1f}{theirs / ours:6.1f}")
    print()


TIMED = ("HUD", "Python", "JSON, compact", "German", "Russian", "Hindi", "Chinese")


def print_sums(exact: TokenCounter) -> None:
    """Print how much more tokens the pieces of a HUD have than the whole."""
    title = "The sum of a HUD's pieces over the whole, in tokens"
    print(title, "=" * len(title), sep="\n")
    counters = {"estimate_tokens": estimate_tokens, "o200k": exact}
    for name, counter in counters.items():
        context = RenderContext(count_tokens=counter)
        for density in Density:
            rendered = render_document(Hud.of(_state()), density=density, context=context)
            pieces = [node.tokens for node in rendered.nodes]
            over = sum(pieces) - rendered.tokens
            share = over / rendered.tokens
            print(
                f"{name:16}{density:8}{rendered.tokens:6} tokens in {len(pieces):2} pieces: "
                f"{over:+3} ({share:+.1%})"
            )
    print()


def _state() -> HudState:
    return sample_state()


def main() -> None:
    """Measure and print."""
    exact = rs_bpe_counter()
    print_errors(exact)
    print_sums(exact)
    print_kinds()
    print_speed(exact)


if __name__ == "__main__":
    main()
