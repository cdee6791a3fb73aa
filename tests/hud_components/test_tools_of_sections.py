"""A section as a tool: its data alone, whatever else its class has."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from hud_components import CODING, DecisionsList, HudSection, ItemsSection, ValueSection, View
from hud_components.declaring._checks import _SETTINGS
from hud_components.declaring._tool import SETTINGS


@pytest.mark.parametrize("base", [HudSection, ItemsSection, ValueSection, View])
def test_no_prop_of_all_sections_is_data(base: Any) -> None:
    assert set(base.model_fields) <= SETTINGS
    assert set(base.model_fields) <= _SETTINGS | {"state", "now"}  # which are a view's alone


@pytest.mark.parametrize("section", CODING.fields.values(), ids=lambda each: each.__name__)
def test_each_of_the_domain_takes_what_it_holds(section: Any) -> None:
    assert [*section.tool_model().model_fields] == [section.prop]


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_what_is_no_data_is_refused_in_a_call(name: str) -> None:
    with pytest.raises(ValidationError, match=name):
        DecisionsList.tool_model()(**{"decisions": (), name: None})
