"""What cannot be read is counted by the fold: each item once, and only while the state lacks it."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import (
    CODING,
    Domain,
    HudValue,
    Line,
    NotesSection,
    ValueSection,
)
from hud_components.memory import CODING_MEMORY
from hud_runtime import EventError, ExchangeError, HudSession, HudStore
from hud_runtime.context.compaction import compaction_prompt
from hud_runtime.editing import for_editing
from hud_runtime.history.exchange import export_log, export_session, import_log
from hud_runtime.integrations.claude_code import ClaudeCode
from hud_runtime.log.events import Event, Stored, catalog_of
from hud_runtime.log.projection import project
from hud_runtime.log.store import SqliteEventStore
from hud_runtime.memory import TOOLS
from tests.hud_components.changes.reading import read
from tests.hud_runtime.projection.test_evolution import WHAT, desk
from tests.work import lines_run
from ujsx import render

OUTCOMES = ("failed", "worked")


class Ticket(HudValue):
    """What it is about."""

    subject: Line
    """What it is."""


class TicketSection(ValueSection[Ticket]):
    """What it is about."""

    name = "ticket"
    lines: ClassVar[Any] = {"full": "{subject}"}


def lab(outcomes: Any, *sections: Any) -> Domain[Any]:
    """A domain whose items have one of these outcomes."""
    fields = {**WHAT, "outcome": (outcomes, "worked")}
    return desk(fields, *sections, NotesSection, from_parent=True, from_project=True)


BEFORE = lab(Literal["failed", "worked"])
TODAY = lab(Literal["worked"])
GONE = Domain("desk", [NotesSection])
"""Of this domain the section is gone."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "desk.db"


def lacking(state: Any) -> list[str]:
    return [f"{each.section} {each.item or each.version}" for each in state.unreadable]


def append(session: HudSession[Any, Any], event_type: str, payload: str) -> None:
    """Append an event that was recorded by another version, or another program."""
    session.refresh()
    version = session.version
    event = Event(
        id=f"e-{version + 1}",
        session_id=session.id,
        version=version + 1,
        turn=session.turn,
        timestamp=1,
        actor="agent",
        type=event_type,
        payload=Stored(text=payload),
    )
    session.log.append(session.id, version, [event])
    session.refresh()


