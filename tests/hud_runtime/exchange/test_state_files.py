"""The state files of HUD plugins are read as events and written from a state."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import HudState, NoteDraft
from hud_runtime import ExchangeError, HudStore
from hud_runtime.history.exchange import (
    ProjectFile,
    SessionFile,
    project_file,
    read_project_file,
    read_session_file,
    session_file,
)
from tests.hud_runtime.clock import Ticking
from tests.ids import looped

SESSION = {
    "sessionId": "ses_abc123",
    "projectPath": "/home/a/shop",
    "lastUpdated": 1_750_000_000_000,
    "currentTask": "Implementing auth middleware",
    "keyDecisions": ["Use RS256", "Refresh tokens are stored hashed"],
    "activeFiles": ["src/auth.ts", "src/jwt.ts"],
    "notes": ["Port 8080"],
    "blockers": ["No secret in CI"],
    "nextSteps": ["Write tests", "Ship it"],
    "compactedContext": "We set up the service.",
}
PROJECT = {
    "projectPath": "/home/a/shop",
    "projectNotes": ["Tests run with make"],
    "keyFiles": ["AGENTS.md"],
    "conventions": ["Two spaces"],
    "lastUpdated": 1_750_000_000_000,
}

texts = st.lists(st.text(max_size=12), max_size=4)


@pytest.fixture
def store() -> Iterator[HudStore]:
    with HudStore.open(":memory:", clock=Ticking()) as store:
        yield store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "ses_abc123.json"
    path.write_text(json.dumps(SESSION))
    return path


class TestSessionFile:
    def test_becomes_a_state(self, store: HudStore, path: Path) -> None:
        file = read_session_file(path)
        session = store.session(file.session_id)
        session.record_all(file.drafts())
        state = session.state()
        assert state.task is not None
        assert state.task.description == SESSION["currentTask"]
        assert state.task.updated_at == SESSION["lastUpdated"]
        assert [one.summary for one in state.decisions] == SESSION["keyDecisions"]
        assert [one.path for one in state.active_files] == SESSION["activeFiles"]
        assert [one.description for one in state.next_steps] == SESSION["nextSteps"]
        assert state.compacted_context == SESSION["compactedContext"]

    def test_comes_back_as_it_was(self, store: HudStore, path: Path) -> None:
        file = read_session_file(path)
        session = store.session(file.session_id)
        session.record_all(file.drafts())
        written = session_file(
            session.state(),
            session_id=session.id,
            project_path=file.project_path,
            last_updated=file.last_updated,
        )
        assert json.loads(written.text()) == SESSION

    def test_read_twice_changes_nothing(self, store: HudStore, path: Path) -> None:
        session = store.session("s")
        session.record_all(read_session_file(path).drafts())
        before = session.state()
        session.record_all([one for one in read_session_file(path).drafts() if one.actor != "host"])
        assert before.unconfirmed == ("next_steps",)  # and a plan that is told again is confirmed
        assert session.state() == before.model_copy(update={"unconfirmed": ()})

    @given(task=st.none() | st.text(max_size=9), lists=st.tuples(*[texts] * 5))
    def test_of_any_texts_can_be_recorded(
        self, task: str | None, lists: tuple[list[str], ...]
    ) -> None:
        names = ("key_decisions", "active_files", "notes", "blockers", "next_steps")
        values = {name: tuple(value) for name, value in zip(names, lists, strict=True)}
        file = SessionFile(session_id="s", current_task=task, **values)
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            session.record_all(file.drafts())
            notes = {NoteDraft(content=text).content for text in values["notes"] if text.strip()}
            assert {note.content for note in session.state().notes} == notes

    def test_leaves_out_what_is_over(self, store: HudStore) -> None:
        session = store.session("s")
        for text in ("a", "b"):
            session.record("step.add", description=text)
            session.record("blocker.add", description=text)
        session.record("step.complete", id="a")
        session.record("blocker.resolve", id="a")
        session.record("decision.record", summary="Use JWT", details="Stateless")
        file = session_file(session.state(), session_id="s")
        assert (file.next_steps, file.blockers) == (("b",), ("b",))
        assert file.key_decisions == ("Use JWT — Stateless",)

    def test_of_an_empty_state_says_that_there_is_no_task(self) -> None:
        (draft,) = session_file(HudState(), session_id="s").drafts()
        assert draft.type == "task.clear"
        assert SessionFile(session_id="s").drafts() == (), "it does not speak of a task"

    def test_with_more_in_it_is_read(self, tmp_path: Path) -> None:
        (tmp_path / "s.json").write_text('{"sessionId": "s", "theme": "dark"}')
        assert read_session_file(tmp_path / "s.json").notes == ()


class TestProjectFile:
    def test_becomes_what_new_sessions_inherit(self, store: HudStore, tmp_path: Path) -> None:
        (tmp_path / "p.json").write_text(json.dumps(PROJECT))
        file = read_project_file(tmp_path / "p.json")
        store.project("shop").record_all(file.drafts())
        state = store.session("s", project="shop").state()
        assert [one.content for one in state.notes] == PROJECT["projectNotes"]
        assert [one.path for one in state.active_files] == PROJECT["keyFiles"]
        assert [one.summary for one in state.decisions] == PROJECT["conventions"]
        again = project_file(
            store.project("shop").state(),
            project_path=file.project_path,
            last_updated=file.last_updated,
        )
        assert json.loads(again.text()) == PROJECT


class TestRefusal:
    @looped(
        ("content", "message"),
        [
            ("{", "the file: invalid JSON"),
            ("{}", "sessionId: field required"),
            ('{"sessionId": "s", "notes": "x"}', "notes: input should be"),
            ('{"sessionId": "s", "notes": [1]}', "notes.0: input should be a valid string"),
            ('{"sessionId": "s", "lastUpdated": -1}', "lastUpdated: input should be greater"),
        ],
    )
    def test_names_the_file_and_the_field(self, tmp_path: Path, content: str, message: str) -> None:
        (tmp_path / "s.json").write_text(content)
        with pytest.raises(ExchangeError, match=rf"s\.json: {message}"):
            read_session_file(tmp_path / "s.json")

    def test_names_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(ExchangeError, match="cannot be read: No such file"):
            read_project_file(tmp_path / "p.json")

    def test_does_not_mind_a_project_without_anything(self) -> None:
        assert ProjectFile().drafts() == ()
