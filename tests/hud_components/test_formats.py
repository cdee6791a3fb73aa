"""Formats of holes: what they write, what is read of it, and which are refused with the one to write."""

from __future__ import annotations

import types
import warnings
from collections.abc import Mapping
from datetime import date, datetime, time
from decimal import Decimal
from functools import cache
from ipaddress import IPv4Address
from itertools import product
from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import HttpUrl

from hud_components import (
    Domain,
    Hud,
    HudItem,
    HudValue,
    ItemsSection,
    Line,
    ValueSection,
    as_shown,
    check_texts,
    parse,
)
from hud_components.declaring import HudModel, LayoutWarning
from hud_components.words import TextError
from hud_runtime import HudStore
from hud_runtime.editing import changes, for_editing, record_changes
from tests.growth import growth
from tests.ids import looped
from ujsx import DefinitionError, FrozenMapping, RenderContext, render, to_mdast
from ujsx.components import as_element
from ujsx.elements import Item, List, Paragraph, Section, strong


def declared(item: Any, lines: Mapping[str, str], **body: Any) -> Any:
    space = {"name": "entries", "lines": lines, "__module__": __name__, **body}
    return types.new_class("Entries", (ItemsSection[item],), {}, lambda own: own.update(space))


def item_of(kind: Any) -> Any:
    space = {"__annotations__": {"what": Line, "said": kind}, "__module__": __name__}
    return types.new_class("Entry", (HudItem,), {}, lambda own: own.update(space))


class Look:
    """A section whose items have a value of a kind, in a format: how it is written, and read back."""

    def __init__(self, kind: Any, spec: str) -> None:
        hole = f"{{said:{spec}}}" if spec else "{said}"
        self.section = declared(item_of(kind), {"full": f"**{{what}}** {hole}"})

    def write(self, value: Any) -> str:
        section = self.section(entries=[{"what": "x", "said": value}])
        [_, entries] = to_mdast(section).children
        [_, text] = entries.children[0].children[0].children
        return text.value.removeprefix(" ")

    def read(self, text: str) -> Any:
        tree = Section(title="Entries")[List()[Item()[strong("x"), f" {text}"]]]
        [read] = parse(render(tree), vocabulary=(self.section,)).children
        component = as_element(read).component
        return component.entries[0].said if isinstance(component, self.section) else text


look = cache(Look)


warnings.filterwarnings("ignore", '.* shows "—" in this line', LayoutWarning)  # how it is read back

pytestmark = pytest.mark.filterwarnings(
    "ignore:.* (is a whole number|has no bounds):hud_components.declaring.LayoutWarning"
)
"""All numbers are written with each format of numbers, a percent too."""

MOMENT = datetime(2026, 1, 31, 9, 30, 5, 250_000)  # noqa: DTZ001

