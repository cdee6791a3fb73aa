"""A section as a tool: its data alone, whatever else its class has."""

# ruff: noqa: RUF012 - sections are declared as an author does

from __future__ import annotations

import types
from typing import Any

import pytest
from pydantic import ValidationError

from hud_components import (
    CODING,
    DecisionsList,
    HudItem,
    HudSection,
    HudValue,
    ItemsSection,
    Line,
    ValueSection,
)
from tests.ids import looped
from ujsx.schema import lint, tool_definition


class Ship(HudItem):
    """A ship."""

    text: Line
    """Which."""


class Tide(HudValue):
    """How high the water is."""

    text: Line
    """In words."""


SETTINGS = sorted(
    {name for base in (HudSection, ItemsSection, ValueSection) for name in base.model_fields}
)
"""The props that all sections have."""


@looped("section", CODING.fields.values(), ids=lambda each: each.__name__)
def test_each_of_the_domain_takes_what_it_holds(section: Any) -> None:
    assert [*section.tool_model().model_fields] == [section.prop]


@looped("name", SETTINGS)
def test_what_is_no_data_is_refused_in_a_call(name: str) -> None:
    with pytest.raises(ValidationError, match=name):
        DecisionsList.tool_model()(**{"decisions": (), name: None})


@looped(
    ("base", "said", "description"),
    [
        (ItemsSection[Ship], {"name": "arrivals"}, "The arrivals."),
        (ItemsSection[Ship], {"name": "port_calls"}, "The port calls."),
        (ItemsSection[Ship], {"name": "arrivals", "noun": "ship due|ships due"}, "The ships due."),
        (ItemsSection[Ship], {"name": "arrivals", "noun": "ferry"}, "The ferries."),
        (ValueSection[Tide], {"name": "tide"}, "The tide."),
        (ValueSection[Tide], {"name": "tide", "noun": "water level"}, "The water level."),
    ],
)
def test_a_prop_that_nobody_has_written_is_described_by_what_the_section_declares(
    base: Any, said: dict[str, str], description: str
) -> None:
    body = {
        "lines": {"full": "{text}"},
        "__doc__": "What comes in.",
        "__module__": __name__,
        **said,
    }
    section: Any = types.new_class("Own", (base,), exec_body=lambda made: made.update(body))
    [prop] = tool_definition(section, dialect="mcp")["inputSchema"]["properties"].values()
    assert prop["description"] == description
    assert [loss for loss in lint(section, "mcp") if loss.outcome == "missing"] == []


def test_a_prop_that_its_author_has_left_without_words_is_found() -> None:
    class Arrivals(ItemsSection[Ship]):
        """What comes in."""

        name = "arrivals"
        lines = {"full": "{text}"}
        berth: str | None = None

    found = [loss.pointer for loss in lint(Arrivals, "mcp") if loss.outcome == "missing"]
    assert found == ["/properties/berth"]
