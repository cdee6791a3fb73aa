"""Changes in a session's log."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hud_runtime import ConcurrencyError, EventDraft, HudStore
from hud_runtime.editing import (
    Changes,
    Edit,
    EditError,
    EditProblem,
    changes,
    for_editing,
    record_changes,
)
from hud_runtime.log.events import EventType
from hud_runtime.session import HudSession
from ujsx import render


@pytest.fixture
def session() -> Iterator[HudSession]:
    with HudStore.open(":memory:") as store:
        session = store.session("s")
        session.record("note.add", content="Port 8080")
        yield session


def edit(session: HudSession, old: str, new: str) -> Changes:
    hud = for_editing(session.state())
    return changes(hud, render(hud).replace(old, new))


class TestRecordChanges:
    def test_records_events_of_the_user(self, session: HudSession) -> None:
        found = edit(session, "8080", "8081")
        [event] = record_changes(session, found, since=session.version)
        assert (event.type, event.actor) == ("note.update", "user")
        assert session.state().notes[0].content == "Port 8081"

    def test_no_change_is_no_event(self, session: HudSession) -> None:
        assert record_changes(session, Changes(), since=0) == ()

    def test_a_change_of_somebody_else_is_a_conflict(self, session: HudSession) -> None:
        version, found = session.version, edit(session, "8080", "8081")
        session.record("note.update", id="n-2", content="Port 9090")
        with pytest.raises(ConcurrencyError, match="is at version 3, not 2"):
            record_changes(session, found, since=version)
        assert session.version == 3

    @pytest.mark.parametrize(
        ("event_type", "said"),
        [
            ("note.remove", {"id": "n-2"}),
            ("section.clear", {}),
            ("section.clear", {"section": "notes"}),
            ("section.replace", {"notes": ({"id": "n-2", "content": "Port 9090"},)}),
        ],
    )
    def test_so_is_one_of_the_item_or_of_all_items(
        self, session: HudSession, event_type: EventType, said: dict[str, object]
    ) -> None:
        version, found = session.version, edit(session, "8080", "8081")
        session.record_all([EventDraft(event_type, said)])
        with pytest.raises(ConcurrencyError):
            record_changes(session, found, since=version)

    @pytest.mark.parametrize(
        ("event_type", "said"),
        [
            ("note.add", {"content": "Ask Ada"}),
            ("task.set", {"description": "Add login"}),
            ("step.add", {"description": "Write the model"}),
            ("section.clear", {"section": "next_steps"}),
            ("session.title", {"title": "Login"}),
        ],
    )
    def test_a_change_of_something_else_is_none(
        self, session: HudSession, event_type: EventType, said: dict[str, object]
    ) -> None:
        version, found = session.version, edit(session, "8080", "8081")
        session.record_all([EventDraft(event_type, said)])
        theirs = session.state()
        [event] = record_changes(session, found, since=version)
        assert event.type == "note.update"
        changed = theirs.notes[0].model_copy(
            update={
                "content": "Port 8081",
                "updated_at": event.timestamp,
                "said_by": "user",
                "said_at": event.version,
            }
        )
        assert session.state().notes == (changed, *theirs.notes[1:])
        assert (session.state().task, session.state().next_steps) == (
            theirs.task,
            theirs.next_steps,
        )

    def test_an_order_clashes_with_a_change_of_its_list(self, session: HudSession) -> None:
        for text in ("Write the model", "Write the view"):
            session.record("step.add", description=text)
        hud, version = for_editing(session.state()), session.version
        text = render(hud).replace("1. `s-3`", "3. `s-3`")
        lines = text.splitlines(keepends=True)
        place = lines.index("3. `s-3` Write the model\n")
        lines[place], lines[place + 1] = lines[place + 1], lines[place]
        found = changes(hud, "".join(lines))
        assert [each.operation for each in found.operations] == ["steps.reorder"]
        session.record("step.add", description="Write the tests")
        with pytest.raises(ConcurrencyError):
            record_changes(session, found, since=version)

    def test_the_task_clashes_with_the_task(self, session: HudSession) -> None:
        session.record("task.set", description="Add login")
        version, found = session.version, edit(session, "Add login", "Add logout")
        session.record("task.update", description="Add sign-in")
        with pytest.raises(ConcurrencyError):
            record_changes(session, found, since=version)

    def test_what_a_host_reports_is_no_conflict(self, session: HudSession) -> None:
        version, found = session.version, edit(session, "8080", "8081")
        session.record("context.snapshot", used=20_000, actor="host")
        session.record("file.open", path="a.py", actor="tool")
        record_changes(session, found, since=version)
        assert session.state().notes[0].content == "Port 8081"

    def test_problems_are_not_passed_over(self, session: HudSession) -> None:
        problem = EditProblem("no", 1, 1, "Notes")
        with pytest.raises(EditError, match="1 problem is left: line 1, column 1: Notes: no"):
            record_changes(session, Changes((), (problem,)), since=session.version)

    def test_all_are_recorded_or_none(self, session: HudSession) -> None:
        found = Changes(
            (
                Edit("notes.add", {"content": "Ask Ada"}, 1),
                Edit("notes.remove", {"id": "n-99"}, 2),
            )
        )
        with pytest.raises(LookupError, match=r"there is no .n-99."):
            record_changes(session, found, since=session.version)
        assert session.version == 2
        assert len(session.state().notes) == 1
