"""Every section at every density, with each of the states, as text that a person can read."""

from __future__ import annotations

import pytest

from tests.hud_components.cases import EMPTY, STATES, sections
from ujsx import Density, RenderContext, render
from ujsx.testing import TierSnapshots, assert_inert

NAMES = list(sections(EMPTY))
SPEAKS_ALWAYS = {"StatusLine", "Hud"}


@pytest.mark.parametrize("case", STATES)
@pytest.mark.parametrize("name", NAMES)
def test_a_section_at_each_density(name: str, case: str, tier_snapshots: TierSnapshots) -> None:
    tier_snapshots(sections(STATES[case])[name], f"{name}.{case}")


@pytest.mark.parametrize("density", Density)
@pytest.mark.parametrize("case", STATES)
@pytest.mark.parametrize("name", NAMES)
def test_no_text_becomes_structure(name: str, case: str, density: Density) -> None:
    assert_inert(sections(STATES[case])[name], RenderContext(density=density))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in SPEAKS_ALWAYS])
def test_an_empty_section_says_nothing(name: str) -> None:
    assert render(sections(EMPTY)[name]) == ""
