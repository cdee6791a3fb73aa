"""Changes in a session's log."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hud_runtime import ConcurrencyError, HudStore
from hud_runtime.editing import (
    Change,
    Changes,
    EditError,
    Problem,
    changes,
    for_editing,
    record_changes,
)
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
        session.record("note.add", content="Ask Ada")
        with pytest.raises(ConcurrencyError, match="is at version 3, not 2"):
            record_changes(session, found, since=version)
        assert session.version == 3

    def test_what_a_host_reports_is_no_conflict(self, session: HudSession) -> None:
        version, found = session.version, edit(session, "8080", "8081")
        session.record("context.snapshot", used=20_000, actor="host")
        session.record("file.open", path="a.py", actor="tool")
        record_changes(session, found, since=version)
        assert session.state().notes[0].content == "Port 8081"

    def test_problems_are_not_passed_over(self, session: HudSession) -> None:
        problem = Problem("no", 1, 1, "Notes")
        with pytest.raises(EditError, match="1 problem is left: line 1, column 1: Notes: no"):
            record_changes(session, Changes((), (problem,)), since=session.version)

    def test_all_are_recorded_or_none(self, session: HudSession) -> None:
        found = Changes(
            (
                Change("notes.add", {"content": "Ask Ada"}, 1),
                Change("notes.remove", {"id": "n-99"}, 2),
            )
        )
        with pytest.raises(LookupError, match=r"there is no .n-99."):
            record_changes(session, found, since=session.version)
        assert session.version == 2
        assert len(session.state().notes) == 1
