"""What a domain says of changed payloads, held against logs that were written before."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import Domain, Line, Text
from hud_runtime import EventDraft, HudStore
from hud_runtime.events import Stored
from hud_runtime.testing import event_drafts_of
from tests.hud_runtime.projection.test_evolution import desk

FIELDS: dict[str, Any] = {
    "what": (Line, ...),
    "outcome": (Literal["worked", "failed"], "worked"),
    "cost": (int | None, None),
}
OLD = desk(FIELDS)
RENAMED = {"tried" if name == "what" else name: each for name, each in FIELDS.items()}


def less(*names: str) -> dict[str, Any]:
    return {name: each for name, each in FIELDS.items() if name not in names}


CHANGES: dict[str, tuple[Domain[Any], set[str]]] = {
    "nothing": (desk(FIELDS), set()),
    "a new optional field": (desk({**FIELDS, "by": (Text, "")}), set()),
    "a new field that is required": (desk({**FIELDS, "by": (Line, ...)}), {"remedies.add", "remedies.set"}),
    "a field that is gone": (desk(less("cost")), {"remedies.add", "remedies.update", "remedies.set"}),
    "a field that is gone, as is said": (desk(less("cost"), former_fields={"cost": None}), set()),
    "another name": (desk(RENAMED), {"remedies.add", "remedies.update", "remedies.set"}),
    "another name, as is said": (desk(RENAMED, former_fields={"what": "tried"}), set()),
    "fewer choices": (desk({**FIELDS, "outcome": (Literal["worked"], "worked")}), {"remedies.add", "remedies.update", "remedies.set"}),
    "more choices": (desk({**FIELDS, "outcome": (Literal["worked", "failed", "open"], "open")}), set()),
    "a wider type": (desk({**FIELDS, "cost": (int | float | None, None)}), set()),
    "another section's name": (desk(FIELDS, name="attempts"), {*OLD.happenings}),
    "another section's name, as is said": (desk(FIELDS, name="attempts", former=("remedies",)), set()),
    "two fields in one": (desk({**less("cost"), "price": (int | None, None)}, former_fields={"cost": "price"}), set()),
}  # fmt: skip
"""Today's domains, and the types of events that they break."""

SECTIONS_AS_A_WHOLE = {
    "section.replace",
    "section.clear",
    "section.pin",
    "section.fold",
    "section.reset",
}
"""Events of every domain: what they say of items is what the events of a section say."""


@pytest.mark.parametrize("name", CHANGES)
def test_changes_name_the_types_that_break(name: str) -> None:
    today, broken = CHANGES[name]
    found = today.stored_changes(OLD.stored_schemas())
    assert {event for event, change in found if change.is_breaking} == broken & {*OLD.happenings}
    assert all(change.remedy for _, change in found if change.is_breaking)


@given(st.lists(event_drafts_of(OLD), min_size=3, max_size=12))
def test_all_that_is_not_read_is_named(drafts: list[EventDraft]) -> None:
    with HudStore.open(":memory:", domain=OLD) as store:
        session = store.session("s")
        session.record_all(drafts, refused=lambda *_: None)
        for today, broken in CHANGES.values():
            read = HudStore(session.log, domain=today).events("s")
            unread = {each.type for each in read if isinstance(each.payload, Stored)}
            assert unread <= broken | SECTIONS_AS_A_WHOLE


def test_an_upcast_is_not_proved_and_said_so() -> None:
    fields = {**FIELDS, "outcome": (Literal["worked"], "worked")}
    today = desk(fields, upcasts={"remedies.add": dict})
    said = {
        event: change.remedy
        for event, change in today.stored_changes(OLD.stored_schemas())
        if change.is_breaking
    }
    assert said["remedies.add"].startswith("unless upcasts['remedies.add'] returns what is valid")
    assert said["remedies.update"] == "upcasts = {'remedies.update': function}"
