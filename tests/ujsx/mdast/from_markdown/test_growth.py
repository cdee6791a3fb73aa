"""Twice the document costs twice the time: no text makes a reader slow, or ends in anything but a
tree or an ``MdastError``.

``growth.json`` holds documents: a unit that is repeated, and what stands before and after. Each is
read at a size and at four times that: where time grows with the square, that takes sixteen times as
long. A ratio of eight lies far from both.
"""

import gc
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, get_args

import pytest

from ujsx import MdastError
from ujsx.mdast import from_markdown
from ujsx.mdast.from_markdown import Engine

SIZE = 2_000
"""Characters of the smaller text."""

TIMES = 4
MOST = 8
TRIES = 4
"""Whatever disturbs a measurement makes it longer: the shortest counts."""

FAST = 0.002
"""Seconds in which the larger text is read whatever the law of its growth."""


class Case(NamedTuple):
    name: str
    before: str
    unit: str
    after: str

    def text(self, size: int) -> str:
        return self.before + self.unit * (size // len(self.unit)) + self.after


PATH = Path(__file__).with_name("growth.json")
CASES = [Case(**row) for row in json.loads(PATH.read_text(encoding="utf-8"))]


def seconds(text: str, engine: Engine) -> float:
    started = time.process_time()
    with suppress(MdastError):
        from_markdown(text, engine=engine)
    return time.process_time() - started


@contextmanager
def without_collector() -> Iterator[None]:
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@pytest.mark.parametrize("engine", get_args(Engine))
def test_is_linear(engine: Engine) -> None:
    slow = {case.name: found for case in CASES if (found := disproportion(case, engine))}
    assert slow == {}


def disproportion(case: Case, engine: Engine) -> str | None:
    """How much longer ``TIMES`` the text takes, where that is too much."""
    small, large = case.text(SIZE), case.text(SIZE * TIMES)
    short = long = float("inf")
    with without_collector():
        for _ in range(TRIES):
            short = min(short, seconds(small, engine))
            long = min(long, seconds(large, engine))
            if long < max(MOST * short, FAST):
                return None
    return f"{long / short:.1f} times as long for {TIMES} times the text: {long:.3f} s"


def test_depth_is_noticed_before_work_is_spent() -> None:
    levels = 20_000
    deep = seconds("- " * levels + "a", "markdown-it")
    flat = seconds("- a\n" * (levels // 2), "markdown-it")
    assert deep < flat