class TestCounting:
    def test_counts_an_item_once(self, path: Path) -> None:
        with HudStore.open(path, domain=BEFORE) as store:
            session = store.session("s")
            session.record("remedies.add", what="Restart", outcome="failed")
            session.record("remedies.update", id="r-2", outcome="worked")
            session.record("remedies.update", id="r-2", outcome="failed")
        with HudStore.open(path, domain=TODAY) as store:
            assert lacking(store.session("s").state()) == ["remedies r-2"]

    @pytest.mark.parametrize(
        ("event_type", "payload"),
        [
            ("remedies.remove", {"id": "r-2"}),
            ("section.clear", {"section": "remedies"}),
            ("section.clear", {}),
            ("section.replace", {"remedies": []}),
        ],
    )
    def test_does_not_count_what_is_taken_away(
        self, path: Path, event_type: str, payload: dict[str, Any]
    ) -> None:
        with HudStore.open(path, domain=BEFORE) as store:
            session = store.session("s")
            session.record("remedies.add", what="Restart", outcome="failed")
            session.record("note.add", content="Port 8080")
            session.record(event_type, **payload)
        with HudStore.open(path, domain=TODAY) as store:
            assert lacking(store.session("s").state()) == []
        with HudStore.open(path, domain=GONE) as store:
            state = store.session("s").state()
            # Nothing says there what "remedies.remove" and "section.replace" did.
            assert bool(lacking(state)) is (event_type != "section.clear")

    def test_does_not_count_a_value_that_is_set_anew(self, path: Path) -> None:
        with HudStore.open(path, domain=lab(Line, TicketSection)) as store:
            session = store.session("s")
            append(session, "ticket.set", '{"what": "No light"}')
            append(session, "ticket.set", '{"what": "No heat"}')
            assert lacking(session.state()) == ["ticket ticket"]
            assert "1 ticket cannot be read" in session.hud().text
            session.record("ticket.set", subject="No water")
            assert lacking(session.state()) == []
            append(session, "ticket.set", '{"what": "No air"}')
            assert "changes to 1 ticket cannot be read" in session.hud().text
            session.record("ticket.clear")
            assert lacking(session.state()) == []

    @given(
        steps=st.lists(
            st.one_of(
                st.tuples(st.just("add"), st.sampled_from(OUTCOMES)),
                st.tuples(st.just("update"), st.sampled_from(OUTCOMES), st.integers(0, 9)),
                st.tuples(st.just("remove"), st.integers(0, 9)),
                st.tuples(st.just("clear")),
            ),
            max_size=12,
        )
    )
    def test_misses_nothing_and_complains_of_nothing_that_is_gone(self, steps: Any) -> None:
        with HudStore.open(":memory:", domain=BEFORE) as store:
            session = store.session("s")
            for number, (kind, *said) in enumerate(steps):
                items = session.state().remedies
                if kind == "add":
                    session.record("remedies.add", what=f"No. {number}", outcome=said[0])
                elif kind == "clear":
                    session.record("section.clear", section="remedies")
                elif items:
                    event = {"id": items[said[-1] % len(items)].id}
                    more = {"outcome": said[0]} if kind == "update" else {}
                    session.record(f"remedies.{kind}", **event, **more)
            lines = [*export_session(session)]
            all_of_it = session.state().remedies
            today: Any = TODAY.state()
            for line in lines[1:]:
                today = project(today, _as_stored(json.loads(line)), TODAY)
        lost = {each.item for each in today.unreadable}
        assert lost <= {each.id for each in all_of_it}
        sound = [each for each in all_of_it if each.id not in lost]
        read = [each.model_dump() for each in today.remedies if each.id not in lost]
        assert read == [each.model_dump() for each in sound]
        assert lost or all(each.outcome == "worked" for each in sound)

    @pytest.mark.parametrize(
        ("event_type", "payload", "counted"),
        [
            ("nothing", "{}", "nothing 2"),
            ("x y\n.z", '{"id": "a"}', "x y\n a"),
            ("remedies.add", "[1]", "remedies 2"),
            ("remedies.add", '{"id": 5}', "remedies 2"),
            ("remedies.add", '{"id": ' + "[" * 250 + "]" * 250 + "}", "remedies 2"),
            ("remedies.add", '{"id": "\\ud83d"}', "remedies 2"),
            ("remedies.frob", '{"items": [{"id": "a"}, 5]}', "remedies a"),
            ("section.pin", '{"section": "gone"}', "gone 2"),
            ("section.pin", '{"section": 5}', "section 2"),
            ("section.replace", '{"gone": [{"id": "a"}], "remedies": 5}', "gone a"),
            ("layout.set", '{"layout": 5}', "layout 2"),
            ("context.snapshot", '{"used": "many"}', "context 2"),
            ("session.title", '{"title": 5}', "session 2"),
        ],
    )
    def test_counts_whatever_a_log_holds(
        self, path: Path, event_type: str, payload: str, counted: str
    ) -> None:
        with HudStore.open(path, domain=TODAY) as store:
            session = store.session("s")
            append(session, event_type, payload)
            state = session.state()
            assert lacking(state)[0] == counted
            assert TODAY.state.model_validate_json(state.model_dump_json()) == state
            assert "cannot be read" in session.hud().text
            assert "which cannot be read" in str(session.call("hud", {"op": "history"}))
            assert state == session.state(at=2)
            assert lacking(session.state(at=1)) == []

    def test_counts_what_is_nested_too_deeply(self) -> None:
        text = "[" * 100_000 + "]" * 100_000
        base = {"id": "e", "session_id": "s", "version": 2, "turn": 0, "timestamp": 0}
        event = Event.model_validate(
            {**base, "actor": "agent", "type": "remedies.add", "payload": Stored(text=text)}
        )
        assert lacking(project(TODAY.state(), event, TODAY)) == ["remedies 2"]

    def test_counts_in_the_coding_hud_too(self, path: Path) -> None:
        with HudStore.open(path) as store:
            session = store.session("s")
            append(session, "decision.record", '{"id": "d-2", "of a later version": true}')
            assert "*1 decision cannot be read: `hud history`*" in session.hud().text
            assert session.known.unreadable[0].section == "decisions"

    def test_counts_a_beginning_that_cannot_be_read(self, path: Path) -> None:
        with HudStore.open(path, domain=BEFORE) as store:
            start = next(store.session("t").events()).model_dump() | {"session_id": "s", "id": "x"}
            text = json.dumps({"domain": "desk", "inherited": 5})
            store.import_events(
                "s", [Event.model_validate({**start, "payload": Stored(text=text)})]
            )
            assert "1 entry of session cannot be read" in store.session("s").hud().text

    def test_goes_on_while_another_declaration_records(self, path: Path) -> None:
        with (
            HudStore.open(path, domain=BEFORE) as old,
            HudStore.open(path, domain=TODAY) as new,
        ):
            one = old.session("s")
            other = new.session("s")
            for number in range(3):
                one.record("remedies.add", what=f"No. {number}", outcome="failed")
                assert len(other.state().unreadable) == number + 1
                other.record("note.add", content=f"No. {number}")
            assert lacking(one.state()) == []

    def test_takes_work_in_proportion(self) -> None:
        def work(count: int) -> int:
            events = [
                _as_stored({"type": "remedies.add", "version": n, "payload": {"id": f"r-{n}"}})
                for n in range(1, count + 1)
            ]

            def fold() -> None:
                state: Any = TODAY.state()
                for event in events:
                    state = project(state, event, TODAY)
                assert len(state.unreadable) == count

            return lines_run(fold)

        assert work(400) < 2.2 * work(200)