WRITTEN: tuple[tuple[Any, str, Any, str, Any], ...] = (
    (float, ".0%", 0.874, "87%", 0.87),
    (float, "+.1f", -3.14, "-3.1", -3.1),
    (float, ",.2f", 1_234_567.0, "1,234,567.00", 1_234_567.0),
    (int, ",", -12_345, "-12,345", -12_345),
    (int, "03", 7, "007", 7),
    (int, ".0f", 10**400, "1" + "0" * 400, 10**400),
    (Decimal, ",.2f", Decimal("1234.5"), "1,234.50", Decimal("1234.50")),
    (Decimal, ".1%", Decimal("0.125"), "12.5%", Decimal("0.125")),
    (datetime, "%F %R", MOMENT, "2026-01-31 09:30", datetime(2026, 1, 31, 9, 30)),  # noqa: DTZ001
    (datetime, "%H:%M", MOMENT, "09:30", "09:30"),
    (datetime, "%Y", MOMENT, "2026", "2026"),
    (datetime, "%T.%f 100%%", MOMENT, "09:30:05.250000 100%", "09:30:05.250000 100%"),
    (date, "%d.%m.%Y", date(33, 4, 5), "05.04.0033", date(33, 4, 5)),
    (time, "%H:%M", time(9, 30, 5), "09:30", time(9, 30)),
    (tuple[str, ...], " / ", ("a", "", "b"), "a / b", ("a", "b")),
    (tuple[str, ...], ", ", ("Lima, Peru", "Oslo"), '"Lima, Peru", Oslo', ("Lima, Peru", "Oslo")),
    (tuple[str, ...], ", ", ("—",), '"—"', ("—",)),
    (tuple[str, ...], " ", ('"x"', "a b"), '"""x""" "a b"', ('"x"', "a b")),
    (float, "g", 1_000_000.0, "1000000", 1_000_000.0),
    (float, ",g", 1_234_567.0, "1,234,567", 1_234_567.0),
    (float, "g", 0.00001, "0.00001", 0.00001),
    (float, "g", 1e20, "1e+20", 1e20),
    (float, ",", 1_234_567.5, "1,234,567.5", 1_234_567.5),
    (float, ",", 0.0000001, "0.0000001", 0.0000001),
    (float, "_", 1e20, "1e+20", 1e20),
    (float, "+", 0.5, "+0.5", 0.5),
    (Decimal, ",", Decimal("1E+5"), "100,000", Decimal(100_000)),
)


@looped(("kind", "spec", "value", "text", "read"), WRITTEN)
def test_a_value_is_written_and_read(
    kind: Any, spec: str, value: Any, text: str, read: Any
) -> None:
    made = look(kind, spec)
    assert made.write(value) == text
    found = made.read(text)
    assert found == read
    assert isinstance(found, type(read))


REFUSED: tuple[tuple[Any, str, str], ...] = (
    (int, "n", "write {said:,}"),
    (float, ">8.2f", "write {said:.2f}"),
    (float, "8.2f", "write {said:.2f}"),
    (float, "d", "write {said:.0f}"),
    (int, "x", "write {said:,}"),
    (Decimal, ".2f €", "€ goes behind the brace; write {said:.2f} €"),
    (int, ".2", "write {said:.2f}"),
    (datetime, "%c", "write {said:%Y-%m-%d %H:%M:%S}"),
    (datetime, "%x", "write {said:%Y-%m-%d}"),
    (datetime, "%X", "write {said:%H:%M:%S}"),
    (datetime, "%I:%M %p", "write {said:%H:%M}"),
    (datetime, "%A %H:%M", "write {said:%Y-%m-%d %H:%M}"),
    (datetime, "%d %B %Y", "write {said:%Y-%m-%d}"),
    (datetime, "%b %d, %Y", "write {said:%Y-%m-%d}"),
    (datetime, "%a, %-d %b %H:%M", "write {said:%Y-%m-%d %H:%M}"),
    (tuple[str, ...], '"', "write {said:, }"),
    (datetime, "%-d.%m.", "write {said:%d.%m.}"),
    (datetime, "%A", "write {said:%Y-%m-%d}"),
    (datetime, "at", "write {said:%F}"),
    (date, "%H:%M", "a date has no hour; leave out %H"),
    (time, "%Y", "a time has no year; leave out %Y"),
    (str, ">10", "leave it out"),
    (bool, "d", "leave it out"),
    (tuple[str, ...], "\n", "write {said:, }"),
)


@looped(("kind", "spec", "instead"), REFUSED)
def test_what_differs_between_machines_is_refused(kind: Any, spec: str, instead: str) -> None:
    with pytest.raises(DefinitionError) as refused:
        look(kind, spec)
    assert instead in str(refused.value)


NUMBERS = (",", "_", "+", "g", ".0%", "+.1%", ",.2f", ".3g", ".2e")
OF_NUMBERS = [(int, "012,"), *product((int, float, Decimal), NUMBERS)]


