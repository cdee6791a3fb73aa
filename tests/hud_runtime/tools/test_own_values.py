"""A section of one value, of one's own: what its operations answer, and how the history tells of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import Annotated, Any

import pytest
from pydantic import Field

from hud_components import Domain, HudItem, HudValue, ItemsSection, Line, ValueSection
from hud_components.folding import Add, Update
from hud_runtime import EventError, HudStore
from hud_runtime.log.projection import described
from hud_runtime.session import HudSession
from tests.ids import looped


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


class Level(HudValue):
    """How full the yard is."""

    lines = "{fill:.0%} full"
    fill: Annotated[float, Field(ge=0, le=1)]


class Crate(HudItem):
    """A crate whose line shows amounts with signs and units."""

    lines = MappingProxyType(
        {
            "full": "{name} €{price:,.2f}, {fill:.0%} full, {weight} kg, {height:.3f} m, {fee:.2f} CHF, {growth:.1%}"
        }
    )
    name: str
    price: float = 0
    fill: Annotated[float, Field(ge=0, le=1)] = 0
    weight: float = 0
    height: float = 0
    fee: Decimal = Decimal(0)
    growth: Annotated[float, Field(ge=-1, le=20)] = 0


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
    assert "guest at desk changed: room 8 (was: 7)" in history
    assert described(event, session.domain) == "guest at desk changed: room 8"


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


class Berth(HudItem):
    """A berth, and what may be known of it."""

    name: Line
    of: Line | None = None
    """Whose it is."""
    free: date | None = None
    note: str | None = None


class Berths(ItemsSection[Berth]):
    """The berths."""

    name = "berths"
    lines = MappingProxyType(
        {"full": "**{name}**{?, *{of}*?}{?, {free}?}{? ({note})?}", "compact": "{name}"}
    )
    verbs = ("add", "update", "remove")


class TestValuesOfItems:
    """Null leaves a value as it was, and an empty text takes it away."""

    @pytest.fixture
    def session(self) -> Iterator[HudSession]:
        with HudStore.open(":memory:", domain=Domain("quay", sections=(Berths,))) as store:
            session = store.session("s")
            known = {"of": "Ann", "free": "2026-05-01", "note": "deep"}
            session.record("berths.add", id="b-1", name="North", **known)
            yield session

    @pytest.mark.parametrize("field", ["of", "free", "note"])
    def test_are_taken_away_by_an_empty_text(self, session: HudSession, field: str) -> None:
        [before] = session.state()[Berths]
        result = session.call("hud", {"op": "berths.update", "id": "b-1", field: ""})
        assert result.text.splitlines()[0] == "Updated b-1."
        [after] = session.state()[Berths]
        left = {"said_at": after.said_at, field: None}
        assert after.model_dump() == {**before.model_dump(), **left}
        event = [*session.events()][-1]
        assert event.payload == type(event.payload)(id="b-1", **{field: None})
        assert type(event.payload) is session.domain.payload("berths.update")

    @pytest.mark.parametrize(
        "given",
        [{"of": None}, {"free": None, "of": None}, {"name": ""}, {"name": None}, {"free": "?"}],
    )
    def test_stay_where_nothing_else_is_said(
        self, session: HudSession, given: dict[str, Any]
    ) -> None:
        before = session.state()[Berths]
        assert session.call("hud", {"op": "berths.update", "id": "b-1", **given}).is_error
        assert session.state()[Berths] == before

    def test_that_are_null_stay_beside_what_changes(self, session: HudSession) -> None:
        session.call("hud", {"op": "berths.update", "id": "b-1", "of": None, "name": "South"})
        [berth] = session.state()[Berths]
        assert (berth.name, berth.of) == ("South", "Ann")

    def test_that_are_null_are_named_in_the_answer(self, session: HudSession) -> None:
        told = session.call(
            "hud", {"op": "berths.update", "id": "b-1", "of": None, "name": "South"}
        )
        assert told.text.startswith(
            'Updated b-1. As before: of; null leaves a value as it was, and "" takes it away.'
        )
        nothing = session.call("hud", {"op": "berths.update", "id": "b-1", "of": None})
        assert '"" takes it away' in nothing.text
        whole = {"id": "b-1", "name": "North", "of": None, "free": None, "note": None}
        told = session.call("hud", {"op": "berths.update", **whole})  # as a strict schema has it
        assert told.text.startswith("Updated b-1.\n")

    def test_are_told_how_to_be_taken_away(self, session: HudSession) -> None:
        told = session.call("hud", {"op": "help", "operation": "berths.update"}).text
        schema = json.loads(told.splitlines()[1])
        empty = {"const": "", "description": "Takes it away.", "type": "string"}
        known = schema["properties"]
        assert [name for name in known if empty in known[name].get("anyOf", ())] == [
            "of", "free", "note",
        ]  # fmt: skip
        assert known["of"]["description"] == "Whose it is."


class Cargo(HudItem):
    """A cargo."""

    name: Line
    weight: Annotated[float | None, Field(ge=0, le=9, description="In tons.")] = None


class Cargoes(ItemsSection[Cargo]):
    """The cargoes."""

    name = "cargoes"
    lines = MappingProxyType({"full": ("**{name}** {weight}", "**{name}**")})
    verbs = ("add", "update")


def test_bounds_hold_for_a_number_that_an_empty_text_takes_away() -> None:
    with HudStore.open(":memory:", domain=Domain("quay", sections=(Cargoes,))) as store:
        session = store.session("s")
        session.record("cargoes.add", id="c", name="Tea", weight=3)
        told = session.call("hud", {"op": "help", "operation": "cargoes.update"}).text
        number, *others = json.loads(told.splitlines()[1])["properties"]["weight"]["anyOf"]
        assert number == {"maximum": 9, "minimum": 0, "type": "number"}
        assert {"const": "", "description": "Takes it away.", "type": "string"} in others
        assert session.call("hud", {"op": "cargoes.update", "id": "c", "weight": 10}).is_error
        assert not session.call("hud", {"op": "cargoes.update", "id": "c", "weight": ""}).is_error
        assert session.state()[Cargoes][0].weight is None


class Place(HudValue):
    """Where it is."""

    name: Line
    country: Line | None = None
    depth: int | None = None


class Quay(ValueSection[Place]):
    """The quay."""

    name = "quay"
    lines = MappingProxyType({"full": "**{name}**, country: *{country}*, depth: {depth} m"})


class TestPartsOfAValue:
    """An empty text takes them away, as those of an item; the schema is as before."""

    @looped("field", ["country", "depth"])
    def test_are_taken_away_by_an_empty_text(self, field: str) -> None:
        with HudStore.open(":memory:", domain=Domain("quay", sections=(Quay,))) as store:
            session = store.session("s")
            session.record("quay.set", name="North", country="Peru", depth=4)
            assert session.call("hud", {"op": "quay.update", field: ""}).text.startswith("Updated.")
            assert getattr(session.state()[Quay], field) is None
            told = session.call("hud", {"op": "help", "operation": "quay.update"}).text
            assert json.loads(told.splitlines()[1])["properties"]["depth"] == {
                "anyOf": [{"type": "integer"}, {"type": "null"}]
            }


def test_a_status_is_the_value_by_its_line_unless_it_was_just_told() -> None:
    domain = Domain("yard", [Level, GuestSection])
    with HudStore.open(":memory:", domain=domain) as store:
        session = store.session("s")
        calls = [
            {"op": "guest_at_desk.set", "who": "Ada"},
            {"op": "level.set", "fill": 0.87},
            {"op": "guest_at_desk.set", "who": "Bo"},
            {"op": "level.update", "fill": 0.5},
        ]
        told = [session.call("hud", each).text for each in calls]
    assert told == [
        "Set guest at desk: **Ada**\n**Guest:** Ada",
        "Set level: 87% full",
        "Set guest at desk: **Bo**\n**Level:** 87% full",
        "Updated.\n**Level:** 50% full",
    ]


@pytest.fixture(scope="module")
def port() -> Iterator[HudStore[Any]]:
    with HudStore.open(":memory:", domain=Domain("port", [Crate])) as store:
        yield store


@looped(
    ("field", "said", "taken"),
    [
        ("price", "€40.000", "write the number alone: 40000 or 40 (got "),
        ("price", "-1.250 €", "write the number alone: -1250 or -1.25 (got "),
        ("price", "40.000", "write the number alone: 40000 or 40 (got "),
        ("price", "€0.125", 0.125),
        ("price", "40,000", 40_000),
        ("price", "0,125", 0.125),
        ("price", "€40,000.50", 40_000.5),
        ("price", "€ 40 000", 40_000),
        ("price", "40\u202f000,5 €", 40_000.5),
        ("price", "40 00 €", "input should be a valid number (got "),
        ("price", "40000 euros", "write the number alone, in the field's unit (got "),
        ("weight", "1.234 kg", "write the number alone: 1234 or 1.234 (got "),
        ("weight", "40,000", "write the number alone: 40000 or 40 (got "),
        ("weight", "1.234", 1.234),
        ("weight", "12,50 kg", 12.5),
        ("weight", "0,45", 0.45),
        ("weight", "€ 40 000", "write the number alone, in the field's unit (got "),
        ("height", "1.250 m", 1.25),
        ("height", "1,250 m", "write the number alone: 1250 or 1.25 (got "),
        ("fill", "45,5%", 0.455),
        ("fill", "12.125%", 0.12125),
        ("fill", "0,45", 0.45),
        ("fill", "120%", "input should be at least 0% and at most 100% (got "),
        ("fill", 21.4, "input should be less than or equal to 1: 21.4% is 0.214 (got "),
        ("growth", "1.250%", "write the number alone: 12.5 or 0.0125 (got "),
        ("weight", "1.250%", "input should be a valid number (got "),
        ("fee", "40.000 CHF", "write the number alone: 40000 or 40 (got "),
        ("fee", "40 000 CHF", 40_000),
        ("fee", "4,5 CHF", 4.5),
        ("fee", "€ 40 000", "write the number alone, in the field's unit (got "),
        ("fee", "1.234,50 €", "write the number alone, such as 54.50 (got "),
    ],
)
def test_a_number_is_taken_only_if_it_can_be_one_alone(
    port: HudStore[Any], field: str, said: object, taken: float | str
) -> None:
    session = port.session(f"{field} {said}")
    answer = session.call("hud", {"op": "crates.add", "name": "A", field: said})
    if answer.is_error:
        assert answer.text.startswith(f"$.{field}: {taken}")
    else:
        assert getattr(session.state()["crates"][0], field) == taken


def test_a_recorded_number_is_as_clear(port: HudStore[Any]) -> None:
    with pytest.raises(EventError, match=re.escape("40000 or 40 (got")):
        port.session("s").record("crates.add", name="A", price="€40.000")