def _as_stored(data: dict[str, Any]) -> Event:
    """An event as the domain of today reads it."""
    base = {"id": "e", "session_id": "s", "turn": 0, "timestamp": 0, "actor": "agent"}
    stored = Stored(text=json.dumps(data["payload"]))
    event = Event.model_validate({**base, **data, "payload": stored, "version": 1})
    with closing(SqliteEventStore(":memory:")) as log:
        log.append("s", 0, [event])
        [read] = log.read("s", catalog=catalog_of(TODAY))
    return read.model_copy(update={"version": data["version"]})


class TestInheriting:
    @pytest.fixture
    def family(self, path: Path) -> Path:
        with HudStore.open(path, domain=BEFORE) as store:
            for log in (store.project("p"), store.session("parent")):
                log.record("remedies.add", what=f"Of {log.id}", outcome="failed")
                log.record("remedies.add", what=f"Sound of {log.id}", outcome="worked")
            store.session("child", project="p", parent="parent")
        return path

    def test_counts_what_a_session_began_with(self, family: Path) -> None:
        with HudStore.open(family, domain=TODAY) as store:
            child = store.session("child")
            assert [each.what for each in child.state().remedies] == [
                "Sound of project:p",
                "Sound of parent",
            ]
            assert lacking(child.state()) == ["remedies project:r-2", "remedies parent:r-2"]
            assert "*2 remedies cannot be read" in child.hud().text
            told = str(child.call("hud", {"op": "history"}))
            assert "without 2 that cannot be read" in told
            assert "1 remedy cannot be read" in str(child.call("hud", {"op": "parent.show"}))

    def test_counts_a_section_that_is_gone(self, family: Path) -> None:
        with HudStore.open(family, domain=GONE) as store:
            assert len(store.session("child").state().unreadable) == 4

    def test_passes_on_what_a_parent_cannot_read(self, family: Path) -> None:
        with HudStore.open(family, domain=TODAY) as store:
            late = store.session("late", project="p", parent="parent")
            assert lacking(late.state()) == ["remedies project:r-2", "remedies parent:r-2"]
        with HudStore.open(family, domain=BEFORE) as store:  # its copy never had them
            assert "2 remedies cannot be read" in store.session("late").hud().text
            assert lacking(store.session("child").state()) == []