@given(
    st.sampled_from(OF_NUMBERS),
    st.floats(allow_nan=False, allow_infinity=False) | st.integers(),
)
def test_what_is_read_is_written_so_again(of: tuple[Any, str], value: Any) -> None:
    kind, spec = of
    made = look(kind, spec)
    text = made.write(kind(value))
    read = made.read(text)  # a number with too many digits stays that text
    assert (read if isinstance(read, str) else made.write(read)) == text


@given(st.sampled_from(OF_NUMBERS), st.text() | st.from_regex(r"[-+0-9.,e%]{1,9}"))
def test_any_text_is_read_as_something(of: tuple[Any, str], text: str) -> None:
    assert look(*of).read(text) is not None


@looped("text", ["9e999999999%", "9" * 100_000, "1" * 5_000 + "%", "1e" + "9" * 20, "-", "", "٣"])
def test_hostile_numbers_cost_nothing(text: str) -> None:
    for kind, spec in OF_NUMBERS:
        look(kind, spec).read(text)


@looped(
    ("kind", "spec", "unit"),
    [
        (tuple[str, ...], ", ", "a, "),
        (int, ",", "1,"),
        (float, ".3g", "1e"),
        (float, ".0%", "1%"),
        (datetime, "%F %R", "2026-01-31 09:30"),
    ],
)
def test_twice_the_text_costs_twice_the_work(kind: Any, spec: str, unit: str) -> None:
    made = look(kind, spec).section

    def read(size: int) -> None:
        line = f"# Entries\n\n- **x** {unit * size}\n"
        parse(line, vocabulary=(made,))

    assert growth(read, 500, 4_000) < 24


@looped(
    ("kind", "value"),
    [
        (HttpUrl, "https://a.example/x_y?z=1#top"),
        (PurePosixPath, "docs/*.md"),
        (IPv4Address, "10.0.0.1"),
    ],
)
def test_what_a_text_says_as_a_whole_is_read_back(kind: Any, value: str) -> None:
    class Entry(HudItem):
        """An entry."""

        what: Line
        said: kind

    made = declared(Entry, {"full": "**{what}** *{said}*", "compact": "{what}"})
    text = render(made(entries=[{"what": "x", "said": value}]))
    [read] = parse(text, vocabulary=(made,)).children
    assert str(read.entries[0].said) == value
    assert render(read) == text


# --- Lines that are not read back ---


class Place(HudModel):
    """Where something is."""

    city: Line
    floor: int | None = None


class Find(HudItem):
    """Something that was found."""

    what: str
    where: Place
    who: str = ""


class Finds(ItemsSection[Find]):
    """What was found."""

    name = "finds"
    reads_back = False
    lines = types.MappingProxyType({"full": "{what} {who}: {where}"})


class Here(HudValue):
    """Where we are."""

    place: Place


class HereSection(ValueSection[Here]):
    """Where we are."""

    name = "here"
    reads_back = False
    lines = types.MappingProxyType({"full": "{place}"})


class TestLinesThatAreNotReadBack:
    DOMAIN = Domain("finds", sections=(HereSection, Finds))

    def played(self) -> Any:
        with HudStore.open(":memory:", domain=self.DOMAIN) as store:
            session = store.session("s")
            session.record("here.set", place={"city": "Bern"})
            session.record("finds.add", what="A key", where={"city": "Rome", "floor": 2})
            return session.state()

    def test_hold_any_value(self) -> None:
        text = render(Hud.of(self.played()))
        assert "city: Bern" in text
        assert "- A key —: city: Rome, floor: 2" in text

    @looped("density", ["full", "compact", "minimal"])
    def test_stay_markdown(self, density: Any) -> None:
        node = Hud.of(self.played())
        text = render(node, density=density)
        read = parse(text, vocabulary=self.DOMAIN.sections)
        assert not [each for each in read.children if isinstance(each, Finds | HereSection)]
        assert read == as_shown(node, density=density)
        assert render(read, density=density) == text

    def test_say_so_where_somebody_edits_them(self) -> None:
        node = for_editing(self.played())
        text = render(Hud.of(self.played()))
        found = changes(Hud.of(self.played()), text.replace("A key", "A lock"))
        assert "reads_back = False" in str(found.problems[0]), node
        assert not found.operations


