"""Mistakes in a declaration are told when the class, or the domain, is made: with what to write instead."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from types import new_class
from typing import Any

import pytest
from pydantic import AwareDatetime

from hud_components import (
    Domain,
    HudItem,
    HudModel,
    ItemsSection,
    Line,
    Moment,
    NotesSection,
    Target,
    ValueSection,
    Verb,
    parse,
)
from hud_components.folding import Mark
from hud_runtime import HudStore
from ujsx import DefinitionError, render


class Remedy(HudItem):
    what: Line
    outcome: str = ""


class Facts(HudModel):
    subject: Line


def items(base: Any = ItemsSection[Remedy], **body: Any) -> Any:
    given = {"__module__": __name__, "name": "remedies", "lines": {"full": "{what}"}, **body}
    known = {name: value for name, value in given.items() if value is not None}
    return new_class("Remedies", (base,), {}, lambda made: made.update(known))


def two_parameters(value: Any, said: Target) -> Any:
    return value


def unannotated(value: Any, said, moment: Moment) -> Any:
    return value


MISTAKES: dict[str, tuple[Callable[[], Any], str]] = {
    "no name": (
        lambda: Domain("desk", sections=(items(name=None),)),
        r'Remedies has no name; give it one: name = "…"',
    ),
    "no brackets": (
        lambda: Domain("desk", sections=(items(ItemsSection),)),
        r"Remedies does not say what is in it; write the class in brackets: ItemsSection\[Item\]",
    ),
    "an instance": (
        lambda: Domain("desk", sections=(NotesSection(),)),  # type: ignore[arg-type]
        "is no class of sections; name the class itself",
    ),
    "one class": (
        lambda: Domain("desk", sections=NotesSection),  # type: ignore[arg-type]
        r"sections: NotesSection is no tuple; write \(NotesSection,\)",
    ),
    "verbs that are one text": (
        lambda: items(verbs="add"),
        r"Remedies.verbs: 'add' is no tuple; write \(\"add\",\)",
    ),
    "items without ids": (
        lambda: items(ItemsSection[Facts], lines={"full": "{subject}"}),
        "Remedies: Facts has no field 'id', by which its items are named; make it a HudItem",
    ),
    "over, but how": (
        lambda: items(verbs=("add", "complete")),
        "Remedies.verbs: 'complete' says that an item is over, and nothing says which field that is",
    ),
    "a mark, but how": (
        lambda: items(verbs=("add", Mark("keep"))),
        "Remedies.verbs: 'keep' says that an item is over",
    ),
    "an item's verb on a value": (
        lambda: items(ValueSection[Facts], lines={"full": "{subject}"}, verbs=("set", "add")),
        "Remedies.verbs: 'add' is for items, and this section has one value",
    ),
    "a value's verb on items": (
        lambda: items(verbs=("set",)),
        "Remedies.verbs: 'set' is for one value, and this section has items",
    ),
    "a function of two": (
        lambda: items(verbs=("add", Verb("go", two_parameters))),
        r"the verb 'go' takes \(value, arguments, moment\), not \(value, said\)",
    ),
    "a function of what": (
        lambda: items(verbs=("add", Verb("go", unannotated))),
        "the verb 'go' does not say what its arguments are; annotate 'said'",
    ),
    "an attribute that is none": (
        lambda: items(tittle="Tried"),
        'Remedies.tittle: a section has no such attribute; did you mean "title"?',
    ),
    "two texts side by side": (
        lambda: items(lines={"full": "{what}: {outcome}"}),
        "Remedies.lines: '{what}: {outcome}': nothing tells where {outcome} starts; mark it",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_at_once(name):
    make, said = MISTAKES[name]
    with pytest.raises(DefinitionError, match=said):
        make()


def given(function: Callable[..., Any]) -> Any:
    """A session of a domain with a verb that does what the function does, and one item."""
    section = items(verbs=("add", Verb("go", function)))
    store = HudStore.open(":memory:", domain=Domain("desk", sections=(section,)))
    session = store.session("s")
    session.record("remedies.add", what="Restart")
    return session


def gives_none(value: Any, said: Target, moment: Moment) -> Any:
    return None


def gives_a_list(value: Any, said: Target, moment: Moment) -> Any:
    return [*value]


def breaks(value: Any, said: Target, moment: Moment) -> Any:
    raise StopIteration


@pytest.mark.parametrize("function", [gives_none, gives_a_list])
def test_a_function_that_gives_something_else_records_nothing(function):
    session = given(function)
    before = session.state()
    with pytest.raises(
        DefinitionError,
        match=f"remedies.go: {function.__name__} returned .*; it returns a tuple of Remedy",
    ):
        session.record("remedies.go", id="Restart")
    assert session.call("hud", {"op": "remedies.go", "id": "Restart"}).is_error
    assert (session.state(), session.version) == (before, 2)


def test_a_function_that_breaks_records_nothing():
    session = given(breaks)
    with pytest.raises(StopIteration):
        session.record("remedies.go", id="Restart")
    assert session.version == 2


def goes(value: tuple[Remedy, ...], said: Target, moment: Moment) -> tuple[Remedy, ...]:
    return tuple(one for one in value if one.id != said.id)


@pytest.mark.parametrize("now", [breaks, gives_none])
def test_a_log_is_read_even_if_a_function_breaks_by_now(now, tmp_path):
    path = tmp_path / "hud.db"
    for function, left in ((goes, []), (now, ["Restart"])):
        section = items(verbs=("add", Verb("go", function)), revision=len(left) + 1)
        with HudStore.open(path, domain=Domain("desk", sections=(section,))) as store:
            session = store.session("s")
            if function is goes:
                session.record("remedies.add", what="Restart")
                session.record("remedies.go", id="Restart")
            assert [one.what for one in session.state()[section]] == left


def test_a_time_with_its_offset_may_stand_in_a_line():
    class Promise(HudItem):
        what: Line
        due: AwareDatetime

    section = items(ItemsSection[Promise], lines={"full": "**{what}** by {due}"})
    due = datetime.fromisoformat("2026-03-02T10:00:00+01:00")
    text = render(section(remedies=(Promise(what="Call", due=due),)))
    assert text == "# Remedies\n\n- **Call** by 2026-03-02T10:00:00+01:00\n"
    [read] = parse(text, vocabulary=(section,)).children
    assert render(read) == text
    assert read.remedies[0].due == due
