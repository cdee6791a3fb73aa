"""A section as a tool costs less than with the props that are not a model's to fill in."""

from __future__ import annotations

from hud_components import CODING
from hud_components.layout import SECTIONS
from tests.benchmarks.section_tokens import SECTIONS as COUNTED
from tests.benchmarks.section_tokens import before, now
from ujsx.tokens import estimate_tokens

LATER = {"RulesList"}
"""Sections that there were none of before."""


def test_every_section_that_an_agent_writes_is_counted() -> None:
    told = {each.__name__ for each in CODING.sections if not each.has_operations}
    assert {*COUNTED} == {each.__name__ for each in SECTIONS} - told - LATER == {*before()}


def test_what_a_model_fills_in_is_the_smaller_part() -> None:
    assert all(tokens < before()[name] for name, tokens in now(estimate_tokens).items())
