"""Previews for the tests, and the patience to wait for what another process does."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from hud_runtime.preview import Preview, Subject

PATIENCE = 60.0
"""Seconds in which something has to have happened, however busy the machine is."""


@pytest.fixture(scope="module", autouse=True)
def _warm(warm_previews: None) -> None:
    """Half a second of a processor less for each preview."""


@pytest.fixture
def until() -> Callable[[Callable[[], object]], None]:
    """Wait until something holds."""

    def wait(holds: Callable[[], object]) -> None:
        end = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < end, "it did not come to hold"
            time.sleep(0.01)  # between two looks at the condition

    return wait


@pytest.fixture
def preview() -> Iterator[Callable[..., Preview]]:
    """Make previews, and end them."""
    with ExitStack() as held:

        def make(subject: Subject, **patience: float) -> Preview:
            return held.enter_context(Preview(subject, **{"loading": 2 * PATIENCE} | patience))

        yield make


@pytest.fixture(scope="module")
def demo() -> Iterator[Preview]:
    """The bundled transcript."""
    path = Path(__file__).parents[3] / "hud_runtime" / "data" / "demo.jsonl"
    with Preview(Subject("demo", transcript=str(path))) as made:
        yield made