class TestARenderOfOnesOwn:
    def declare(self, **body: Any) -> list[str]:
        def own(self: Any, ctx: Any, children: Any) -> Any:
            return Paragraph()["as I like"]

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            declared(Find, {"full": "{what}"}, render=own, **body)
        assert all(each.category is LayoutWarning for each in caught)
        assert all(each.filename == types.__file__ or __file__ in each.filename for each in caught)
        return [str(each.message) for each in caught]

    def test_is_told_once_at_the_class(self) -> None:
        [told] = self.declare()
        assert told.startswith("Entries.render: with it, the text cannot be read back")
        assert "write lines = {'full': '{what}'} instead" in told

    def test_is_not_told_where_it_is_meant(self) -> None:
        assert self.declare(reads_back=False) == []

    def test_is_not_told_of_one_that_reads_itself(self) -> None:
        parse_own = classmethod(lambda cls, blocks, ctx: None)
        assert self.declare(parse=parse_own) == []


# --- Other words ---


class Sighting(HudItem):
    """Something that was seen."""

    what: Line
    at: datetime


class Sightings(ItemsSection[Sighting]):
    """What was seen."""

    name = "sightings"
    lines = types.MappingProxyType({"full": "**{what}** at {at:%H:%M}"})
    sightings: tuple[Sighting, ...] | None = None


class TestOtherWords:
    def test_have_the_format_of_the_declaration(self) -> None:
        node = Sightings(sightings=(Sighting(what="A fox", at=MOMENT),))
        for hole in ("{at}", "{at:%H:%M}"):
            texts = check_texts(
                {"sightings.full": f"{hole} Uhr: **{{what}}**"}, sections=(Sightings,)
            )
            assert "- 09:30 Uhr: **A fox**" in render(node, context=RenderContext(texts=texts))

    def test_have_no_other(self) -> None:
        with pytest.raises(TextError, match=r"the format of \{at:%H\} is the declaration's"):
            check_texts({"sightings.full": "{at:%H}: **{what}**"}, sections=(Sightings,))


def test_an_item_is_known_by_its_first_text() -> None:
    class Event(HudItem):
        at: datetime
        what: str

    assert declared(Event, {"full": "{at:%H:%M} {what}"}).kind.text == "what"


def test_a_format_is_refused_at_its_line() -> None:
    with pytest.raises(DefinitionError) as refused:
        declared(Sighting, {"full": "{at:%A %H:%M}"})
    assert str(refused.value) == (
        "Entries.lines: {at:%A %H:%M}: %A is the name of a day, which depends on a language; "
        "a text field may show it; write {at:%Y-%m-%d %H:%M}"
    )


class Part(HudModel):
    """A part of an order."""

    what: str
    grams: int | None = None


class Order(HudItem):
    """What is ordered."""

    number: Line
    weights: FrozenMapping[str, int] = FrozenMapping()
    parts: tuple[Part, ...] = ()
    first: Part | None = None


class OrderList(ItemsSection[Order]):
    """Orders."""

    name = "orders"
    lines = "**{number}** weighs {weights}; *{parts}* — **{first}**"
    verbs = ("add", "update")


