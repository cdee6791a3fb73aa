"""Sections of one's own in a session: what their models refuse, and what their verbs are given."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, ClassVar, Self

import pytest
from pydantic import model_validator

from hud_components import (
    CODING,
    ContextBar,
    ContextUsage,
    Domain,
    Hud,
    HudItem,
    ItemsSection,
    Kept,
    Line,
    Moment,
    State,
    Verb,
    View,
    parse,
)
from hud_components.layout import layout_vocabulary
from hud_runtime import EventError, HudSession, HudStore
from tests.ids import looped
from ujsx import Child, Children, DefinitionError, RenderContext, UjsxError, load, read_layout
from ujsx.elements import Paragraph


class Booking(HudItem):
    """A room from one hour to another."""

    room: Line
    start: int
    end: int
    over: Kept[bool] = False

    @model_validator(mode="after")
    def _goes_on(self) -> Booking:
        if self.end <= self.start:
            raise ValueError("a booking ends after it starts")
        if self.over and self.room == "Hall":
            raise ValueError("the hall is never given back")
        if len(self.room.splitlines()) > 2:
            raise ValueError("a room has two lines at most")
        return self


def booked(items: tuple[Booking, ...], said: Booking, moment: Moment) -> tuple[Booking, ...]:
    """A verb whose arguments are those of an item."""
    assert not hasattr(said, "id")
    assert not hasattr(said, "over")
    return (
        *items,
        Booking(id=f"b-{moment.version}", room=said.room, start=said.start, end=said.end),
    )


class Bookings(ItemsSection[Booking]):
    """The rooms that are taken."""

    name = "bookings"
    noun = "booking"
    lines = {"full": "**{room}** {start}–{end}"}  # noqa: RUF012
    done = "over"
    verbs = ("add", "update", "complete", "append", "replace", Verb("book", booked))


class Waiting(View):
    """How long until the first room is free for us."""

    reads = (Bookings, "now")
    hours: int | None = None
    room: str = ""

    @classmethod
    def of_state(
        cls, state: State, usage: ContextUsage | None = None, now: int | None = None
    ) -> Self | None:
        first = next((each for each in state[Bookings] if not each.over), None)
        if first is None or now is None:
            return None
        return cls(hours=first.start - now, room=first.room)

    def render(self, ctx: RenderContext, children: Children) -> Child:
        return Paragraph()[f"{self.hours} until {self.room}"]


DESK: Domain[Any] = Domain("rooms", [Bookings, ContextBar])


@pytest.fixture
def session() -> Any:
    with HudStore.open(":memory:", domain=DESK) as store:
        session = store.session("s")
        session.record("bookings.add", room="Hall", start=9, end=11)
        yield session


class TestValidatorsOfAnItem:
    @pytest.mark.parametrize(
        ("event_type", "words", "why"),
        [
            ("bookings.add", {"room": "Attic", "start": 9, "end": 9}, "ends after it starts"),
            ("bookings.update", {"id": "b-2", "end": 8}, "ends after it starts"),
            ("bookings.complete", {"id": "b-2"}, "never given back"),
            ("bookings.append", {"id": "b-2", "text": "2\n3"}, "two lines at most"),
            (
                "bookings.replace",
                {"items": [{"id": "b-2", "room": "Hall", "start": 9, "end": 7}]},
                "ends after it starts",
            ),
        ],
    )
    def test_refuse_before_anything_is_recorded(
        self, session: HudSession[Any], event_type: str, words: dict[str, Any], why: str
    ) -> None:
        before, version = session.state(), session.version
        with pytest.raises(EventError, match=why):
            session.record(event_type, **words)
        assert (session.state(), session.version) == (before, version)

    def test_answer_an_agent(self, session: HudSession[Any]) -> None:
        answer = session.call("hud", {"op": "bookings.update", "id": "b-2", "end": 8})
        assert answer.is_error
        assert "a booking ends after it starts" in answer.text

    def test_let_pass_what_is_right(self, session: HudSession[Any]) -> None:
        session.record("bookings.update", id="b-2", end=12)
        [booking] = session.state()[Bookings]
        assert (booking.start, booking.end) == (9, 12)


class TestAVerbThatTakesAnItem:
    def test_is_given_what_an_author_fills_in(self, session: HudSession[Any]) -> None:
        session.record("bookings.book", room="Attic", start=1, end=2)
        assert [each.room for each in session.state()[Bookings]] == ["Hall", "Attic"]

    def test_has_no_id_to_fill_in(self) -> None:
        assert {*DESK.payload("bookings.book").model_fields} == {"room", "start", "end"}
        with pytest.raises(ValueError, match="id"):
            DESK.payload("bookings.book")(id="", room="Attic", start=1, end=2)


class TestAView:
    def test_has_no_value_in_a_state(self, session: HudSession[Any]) -> None:
        for state in (session.state(), CODING.state()):
            with pytest.raises(
                DefinitionError, match=r"ContextBar has no value .*of_state\(state\)"
            ):
                _ = state[ContextBar]

    def test_is_filled_in_any_layout(self) -> None:
        domain: Any = Domain("views", [Bookings, Waiting, ContextBar])
        with HudStore.open(":memory:", domain=domain) as store:
            session: HudSession[Any] = store.session("s")
            session.record("bookings.add", room="Attic", start=9, end=11)
            shown = "4 until Attic"
            assert shown in session.hud(now=5).text
            tree = Hud()[Bookings(), Waiting(), ContextBar()]
            assert session.hud(now=5, layout=tree).text == session.hud(now=5).text
            document = "<Hud><Waiting/></Hud>"
            read = read_layout(document, [Hud, *session.state().sections])
            assert shown in session.hud(now=5, layout=read).text
            session.record("layout.set", layout=document)
            assert shown in session.hud(now=5).text
            assert shown not in session.hud().text
            session.record("bookings.complete", id="b-2")
            assert session.hud(now=6, layout=read).text == "# HUD\n"


class TestANounOfOneForm:
    def test_gets_a_plural(self, session: HudSession[Any]) -> None:
        assert Bookings.texts["bookings.noun"] == "booking|bookings"
        session.record("bookings.add", room="Attic", start=1, end=2)
        assert "2 bookings" in session.hud(density="minimal").text


@looped("given", [{"domain": "coding"}, {"domains": ("coding",)}])
def test_a_domain_is_given_as_such_and_not_by_its_name(given: Any, tmp_path: Path) -> None:
    with pytest.raises(UjsxError) as refused:
        HudStore.open(tmp_path / "hud.db", **given)
    assert str(refused.value) == (
        "'coding' is not a domain; give the Domain itself, such as domain=CODING"
    )
    assert not (tmp_path / "hud.db").exists()


def test_a_subclass_says_its_title_and_noun_anew() -> None:
    class Stays(Bookings):
        """Bookings of rooms."""

        title = "Rooms"
        noun = "stay|stays"

    assert (Bookings.title, Stays.title) != ("Rooms", "Bookings")
    rooms = Stays(**{Stays.prop: ()})
    assert Stays.texts[f"{Stays.name}.title"] == "Rooms"
    assert Stays.texts[f"{Stays.name}.noun"] == "stay|stays"
    assert Bookings.texts[f"{Bookings.name}.title"] != "Rooms"
    assert type(rooms) is Stays


def test_a_subclass_of_another_name_stands_beside_its_base() -> None:
    class Requests(Bookings):
        """Rooms that somebody would like to have."""

        name = "requests"
        noun = "request"

    class Repeated(Requests):
        """Such of every week, in words of their own."""

        name = "repeated"
        noun = "repeated one"
        prefix = "w"
        texts = {"repeated.handle": "see the calendar"}  # noqa: RUF012

    domain = Domain("rooms", (Bookings, Requests, Repeated))
    assert Requests.texts["requests.title"] == "Requests"
    assert Repeated.texts["repeated.handle"] == "see the calendar"
    assert not any(key.startswith("bookings.") for key in {**Requests.texts, **Repeated.texts})
    with HudStore.open(":memory:", domain=domain) as store:
        session = store.session("s")
        for place, name in enumerate(("bookings", "requests", "repeated")):
            session.record(f"{name}.add", room=name.title(), start=place, end=9)
        assert [state.room for one in domain.sections for state in session.state()[one]] == [
            "Bookings",
            "Requests",
            "Repeated",
        ]
        read = parse(session.hud(density="full").text, vocabulary=domain.sections)
        assert [type(each) for each in read.children] == [Bookings, Requests, Repeated]


class Kit(HudItem):
    """Two validators that raise, as authors write them."""

    what: Line
    size: int = 0

    @model_validator(mode="after")
    def _is_known(self) -> Self:
        if self.what == "tent":
            raise ValueError("a tent is no kit")
        assert self.what != "boat", "a boat is no kit"
        return self


class Kits(ItemsSection[Kit]):
    """The kits."""

    name = "kits"
    lines: ClassVar[Any] = {"full": "**{what}**", "compact": "{what}"}


class TestWhatAValidatorRaises:
    """It is told in its author's words, wherever data come from."""

    @looped("what", ["tent", "boat"])
    def test_comes_without_pydantics_words(self, what: str) -> None:
        own, item = Domain("kits", (Kits,)), {"id": "k-1", "what": what}
        props, known = {"kits": [item]}, layout_vocabulary() | own.sections
        with HudStore.open(":memory:", domain=own) as store:
            session = store.session("s")
            session.record("kits.add", what="rope")
            told = {
                "record": lambda: session.record("kits.add", what=what),
                "update": lambda: session.record("kits.update", id="rope", what=what),
                "props": lambda: Kits(**props),
                "tree": lambda: load({"type": "Kits", "props": props}, known),
                "layout": lambda: read_layout(f"<Kits kits={{{json.dumps([item])}}} />", known),
            }
            for way, act in told.items():
                with pytest.raises(UjsxError, match=f"a {what} is no kit") as caught:
                    act()
                assert not re.search(_PYDANTICS, str(caught.value)), way
            for call in (
                {"op": "kits.add", "what": what},
                {"op": "kits.add", "what": "x", "size": "q"},
            ):
                answer = session.call("hud", call)
                assert answer.is_error
                assert not re.search(_PYDANTICS, answer.text), call


_PYDANTICS = "Value error|Assertion failed|assertion failed|pydantic|For further|validation error"
"""What Pydantic writes around an author's words."""
