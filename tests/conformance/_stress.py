"""Inputs that make parsers slow: how long they take, and how much longer at twice the size."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from ujsx import UjsxError
from ujsx.mdast import Emphasis, Paragraph, Root, Strong, Text, from_markdown, to_markdown

ROUNDS = 3
"""The best of so many times counts."""


@dataclass(frozen=True, slots=True)
class Stress:
    """A text by its size: ``size`` is what is measured, half of it what it is compared with."""

    name: str
    size: int
    text: Callable[[int], str]


def _nested_emphasis(depth: int) -> str:
    node: Emphasis | Strong = Emphasis((Text("a"),))
    for level in range(1, depth):
        kind = Strong if level % 2 else Emphasis
        node = kind((Text("b "), node, Text(" c")))
    return to_markdown(Root((Paragraph((node,)),)))


def _runs(size: int) -> str:
    pieces: list[str] = []
    length = 1
    while sum(map(len, pieces)) < size:
        pieces.append("`" * length + "a")
        length += 1
    return "".join(pieces)


STRESSES = (
    Stress("emphasis nested 120 deep", 120, _nested_emphasis),
    Stress("100,000 delimiters in a line", 100_000, lambda size: "*a_" * (size // 2)),
    Stress("100,000 brackets in a line", 100_000, lambda size: "[a](" * (size // 2)),
    Stress("100,000 backticks, no run like another", 100_000, _runs),
    Stress("10,000 nested quotes", 10_000, lambda size: ">" * size + "a"),
    Stress("1,000 lines in a quote 140 deep", 1_000, lambda size: (">" * 140 + "a\n") * size),
    Stress("1 MB of words in a line", 1_000_000, lambda size: "word " * (size // 5)),
    Stress("1 MB of paragraphs", 1_000_000, lambda size: "A *b* `c`.\n\n" * (size // 12)),
)


def lines() -> Iterator[str]:
    """Yield the table's lines: milliseconds, and by what they grow when the input doubles."""
    yield f"{'':46} {'read, ms':>9}  {'× 2':>5}  {'write, ms':>9}  {'× 2':>5}"
    for stress in STRESSES:
        half, full = stress.text(stress.size // 2), stress.text(stress.size)
        try:
            trees = from_markdown(half), from_markdown(full)
            reading = [_best(partial(from_markdown, text)) for text in (half, full)]
            writing = [_best(partial(to_markdown, tree)) for tree in trees]
        except UjsxError as error:
            yield f"{stress.name:46} refused: {error}"
            continue
        cells = "  ".join(f"{long:9.1f}  {long / short:5.1f}" for short, long in (reading, writing))
        yield f"{stress.name:46} {cells}"


def _best(run: Callable[[], object]) -> float:
    times: list[float] = []
    gc.disable()  # what it costs depends on all that was made before
    try:
        for _ in range(ROUNDS):
            start = time.process_time()
            run()
            times.append(time.process_time() - start)
            gc.collect()
    finally:
        gc.enable()
    return max(1000 * min(times), 0.01)
