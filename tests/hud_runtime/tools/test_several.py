"""Several calls of the HUD's tool in one: one transaction, one answer."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hud_components import NextSteps
from hud_runtime import HudSession, HudStore
from hud_runtime.tools import definitions, hud_toolset
from tests.hud_runtime.store.processes import running
from tests.hud_runtime.tools.reading import recorded

PLAN = ["Read the code", "Write a test", "Mend it", "Run all tests", "Update the docs", "Commit"]


@pytest.fixture
def session() -> Iterator[HudSession]:
    with HudStore.open(":memory:") as store:
        yield store.session("s")


def texts(session: HudSession) -> list[str]:
    return [step.description for step in session.state().next_steps]


@pytest.mark.parametrize(
    "call",
    [
        {"op": "steps.add", "description": PLAN},
        {"op": "steps.add", "steps": PLAN},
        {"op": "steps.add", "steps": [{"description": each} for each in PLAN]},
        {"calls": [{"op": "steps.add", "description": each} for each in PLAN]},
        {"op": "steps.set", "steps": PLAN},
        {"op": "steps.set", "items": [{"description": each} for each in PLAN]},
    ],
)
def test_a_plan_is_one_call(session: HudSession, call: dict[str, Any]) -> None:
    assert not session.call("hud", call).is_error
    assert texts(session) == PLAN


def test_nothing_is_recorded_when_one_is_refused(session: HudSession) -> None:
    session.call("hud", {"op": "notes.add", "content": "Port 8080"})
    before = session.version, session.state(), list(session.events())
    calls = [{"op": "steps.add", "description": "a"}, {"op": "steps.complete", "id": "nope"}]
    result = session.call("hud", {"calls": calls})
    assert "call 2 of 2" in result.text
    assert 'there is no "nope"' in result.text
    assert result.text.endswith("\nno task · 1 note")
    assert (session.version, session.state(), list(session.events())) == before


class TestARefusal:
    """What a refused call is answered with holds when the calls before it are undone."""

    def test_names_no_item_that_is_undone(self, session: HudSession) -> None:
        session.call("hud", {"op": "notes.add", "content": "Port 8080"})
        calls = [{"op": "notes.add", "content": "a"}, {"op": "notes.remove", "id": "nope"}]
        text = session.call("hud", {"calls": calls}).text
        assert (
            'call 2 of 2 is refused. there is no "nope" in notes; known: n-2 "Port 8080"\n' in text
        )

    def test_of_what_an_undone_call_did_says_so(self, session: HudSession) -> None:
        session.call("hud", {"op": "notes.add", "content": "a"})
        text = session.call("hud", {"calls": [{"op": "notes.remove", "id": "a"}] * 2}).text
        assert "call 2 of 2 is refused. (After call 1, which is undone:) there is no" in text
        assert text.endswith("\nno task · 1 note")

    def test_is_no_trial_that_stays(self, session: HudSession) -> None:
        calls = [{"op": "notes.add", "content": "a"}, {"op": "steps.complete", "id": "x"}]
        before = session.version
        session.call("hud", {"calls": [*calls, {"op": "steps.add", "steps": ["b"]}]})
        assert session.version == before
        twice = [{"op": "notes.add", "content": "b"}, {"op": "steps.add", "steps": ["c", ""]}]
        session.call("hud", {"calls": twice})
        assert (session.version, texts(session)) == (before, [])


def test_a_later_call_knows_what_an_earlier_one_did(session: HudSession) -> None:
    calls = [
        {"op": "task.set", "description": "Add a login"},
        {"op": "steps.add", "steps": ["a", "b"]},
        {"op": "steps.complete", "id": "a"},
        {"op": "steps.list"},
    ]
    told = session.call("hud", {"calls": calls}).text
    assert told.startswith("Task set.\nAdded s-3.\nAdded s-4.\nCompleted s-3.\n- [x] `s-3` a\n")
    assert [step.completed for step in session.state()[NextSteps]] == [True, False]


def test_items_are_completed_and_removed_together(session: HudSession) -> None:
    session.call("hud", {"op": "steps.add", "steps": ["a", "b", "c"]})
    assert not session.call("hud", {"op": "steps.complete", "id": ["a", "b"]}).is_error
    assert not session.call("hud", {"op": "steps.remove", "ids": ["a", "c"]}).is_error
    assert texts(session) == ["b"]


def test_one_value_takes_no_list(session: HudSession) -> None:
    assert session.call("hud", {"op": "task.set", "description": ["a", "b"]}).is_error
    assert session.state().task is None


class TestSet:
    def test_known_items_stay_what_they_are(self, session: HudSession) -> None:
        session.call("hud", {"op": "steps.add", "steps": ["a", "b"]})
        kept = session.state().next_steps[1]
        session.call("hud", {"op": "steps.set", "steps": ["c", "b"]})
        assert [step.description for step in session.state().next_steps] == ["c", "b"]
        assert session.state().next_steps[1].id == kept.id

    def test_nothing_is_no_list(self, session: HudSession) -> None:
        session.call("hud", {"op": "steps.add", "steps": ["a", "b"]})
        told = session.call("hud", {"op": "steps.set", "steps": []})
        assert "section.clear empties a section" in told.text
        assert texts(session) == ["a", "b"]

    def test_is_for_sections_whose_items_an_agent_can_remove(self) -> None:
        found = [name for name in hud_toolset(None).operations if name.endswith(".set")]
        assert found == ["task.set", "decisions.set", "notes.set", "steps.set", "blockers.set"]

    def test_costs_no_token_of_the_schema(self) -> None:
        assert "steps.set" not in str(definitions("mcp"))
        assert "steps.set" in str(definitions("mcp", rare=True))


class TestTranscripts:
    """What other programs recorded of such a call is read as it was understood."""

    def test_have_the_events_of_all_calls_with_their_ids(self) -> None:
        given = {"op": "steps.add", "steps": ["a", "b"]}
        assert recorded(given, "Added s-4.\nAdded s-7.\nno task · 2 steps") == [
            ("step.add", {"description": "a", "id": "s-4"}),
            ("step.add", {"description": "b", "id": "s-7"}),
        ]

    def test_have_no_event_of_a_call_that_reads(self) -> None:
        calls = [{"op": "steps.list"}, {"op": "notes.add", "content": "a"}]
        assert recorded({"calls": calls}, "…") == [("note.add", {"content": "a"})]

    def test_have_the_list_that_was_set(self) -> None:
        [event] = recorded({"op": "steps.set", "steps": ["a"]}, "Set: 1 item.")
        assert event == ("section.replace", {"next_steps": [{"description": "a"}]})


def _plans(path: Path, name: str) -> None:
    with HudStore.open(path) as store:
        session = store.session("s")
        for number in range(5):
            session.call(
                "hud", {"op": "steps.add", "steps": [f"{name}{number}{each}" for each in "abc"]}
            )


def _dies(path: Path) -> None:
    with HudStore.open(path) as store:
        session = store.session("s")
        session.call("hud", {"op": "notes.add", "content": "kept"})
        record_all, count = session.post_all, 0

        def post_all(*given: Any, **more: Any) -> Any:
            nonlocal count
            count += 1
            if count == 3:
                os._exit(9)
            return record_all(*given, **more)

        session.post_all = post_all  # type: ignore[method-assign]
        session.call("hud", {"op": "steps.add", "steps": ["a", "b", "c", "d"]})


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
class TestTwoProcesses:
    def test_calls_of_one_stay_together(self, tmp_path: Path) -> None:
        path = tmp_path / "hud.db"
        with HudStore.open(path) as store:
            store.session("s")
        with (
            running(lambda: _plans(path, "x")) as one,
            running(lambda: _plans(path, "y")) as other,
        ):
            assert (one.wait(), other.wait()) == (0, 0)
        with HudStore.open(path) as store:
            found = texts(store.session("s"))
        assert sorted(found) == sorted(f"{n}{k}{e}" for n in "xy" for k in range(5) for e in "abc")
        groups = [found[at : at + 3] for at in range(0, len(found), 3)]
        assert all([each[-1] for each in group] == ["a", "b", "c"] for group in groups)
        assert all(len({each[:-1] for each in group}) == 1 for group in groups)

    def test_an_end_in_the_middle_leaves_nothing(self, tmp_path: Path) -> None:
        path = tmp_path / "hud.db"
        with running(lambda: _dies(path)) as killed:
            assert killed.wait() == 9
        with HudStore.open(path) as store:
            session = store.session("s")
            assert texts(session) == []
            assert [note.content for note in session.state().notes] == ["kept"]
            assert not session.call("hud", {"op": "steps.add", "steps": ["a", "b"]}).is_error
