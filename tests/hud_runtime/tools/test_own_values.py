"""A section of one value, of one's own: what its operations answer, and how the history tells of them."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

import pytest

from hud_components import Domain, HudItem, HudValue, ItemsSection, Line, ValueSection
from hud_components.folding import Add, Update
from hud_runtime import HudStore
from hud_runtime.projection import described
from hud_runtime.session import HudSession


class Guest(HudValue):
    """Who stays."""

    who: Line
    room: int | None = None


class GuestSection(ValueSection[Guest]):
    """The guest at the desk."""

    name = "guest_at_desk"
    lines = MappingProxyType(
        {"full": ("**{who}** in {room}", "**{who}**"), "compact": "**Guest:** {who}"}
    )
    verbs = (
        "set",
        "update",
        Update("rename", answer="Renamed {id}.", told="{id} goes by {who}{item}"),
    )


class Stay(HudItem):
    """How long: fields that are named like facts of every session."""

    room: Line
    start: int
    reading: Line = "meter"
    order: Line = "late"
    replaced: bool = False
    status: Line = "open"


class Stays(ItemsSection[Stay]):
    """The stays."""

    name = "stays"
    lines = MappingProxyType({"full": "{room}"})
    verbs = (
        Add("add", told="{id} from {start}, {reading}, {order}, {replaced}: {status}"),
        "update",
    )


@pytest.fixture
def session() -> Iterator[HudSession[Any]]:
    with HudStore.open(":memory:", domain=Domain("hotel", (GuestSection, Stays))) as store:
        session = store.session("s")
        session.record("guest_at_desk.set", who="Ada")
        yield session


def test_an_answer_names_nothing(session: HudSession[Any]) -> None:
    updated = session.call("hud", {"op": "guest_at_desk.update", "room": 7})
    assert updated.text.startswith("Updated.")
    renamed = session.call("hud", {"op": "guest_at_desk.rename", "who": "Bob"})
    assert renamed.text.startswith("Renamed.")


def test_the_history_tells_what_it_says_now_and_said_before(session: HudSession[Any]) -> None:
    session.record("guest_at_desk.update", room=7)
    event = session.record("guest_at_desk.update", room=8)
    history = session.call("hud", {"op": "history"}).text
    assert "guest at desk reads anew: room 8 (was: 7)" in history
    assert described(event, session.domain) == "guest at desk reads anew: room 8"


def test_the_history_tells_of_verbs_of_ones_own(session: HudSession[Any]) -> None:
    event = session.record("guest_at_desk.rename", who="Bob")
    assert described(event, session.domain) == "guest at desk goes by Bob"


def test_a_field_is_told_whatever_fact_of_a_session_has_its_name(session: HudSession[Any]) -> None:
    session.record("stays.add", room="7", start=3)
    session.record("guest_at_desk.update", room=8)
    assert "s-3 from 3, meter, late, False: open" in session.call("hud", {"op": "history"}).text


def test_a_draft_of_the_items_themselves_offers_nobody_to_say_who_said_it() -> None:
    class Drafted(ItemsSection[Stay]):
        name = "drafted"
        lines = MappingProxyType({"full": "{room}"})
        draft = Stay

    desk = Domain("drafts", (Drafted,))
    offered = desk.payload("drafted.add").model_fields.keys() | Drafted.draft.model_fields.keys()
    assert offered.isdisjoint({"said_by", "said_in", "said_at"})
    with HudStore.open(":memory:", domain=desk) as store:
        session = store.session("s")
        session.call("hud", {"op": "drafted.add", "room": "7", "start": 3, "said_by": "user"})
        assert [one.said_by for one in session.state()[Drafted]] in ([], ["agent"])
        session.record("drafted.add", room="8", start=3)
        assert session.state()[Drafted][-1].id
