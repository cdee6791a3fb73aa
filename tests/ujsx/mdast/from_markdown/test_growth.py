"""Eight times the document takes eight times as long or little more: no text makes a reader slow, or ends
in anything but a tree or an ``MdastError``.

``growth.json`` holds documents: a unit that is repeated, and what stands before and after.
"""

import json
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from math import isqrt
from pathlib import Path
from typing import NamedTuple, get_args

import pytest

from tests.growth import IN_PROPORTION, growth, seconds
from tests.ids import looped
from ujsx import MdastError
from ujsx.mdast import from_markdown
from ujsx.mdast.from_markdown import Engine

SIZES = 1_000, 8_000
"""Characters."""


class Case(NamedTuple):
    name: str
    before: str
    unit: str
    after: str

    def text(self, size: int) -> str:
        return self.before + self.unit * (size // len(self.unit)) + self.after


PATH = Path(__file__).with_name("growth.json")
CASES = [Case(**row) for row in json.loads(PATH.read_text(encoding="utf-8"))]


def read(text: str, engine: Engine = "markdown-it") -> None:
    with suppress(MdastError):
        from_markdown(text, engine=engine)


@pytest.mark.parametrize("engine", get_args(Engine))
def test_is_linear(engine: Engine) -> None:
    work = partial(read, engine=engine)
    ratios = {case.name: growth(work, *map(case.text, SIZES)) for case in CASES}
    assert {name: each for name, each in ratios.items() if each > IN_PROPORTION} == {}


@looped(
    "build",
    [
        lambda size: "[" * size + "a" + "]" * size,
        lambda size: "".join(f" {'`' * length}" for length in range(isqrt(2 * size))),
    ],
    ids=["brackets in brackets", "backticks of all lengths"],
)
def test_of_parts_that_differ_is_linear(build: Callable[[int], str]) -> None:
    assert growth(read, *map(build, SIZES)) <= IN_PROPORTION


def test_depth_is_noticed_before_work_is_spent() -> None:
    levels = 20_000
    assert seconds(read, "- " * levels + "a") < seconds(read, "- a\n" * (levels // 2))