class TestFiles:
    def test_an_export_has_all_that_was_recorded(self, path: Path) -> None:
        with HudStore.open(path, domain=BEFORE) as store:
            store.session("parent").record("remedies.add", what="Restart", outcome="failed")
            child = store.session("child", parent="parent")
            child.record("remedies.add", what="Cable", outcome="failed")
            before = [*export_session(child)]
        for domain in (TODAY, GONE):
            with HudStore.open(path, domain=domain) as store:
                assert [*export_session(store.session("child"))] == before
                assert [*export_log(store, "child")] == before
        with HudStore.open(":memory:", domain=BEFORE) as store:
            import_log(store, before)
            assert [each.what for each in store.session("child").state().remedies] == [
                "Restart",
                "Cable",
            ]

    def test_a_copy_has_all_that_was_recorded(self, path: Path) -> None:
        with HudStore.open(path, domain=BEFORE) as store:
            store.session("parent").record("remedies.add", what="Restart", outcome="failed")
            child = store.session("child", parent="parent")
            child.record("remedies.add", what="Cable", outcome="failed")
        with HudStore.open(path, domain=TODAY) as store:
            copied = {"type": "user", "forkedFrom": {"sessionId": "child"}, "sessionId": "fork"}
            path.with_name("fork.jsonl").write_text(f"{json.dumps(copied)}\n")
            begins = {"hook_event_name": "SessionStart", "source": "fork", "session_id": "fork"}
            given = {**begins, "transcript_path": str(path.with_name("fork.jsonl"))}
            ClaudeCode(lambda: store).hook(json.dumps(given).encode())
            assert lacking(store.session("fork").state()) == lacking(store.session("child").state())
        with HudStore.open(path, domain=BEFORE) as store:
            both = [store.session(name).state().remedies for name in ("child", "fork")]
            assert [[each.what for each in one] for one in both] == [["Restart", "Cable"]] * 2

    @pytest.mark.parametrize("domain", [TODAY, GONE])
    def test_an_import_refuses_what_it_cannot_read(self, path: Path, domain: Domain[Any]) -> None:
        with HudStore.open(path, domain=BEFORE) as store:
            store.session("parent").record("remedies.add", what="Restart", outcome="failed")
            lines = [*export_session(store.session("child", parent="parent"))]
        with (
            HudStore.open(":memory:", domain=domain) as store,
            pytest.raises(ExchangeError, match=r"line 2: session\.start"),
        ):
            import_log(store, lines)

    def test_an_upcast_that_fails_refuses_an_import(self, path: Path) -> None:
        def failing(said: dict[str, Any]) -> dict[str, Any]:
            raise KeyError("nowhere")

        with HudStore.open(path, domain=BEFORE) as store:
            store.session("s").record("remedies.add", what="Restart", outcome="failed")
            lines = [*export_log(store, "s")]
        fields = {**WHAT, "outcome": (Literal["worked"], "worked")}
        today = desk(fields, upcasts={"remedies.add": failing})
        with (
            HudStore.open(":memory:", domain=today) as store,
            pytest.raises(ExchangeError, match=r"line 3: .*its upcast failed: KeyError: 'nowhere'"),
        ):
            import_log(store, lines)

    def test_an_upcast_that_makes_no_json_fails_and_nothing_else(self, path: Path) -> None:
        with HudStore.open(path, domain=BEFORE) as store:
            store.session("s").record("remedies.add", what="Restart", outcome="failed")
        fields = {**WHAT, "outcome": (Literal["worked"], "worked")}
        today = desk(fields, upcasts={"remedies.add": lambda said: {**said, "outcome": object()}})
        with HudStore.open(path, domain=today) as store:
            assert lacking(store.session("s").state()) == ["remedies r-2"]


