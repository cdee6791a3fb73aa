"""Every section at every density, with its examples and each of the states, as text that a person can read."""

from __future__ import annotations

from importlib import import_module
from pkgutil import walk_packages

import pytest

import hud_components
from hud_components import HudSection
from tests.hud_components.cases import EMPTY, STATES, sections
from tests.ids import looped
from ujsx import Density, RenderContext, render
from ujsx.components import examples_of
from ujsx.schema import tool_schema
from ujsx.testing import TierSnapshots, assert_inert

BASES = {
    "CoreBlock",
    "ItemsSection",
    "TableSection",
    "ValueSection",
    "View",
    "WorkingMemory",
    "HudSection",
}
"""Sections that others extend, and that show nothing by themselves."""


MODULES = [
    import_module(each.name) for each in walk_packages(hud_components.__path__, "hud_components.")
]

SECTIONS = [
    each
    for module in MODULES
    for name, each in vars(module).items()
    if isinstance(each, type)
    and issubclass(each, HudSection)
    and (each.__module__, each.__name__) == (module.__name__, name)
    and name not in BASES
]
"""Every section that comes with the package."""

NAMES = list(sections(EMPTY))
SPEAKS_ALWAYS = {"StatusLine", "Hud"}


@pytest.mark.parametrize("section", SECTIONS)
def test_examples(section: type[HudSection], tier_snapshots: TierSnapshots) -> None:
    tier_snapshots(section)


@looped("section", SECTIONS)
def test_examples_are_calls_of_the_tool(section: type[HudSection]) -> None:
    calls = tool_schema(section, examples=True).get("examples", [])
    if section.prop:
        assert len(calls) == len(examples_of(section))
    for call in calls:
        section.of_tool(section.tool_model().model_validate(call))
    assert "examples" not in tool_schema(section)


@pytest.mark.parametrize(
    ("name", "case"),
    [
        (name, case)
        for name in NAMES
        for case in STATES
        if case != "typical" or name not in {each.__name__ for each in SECTIONS}
    ],
)
def test_a_section_at_each_density(name: str, case: str, tier_snapshots: TierSnapshots) -> None:
    tier_snapshots(sections(STATES[case])[name], f"{name}.{case}")


@pytest.mark.parametrize("case", STATES)
def test_no_text_becomes_structure(case: str) -> None:
    for node in sections(STATES[case]).values():
        for density in Density:
            assert_inert(node, RenderContext(density=density))


@looped("name", [name for name in NAMES if name not in SPEAKS_ALWAYS])
def test_an_empty_section_says_nothing(name: str) -> None:
    assert render(sections(EMPTY)[name]) == ""