class TestValuesWithNames:
    DOMAIN: Any = Domain("shop", sections=(OrderList,))

    def edited(self, order: Mapping[str, Any], old: str, new: str) -> tuple[Any, list[str]]:
        """The order after an edit of its text, and what is wrong with the edit."""
        with HudStore.open(":memory:", domain=self.DOMAIN) as store:
            session = store.session("s")
            session.record("orders.add", **order)
            page, version = for_editing(session.state()), session.version
            text = render(page)
            assert not changes(page, text).operations
            assert old in text
            edit = changes(page, text.replace(old, new))
            if not edit.problems:
                record_changes(session, edit, since=version)
            return session.state()[OrderList][0], [str(each) for each in edit.problems]

    @looped(
        ("kind", "value", "text"),
        [
            (FrozenMapping[str, int], FrozenMapping({"a": 3, "b": 1}), "a: 3, b: 1"),
            (FrozenMapping[str, bool], FrozenMapping({"a": True}), "a: yes"),
            (
                FrozenMapping[str, Part],
                FrozenMapping({"a": Part(what="x"), "b": Part(what="y", grams=2)}),
                "a: what: x; b: what: y, grams: 2",
            ),
            (Part, Part(what="flour", grams=500), "what: flour, grams: 500"),
            (Part | None, Part(what="salt"), "what: salt"),
            (
                tuple[Part, ...],
                (Part(what="flour", grams=500), Part(what="salt")),
                "what: flour, grams: 500; what: salt",
            ),
        ],
    )
    def test_are_written_and_read(self, kind: Any, value: Any, text: str) -> None:
        made = look(kind, "")
        assert made.write(value) == text
        assert made.read(text) == value

    @looped("text", ["", "flour", "grams: 5", "what: a, gram: 5", "what:  a", ": ; :"])
    def test_other_texts_stay_as_they_stand(self, text: str) -> None:
        assert look(tuple[Part, ...], "").read(text) in ((), text)

    def test_a_class_that_holds_itself_is_no_hole(self) -> None:
        class Branch(HudModel):
            """A part of a tree."""

            what: str
            more: tuple[Branch, ...] = ()

        for kind in (tuple[Branch, ...], FrozenMapping[str, Branch]):
            with pytest.raises(DefinitionError, match="said"):
                Look(kind, "")

    def test_an_edit_that_can_be_read_changes_the_value(self) -> None:
        given = {"number": "A-1", "weights": {"crate": 3}, "parts": [{"what": "flour"}]}
        order, problems = self.edited(given, "crate: 3", "crate: 4, lid: 1")
        assert not problems
        assert order.weights == FrozenMapping({"crate": 4, "lid": 1})
        order, problems = self.edited(given, "what: flour", "what: flour, grams: 500")
        assert not problems
        assert order.parts == (Part(what="flour", grams=500),)

    def test_an_edit_that_could_mean_two_things_is_refused(self) -> None:
        given = {"number": "A-1", "parts": [{"what": "flour, grams: 500"}]}
        order, [problem] = self.edited(given, "grams: 500", "grams: 600")
        assert order.parts == (Part(what="flour, grams: 500"),)
        assert "by an update" in problem

    @given(
        st.dictionaries(st.text(max_size=6), st.integers(), max_size=3),
        st.lists(st.text(max_size=6), max_size=3),
    )
    def test_any_texts_are_read_back_as_written(self, weights: Any, whats: list[str]) -> None:
        orders = OrderList(
            orders=[
                {"number": "A", "weights": weights, "parts": [{"what": each} for each in whats]}
            ]
        )
        hud = Hud()[orders]
        text = render(hud)
        read = parse(text, vocabulary=[OrderList])
        assert render(read) == text
        assert read == as_shown(hud)


class Berth(HudItem):
    """A berth."""

    number: Line
    ports: frozenset[int] = frozenset()


class BerthList(ItemsSection[Berth]):
    """Berths."""

    name = "berths"
    lines = "**{number}** takes {ports}"
    verbs = ("add", "update")


def test_an_edit_of_a_set_changes_it() -> None:
    with HudStore.open(":memory:", domain=Domain("port", sections=(BerthList,))) as store:
        session = store.session("s")
        session.record("berths.add", number="A", ports=[22, 9])
        page, version = for_editing(session.state()), session.version
        edit = changes(page, render(page).replace("22, 9", "22, 80"))
        record_changes(session, edit, since=version)
        assert session.state()[BerthList][0].ports == {22, 80}


def test_a_set_is_written_in_the_order_of_its_texts() -> None:
    made = look(frozenset[int], "")
    assert made.write(frozenset({22, 9, 443})) == "22, 443, 9"
    assert made.read("22, 80") == {22, 80}