class TestAnswers:
    @pytest.fixture
    def session(self, path: Path) -> Any:
        with HudStore.open(path, domain=lab(Literal["worked"], TicketSection)) as store:
            session = store.session("s")
            append(session, "remedies.add", '{"id": "r-2", "what": "Restart", "outcome": "failed"}')
            append(session, "ticket.set", '{"what": "No light"}')
            yield session

    def test_name_what_is_missing_where_nothing_is_listed(self, session: Any) -> None:
        told = str(session.call("hud", {"op": "remedies.list"}))
        assert told.startswith("None.\n\n*1 remedy cannot be read: `hud history`*\n")
        assert "⚠ 2 unreadable" in told.splitlines()[-1]
        told = str(session.call("hud", {"op": "ticket.get"}))
        assert told.startswith("No ticket.\n\n*1 ticket cannot be read: `hud history`*\n")
        assert "Restart" in str(session.call("hud", {"op": "history"}))

    def test_do_not_take_an_item_for_unknown(self, session: Any) -> None:
        told = str(session.call("hud", {"op": "remedies.update", "id": "r-2", "outcome": "worked"}))
        assert '"r-2" is in remedies, and cannot be read any more' in told
        with pytest.raises(EventError, match='there is no "r-9" in remedies'):
            session.record("remedies.remove", id="r-9")

    def test_say_why_an_event_changed_nothing(self, session: Any) -> None:
        append(session, "remedies.update", '{"id": "r-2", "outcome": "worked"}')
        told = str(session.call("hud", {"op": "history"})).splitlines()[0]
        assert told.endswith("outcome worked; nothing changed, as r-2 cannot be read")

    def test_of_other_tools_name_it_too(self, session: Any) -> None:
        assert "1 remedy, 1 ticket cannot be read" in compaction_prompt(session.state())
        assert "1 remedy, 1 ticket cannot be read" in render(for_editing(session.state()))

    def test_of_memory_do_not_call_a_block_empty_without_it(self, path: Path) -> None:
        with HudStore.open(path, domain=CODING_MEMORY) as store:
            session = store.session("m")
            append(session, "core_goal.set", '{"text": "Ship it"}')
            told = str(TOOLS.call("core_memory_read", {}, context=session))
            assert "Empty.\n\n*1 goal cannot be read: `hud history`*" in told

    def test_of_deliveries_add_up(self, session: Any) -> None:
        first = session.deliver()
        session.delivered(first.id)
        assert "1 remedy, 1 ticket cannot be read" in first.text
        session.record("note.add", content="Port 8080")
        second = session.deliver()
        session.delivered(second.id)
        assert "cannot be read" not in second.text
        session.record("section.clear", section="remedies")
        third = session.deliver()
        session.delivered(third.id)
        lines = [each.name for each in read(first.text, [second.text, third.text])]
        assert "1 ticket cannot be read: hud history" in lines
        assert not any("remedy" in each for each in lines)


class TestNothingRecorded:
    """That nothing is recorded is said of a log that holds nothing but its beginning."""

    NEW = "A new session begins with nothing recorded"

    def test_is_said_of_a_new_session(self, path: Path) -> None:
        with HudStore.open(path) as store:
            assert self.NEW in store.session("s").hud().text

    def test_is_not_said_where_something_cannot_be_read(self, path: Path) -> None:
        with HudStore.open(path) as store:
            session = store.session("s")
            append(session, "note.add", '{"body": "x"}')
            assert self.NEW not in session.hud().text

    def test_is_not_said_where_all_was_taken_away(self, path: Path) -> None:
        with HudStore.open(path) as store:
            session = store.session("s")
            session.record("note.remove", id=session.record("note.add", content="x").payload.id)
            assert session.state() == CODING.state().model_copy(
                update={"session": session.known.session, "updated_at": session.known.updated_at}
            )
            assert self.NEW not in session.hud().text
            assert "Nothing recorded" not in str(session.call("hud", {"op": "snapshot"}))
