"""Each test here is run for each domain, in a store in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from hud_runtime import HudSession, HudStore
from tests.docs.domains.cases import CASES, Case
from tests.hud_runtime.clock import Ticking


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> Case:
    return request.param


@pytest.fixture
def store(case: Case) -> Iterator[HudStore[Any]]:
    clock = Ticking(1_772_438_400_000, 1_000)
    with HudStore.open(":memory:", domain=case.domain, clock=clock, entropy=bytes) as opened:
        yield opened


@pytest.fixture
def played(case: Case, store: HudStore[Any]) -> HudSession[Any]:
    """The session after the story."""
    return case.played(store)
