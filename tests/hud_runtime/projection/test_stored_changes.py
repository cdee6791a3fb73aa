"""What a domain says of changed payloads, held against logs that were written before."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Annotated, Any, Literal

from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from hud_components import Domain, Line, Text
from hud_components.words import line
from hud_runtime import EventDraft, HudStore
from hud_runtime.log.events import Stored
from tests.hud_runtime.drafts import event_drafts_of
from tests.hud_runtime.projection.test_evolution import desk
from tests.ids import looped

ALL: dict[str, Any] = {
    "what": (Line, ...),
    "outcome": (Literal["worked", "failed"], "worked"),
    "cost": (int | None, None),
    "by": (Text, ""),
    "ticket": (str | None, None),
}


def changed(**fields: Any) -> dict[str, Any]:
    """The fields with others in place of some; None is for one that is gone."""
    return {name: each for name, each in {**ALL, **fields}.items() if each is not None}


def renamed(name: str, today: str) -> dict[str, Any]:
    return {today if each == name else each: kind for each, kind in ALL.items()}


def mended(name: str, change: Callable[[Any], Any]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """What an author writes for ``function``: the field is said otherwise where it is said."""
    return lambda said: {**said, name: change(said[name])} if name in said else said


def same(said: dict[str, Any]) -> dict[str, Any]:
    return said


def moved(name: str, today: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda said: {today if each == name else each: value for each, value in said.items()}


def without(*names: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda said: {each: value for each, value in said.items() if each not in names}


KINDS: dict[str, tuple[dict[str, Any], dict[str, Any], Callable[[dict[str, Any]], dict[str, Any]]]] = {
    "a required field has another name": (renamed("what", "tried"), {}, moved("what", "tried")),
    "an optional field has another name": (renamed("by", "author"), {}, moved("by", "author")),
    "a field is gone": (changed(cost=None), {}, without("cost")),
    "two fields are one": (
        changed(by=None, ticket=None, source=(Text, "")), {}, lambda said: without("ticket")(moved("by", "source")(said)),
    ),
    "a field is gone, another is new": (
        changed(cost=None, price=(str | None, None)), {}, without("cost"),
    ),
    "a new field is required": (changed(why=(Line, ...)), {}, lambda said: {"why": "unknown", **said}),
    "fewer choices": (
        changed(outcome=(Literal["worked"], "worked")), {}, mended("outcome", lambda _: "worked"),
    ),
    "an optional field is required": (
        changed(by=(Line, ...)), {}, lambda said: mended("by", lambda by: line(by) or "nobody")({"by": "", **said}),
    ),
    "a text is a number": (
        changed(ticket=(int | None, None)), {}, mended("ticket", lambda text: None if text is None else len(text)),
    ),
    "null is gone": (changed(cost=(int, 0)), {}, mended("cost", lambda cost: cost or 0)),
    "a least number": (
        changed(cost=(Annotated[int, Field(ge=1)] | None, None)), {}, mended("cost", lambda cost: None if cost is None else max(1, cost)),
    ),
    "a shorter text": (
        changed(by=(Annotated[str, Field(max_length=5)], "")), {}, mended("by", lambda by: by[:5]),
    ),
    "the section has another name": (ALL, {"name": "attempts"}, same),
}  # fmt: skip
"""Twelve kinds of change, and one of a section: today's fields, what else the section says, and what an old item is today."""


def written(lines: Iterable[str], function: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    """What a section's declaration has once the lines stand in it that remedies give."""
    found: dict[str, Any] = {}
    for each in sorted(lines, key=lambda one: "function" in one):
        name, _, value = each.partition(", if ")[0].partition(" = ")
        given = eval(value.replace("…", "'unknown'"), {"function": function}, {})
        found[name] = {**found.get(name, {}), **given} if isinstance(given, dict) else given
    for event, given in found.get("upcasts", {}).items():
        if given is function and not event.endswith(".add"):
            found["upcasts"][event] = mended_of(function)
    return found


def mended_of(
    function: Callable[[dict[str, Any]], dict[str, Any]],
) -> Callable[[dict[str, Any]], Any]:
    """The same for a change of an item, which says some fields alone."""
    return lambda said: {name: value for name, value in function(said).items() if name in said}


BEFORE = desk(ALL)


@cache
def brought_up_to_date(name: str) -> Domain[Any]:
    """Today's domain with the lines in it that the remedies of the change give."""
    fields, more, function = KINDS[name]
    changes = desk(fields, **more).stored_changes(BEFORE.stored_schemas())
    remedies = {change.remedy for _, change in changes if change.is_breaking}
    return desk(fields, **more, **written(remedies, function))


@looped("name", KINDS)
def test_the_line_of_the_remedy_is_all_that_is_missing(name: str) -> None:
    changes = brought_up_to_date(name).stored_changes(BEFORE.stored_schemas())
    left = [change.remedy for _, change in changes if change.is_breaking]
    assert all(each.startswith("unless upcasts[") for each in left)


@given(st.lists(event_drafts_of(BEFORE), min_size=3, max_size=12))
def test_what_is_read_through_the_line_of_the_remedy_is_what_was_recorded(
    drafts: list[EventDraft],
) -> None:
    with HudStore.open(":memory:", domain=BEFORE) as store:
        session = store.session("s")
        session.record_all(drafts, refused=lambda *_: None)
        old = [each.model_dump() for each in session.state().remedies]
        for name, (fields, more, function) in KINDS.items():
            read = HudStore(session.log, domain=brought_up_to_date(name)).session("s")
            assert not [each for each in read.events() if isinstance(each.payload, Stored)], name
            items = getattr(read.state(), more.get("name", "remedies"))
            today = [{each: getattr(item, each) for each in fields} for item in items]
            asked = [{**EMPTY, **function(each)} for each in old]
            assert today == [{each: item[each] for each in fields} for item in asked], name


EMPTY = {"price": None}
"""What a new field holds of an old item."""

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
    "another section's name": (desk(FIELDS, name="attempts"), {*OLD.section_events}),
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


@looped("name", CHANGES)
def test_changes_name_the_types_that_break(name: str) -> None:
    today, broken = CHANGES[name]
    found = today.stored_changes(OLD.stored_schemas())
    assert {event for event, change in found if change.is_breaking} == broken & {
        *OLD.section_events
    }
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
