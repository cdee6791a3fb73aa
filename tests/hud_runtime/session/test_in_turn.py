"""What one session keeps is not in the way of another: two in turn cost what one costs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from hud_components import Hud, Labelled, NotesSection, TaskSection
from hud_runtime import HudSession, HudStore
from tests.work import Act, lines_run

TURNS = 6

LAYOUT = Hud()[Labelled(label="Backend")[NotesSection(show_ids=True)], TaskSection()]


@pytest.fixture
def store() -> Iterator[HudStore]:
    with HudStore.open(":memory:") as store:
        yield store


def begun(store: HudStore, name: str) -> HudSession:
    """A session of its own words, with enough in it for a rendering anew to be seen."""
    session = store.session(name)
    session.record("task.set", description=f"Add {name}")
    for number in range(40):
        session.record("note.add", content=f"Note {number} on *{name}*, `{number}`")
        session.record("decision.record", summary=f"Use {name} {number}", details=name)
    return session


def turns(sessions: list[HudSession], options: dict[str, Any]) -> Act:
    """One change and one rendering in a turn, the sessions in turn."""

    def act() -> None:
        for turn in range(TURNS * len(sessions)):
            session = sessions[turn % len(sessions)]
            session.record("note.add", content=f"In turn {session.version}")
            assert session.hud(**options).tokens

    return act


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"density": "compact"},
        {"budget": 300},
        {"words": {"notes.title": "Notizen", "notes.noun": "Notiz|Notizen"}},
        {"layout": LAYOUT},
    ],
    ids=lambda options: next(iter(options), "plain"),
)
def test_two_sessions_in_turn_cost_what_one_costs(store: HudStore, options: dict[str, Any]) -> None:
    alone, first, second = (begun(store, name) for name in ("alone", "first", "second"))
    for session in (alone, first, second):
        turns([session], options)()  # what is made once is made
    one, two = (lines_run(turns(each, options)) for each in ([alone], [first, second]))
    assert two <= 1.1 * 2 * one


def test_two_sessions_that_are_asked_in_turn_cost_what_one_costs(store: HudStore) -> None:
    def calls(sessions: list[HudSession]) -> Act:
        def act() -> None:
            for turn in range(TURNS * len(sessions)):
                session = sessions[turn % len(sessions)]
                session.call("hud", {"op": "notes.add", "content": f"In turn {session.version}"})
                session.call("hud", {"op": "notes.list"})
                session.search("turn")

        return act

    alone, first, second = (begun(store, name) for name in ("alone", "first", "second"))
    for session in (alone, first, second):
        calls([session])()
    one, two = (lines_run(calls(each)) for each in ([alone], [first, second]))
    assert two <= 1.1 * 2 * one


def test_the_same_again_is_not_rendered_again(store: HudStore) -> None:
    session = begun(store, "s")
    once = session.hud(density="compact", budget=300)
    assert session.hud(density="compact", budget=300) is once
    session.record("note.add", content="Another")
    assert session.hud(density="compact", budget=300) != once


def test_a_rendering_anew_would_be_seen(store: HudStore) -> None:
    session = begun(store, "s")
    turns([session], {})()
    kept = lines_run(turns([session], {}))

    def anew() -> None:
        for _ in range(TURNS):
            session.record("note.add", content=f"In turn {session.version}")
            session._showing._kept = None
            assert session.hud().tokens

    assert lines_run(anew) > 1.5 * kept
