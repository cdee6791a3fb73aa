"""Laws of editing, over random states and random edits made on a model of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from hud_components import Hud, HudState, Note, Task
from hud_runtime import EventDraft, HudStore
from hud_runtime.editing import Changes, changes, for_editing, record_changes
from hud_runtime.session import HudSession
from tests.hud_components.strategies import DENSITIES, STATES, trees
from tests.hud_components.test_parse import HUDS
from tests.hud_runtime.drafts import event_drafts
from tests.hud_runtime.editing.any_text import check_any_text
from tests.hud_runtime.editing.model import Edit, after, edits, without_new_ids
from tests.hud_runtime.store.list_store import ListEventStore
from ujsx import Density, Element, Node, render

TEXTS = st.text(alphabet="abcdefgh ij*_`<>#[]\n\\-+1.~|&:/é🎉", min_size=1, max_size=24).filter(
    str.strip
)
"""Texts with what means something in Markdown."""


def session_of(drafts: list) -> HudSession:
    session = HudStore(ListEventStore()).session("s")
    session.record_all(drafts, refused=lambda draft, error: None)
    return session


def of_the_agent(drafts: list) -> HudSession:
    """A session in which the agent said all: what an edit leaves is what it would read."""
    return session_of([replace(draft, actor="agent") for draft in drafts])


def without_ids(state: HudState) -> Element[Hud]:
    """Everything that a state has, as for an editor, with no ids."""
    hud = for_editing(state)
    sections: list[Any] = [
        child.model_copy(update={"show_ids": False}) if hasattr(child, "show_ids") else child
        for child in hud.children
    ]
    return Hud()[sections]


SESSIONS = st.lists(event_drafts, max_size=15)


@pytest.mark.filterwarnings("ignore:the HUD shows nothing")
class TestNoEdit:
    @given(STATES, DENSITIES)
    def test_is_no_change(self, state: HudState, density: Density) -> None:
        hud = Hud.of(state, now=0)
        assert changes(hud, render(hud, density=density), density=density) == Changes()

    @given(SESSIONS)
    def test_is_no_change_where_ids_are_shown(self, drafts: list) -> None:
        hud = for_editing(session_of(drafts).state())
        assert changes(hud, render(hud)) == Changes()


TWICE = ("says that already", "has this text too")
"""What problems say of items that would read the same: the only ones that these edits may have."""


@pytest.mark.filterwarnings("ignore::hud_components.declaring.LayoutWarning")
class TestNoEditOfALayout:
    @given(trees() | HUDS, DENSITIES)
    def test_is_no_change(self, layout: Node, density: Density) -> None:
        text = render(layout, density=density)
        assert changes(layout, text, density=density) == Changes()


class TestEdits:
    @given(SESSIONS, edits(TEXTS))
    def test_what_is_recorded_renders_as_the_edited_text(
        self, drafts: list, done: list[Edit]
    ) -> None:
        session = of_the_agent(drafts)
        before = session.state()
        wanted = after(before, done)
        text = render(for_editing(wanted))
        found = changes(for_editing(before), text)
        for problem in found.problems:
            assert any(words in problem.message for words in TWICE), problem
        if not found.problems:
            record_changes(session, found, since=session.version, actor="agent")
            assert render(for_editing(without_new_ids(session.state(), wanted))) == text
            event("recorded" if found.operations else "nothing to record")
        else:
            event("ambiguous")

    @given(SESSIONS, edits(TEXTS))
    def test_without_ids_too_or_it_is_a_problem(self, drafts: list, done: list[Edit]) -> None:
        session = of_the_agent(drafts)
        before = session.state()
        text = render(without_ids(after(before, done)))
        found = changes(without_ids(before), text)
        if not found.problems:
            record_changes(session, found, since=session.version, actor="agent")
            # What was changed beyond recognition is new, and stands at the end of its list.
            there = render(without_ids(session.state())).splitlines()
            assert sorted(there) == sorted(text.splitlines())
        event("problems" if found.problems else "recorded")

    def test_what_a_user_writes_says_so(self) -> None:
        session = of_the_agent([EventDraft("note.add", {"content": "Port 8080"})])
        text = render(for_editing(session.state())).replace("8080", "9090")
        found = changes(for_editing(session.state()), text)
        record_changes(session, found, since=session.version)
        assert session.state().notes[0].said_by == "user"
        edited = "Port 9090 *said by the user*\n"
        assert edited in session.hud(density="full").text
        text = render(for_editing(session.state())).replace(edited, f"{edited}- Port 1\n")
        found = changes(for_editing(session.state()), text)
        record_changes(session, found, since=session.version)
        assert "Port 1 *said by the user*" in session.hud(density="full").text


class TestAnyText:
    @given(SESSIONS, st.data())
    def test_is_changes_that_can_be_recorded_or_problems_with_places(
        self, drafts: list, data: st.DataObject
    ) -> None:
        check_any_text(session_of(drafts), data, TEXTS)

    @given(st.text() | st.text(alphabet="#-*`~1. \n|>[]ab"))
    def test_never_fails(self, text: str) -> None:
        state = HudState(task=Task(description="a"), notes=(Note(id="n-2", content="b"),))
        assert isinstance(changes(for_editing(state), text), Changes)
