"""A session records, remembers, and shows; what it refuses, it refuses with a reason."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import (
    CODING,
    ContextUsage,
    Hud,
    HudState,
    NotesSection,
    TaskSection,
    room_for,
)
from hud_runtime import (
    At,
    ConcurrencyError,
    EventDraft,
    EventError,
    HudSession,
    HudStore,
    SnapshotPolicy,
    StoreError,
    StoreFullError,
    UnknownItemError,
    state_of,
)
from hud_runtime.integrations import HostSession
from hud_runtime.log.secrets import Secrets
from hud_runtime.preview import look_of
from hud_runtime.session import RenderOptions, StoreKeeping
from tests.hud_runtime.clock import Ticking
from tests.hud_runtime.drafts import event_drafts
from tests.hud_runtime.inside import lessen
from tests.hud_runtime.store.list_store import ListEventStore
from tests.ids import looped
from ujsx import PropError, Renderer, RenderError, explain, render, render_document


@pytest.fixture
def store() -> Iterator[HudStore]:
    with HudStore.open(":memory:", clock=Ticking(1_000, 10)) as store:
        yield store


@pytest.fixture
def session(store: HudStore) -> HudSession:
    return store.session("s")


class TestRecord:
    def test_returns_the_event_as_it_stands_in_the_log(self, session: HudSession) -> None:
        event = session.record("note.add", content=" Port 8080 ", turn=3, actor="user")
        assert list(session.events(after=1)) == [event]
        assert (event.version, event.turn, event.actor) == (2, 3, "user")
        assert event.payload.model_dump() == {"content": "Port 8080", "id": "n-2"}

    def test_takes_the_turn_of_the_event_before(self, session: HudSession) -> None:
        session.record("note.add", content="a", turn=3)
        assert session.record("note.add", content="b").turn == 3

    def test_takes_the_time_from_the_clock(self, store: HudStore) -> None:
        session = store.session("s")
        times = [session.record("task.clear").timestamp for _ in range(3)]
        assert times == sorted(set(times))

    def test_gives_ids_in_the_order_of_recording(self, session: HudSession) -> None:
        ids = [session.record("task.clear", timestamp=5).id for _ in range(50)]
        assert ids == sorted(set(ids))

    @pytest.mark.parametrize(
        ("event_type", "payload", "message"),
        [
            ("note.remove", {"id": "n-9"}, 'there is no "n-9" in notes; known: n-2 "a", n-3 "b"'),
            ("note.remove", {"id": "n-"}, '"n-" could be any of n-2, n-3; give the whole id'),
            ("step.complete", {"id": "x"}, 'there is no "x" in next_steps; there are none'),
            ("step.reorder", {"ids": ["x"]}, 'there is no "x" in next_steps'),
            ("file.close", {"path": "a.pi"}, 'is not among the active files; did you mean "a.py"?'),
        ],
    )
    def test_refuses_what_is_not_there_with_the_nearest(
        self, session: HudSession, event_type: str, payload: dict[str, object], message: str
    ) -> None:
        session.record("note.add", content="a")
        session.record("note.add", content="b")
        session.record("file.open", path="a.py")
        with pytest.raises(UnknownItemError) as caught:
            session.record_all([EventDraft(event_type, payload)])  # type: ignore[arg-type]
        assert message in str(caught.value)
        assert session.version == 4

    def test_finds_an_item_by_id_text_or_beginning(self, session: HudSession) -> None:
        for content in ("a", "b", "c"):
            session.record("note.add", content=content)
        for name in ("n-2", "b", "n-"):
            session.record("note.remove", id=name)
        assert session.state().notes == ()

    def test_finds_the_open_one_of_two_items_with_one_text(self, session: HudSession) -> None:
        session.record("step.add", description="a")
        session.record("step.complete", id="a")
        session.record("step.add", description="a")
        assert session.record("step.complete", id="a").payload.model_dump() == {"id": "s-4"}

    @pytest.mark.parametrize("done", [False, True])
    def test_refuses_a_text_that_could_mean_two_items(
        self, session: HudSession, done: bool
    ) -> None:
        for text in ("a", "b"):
            session.record("step.add", description=text)
        session.record("step.update", id="b", description="a")
        if done:
            session.record("step.complete", id="s-2")
            session.record("step.complete", id="s-3")
        version = session.version
        with pytest.raises(UnknownItemError) as caught:
            session.record("step.remove", id="a")
        assert str(caught.value) == 'step.remove: "a" is the text of s-2, s-3; name one by its id'
        with pytest.raises(UnknownItemError, match="s-2, s-3"):
            session.record("step.reorder", ids=["a"])
        assert session.version == version
        assert session.record("step.remove", id="s-3").payload.model_dump() == {"id": "s-3"}

    def test_keeps_an_id_of_the_authors_choice(self, session: HudSession) -> None:
        session.record("note.add", content="a", id="n-3")
        event = session.record("note.add", content="b")
        assert event.payload.model_dump()["id"] == "n-3.1"
        with pytest.raises(EventError, match='the id "n-3" is taken'):
            session.record("note.add", content="c", id="n-3")

    @looped("mode", ["mask", "refuse", "off"])
    @looped("ends", [True, False])
    def test_refuses_what_is_nested_without_end_or_too_deep(
        self, mode: Literal["mask", "refuse", "off"], *, ends: bool
    ) -> None:
        payload: dict[str, object] = {"content": "Port 8080"}
        within: dict[str, object] = payload
        for _ in range(10_000):
            within["more"] = within = {}
        if not ends:
            within["more"] = payload
        with HudStore.open(":memory:", secrets=Secrets(mode)) as store:
            session = store.session("s")
            with pytest.raises(EventError, match='"more" contains itself, or is nested more than'):
                session.record("note.add", payload)
            assert session.state().notes == ()

    def test_refuses_a_second_beginning(self, session: HudSession) -> None:
        with pytest.raises(EventError, match="has begun already"):
            session.record("session.start")


class TestRecordAll:
    def test_records_nothing_when_one_is_refused(self, session: HudSession) -> None:
        drafts = [
            EventDraft("note.add", {"content": "a"}),
            EventDraft("note.remove", {"id": "zzz"}),
        ]
        with pytest.raises(UnknownItemError):
            session.record_all(drafts)
        assert session.version == 1
        assert len(list(session.events())) == 1

    def test_leaves_out_what_is_refused_when_somebody_listens(self, session: HudSession) -> None:
        drafts = [
            EventDraft("note.remove", {"id": "zzz"}),
            EventDraft("note.add", {"content": "a"}),
        ]
        told: list[EventDraft] = []
        session.record_all(drafts, refused=lambda draft, error: told.append(draft))
        assert told == drafts[:1]
        assert session.version == 2

    def test_sees_what_stands_before_in_the_same_call(self, session: HudSession) -> None:
        session.record_all(
            [EventDraft("note.add", {"content": "a"}), EventDraft("note.remove", {"id": "a"})]
        )
        assert session.state().notes == ()

    def test_of_nothing_is_nothing(self, session: HudSession) -> None:
        assert session.record_all([]) == ()


class TestSnapshots:
    def test_that_cannot_be_saved_are_no_failure(self, monkeypatch: pytest.MonkeyPatch) -> None:
        events = ListEventStore()
        often = SnapshotPolicy(every=1)
        session = HudStore(events, clock=Ticking(), snapshots=often).session("s")

        def refuse(snapshot: object) -> None:
            raise StoreFullError("the disk is full")

        monkeypatch.setattr(events, "save_snapshot", refuse)
        assert session.record("task.clear").version == 2


class TestState:
    @given(drafts=st.lists(event_drafts, max_size=15))
    def test_is_the_fold_of_the_events(self, drafts: list[EventDraft]) -> None:
        with HudStore.open(":memory:", clock=Ticking()) as store:
            session = store.session("s")
            session.record_all(drafts, refused=lambda *_: None)
            events = tuple(session.events())
            assert session.state() == state_of(events)
            for version in range(len(events) + 1):
                assert session.state(at=version) == state_of(events[:version])

    @given(drafts=st.lists(event_drafts, max_size=25))
    def test_is_the_same_from_a_snapshot_and_what_follows(self, drafts: list[EventDraft]) -> None:
        events, often = ListEventStore(), SnapshotPolicy(every=3)
        session = HudStore(events, clock=Ticking(), snapshots=often).session("s")
        for draft in drafts:
            session.record_all([draft], refused=lambda *_: None)
        again = HudStore(events, clock=Ticking()).session("s")
        assert again.state() == state_of(events.read("s")) == session.state()
        assert (again.version, again.turn) == (session.version, session.turn)

    def test_of_a_turn_holds_all_that_happened_in_it(self, session: HudSession) -> None:
        for turn, content in ((1, "a"), (1, "b"), (2, "c"), (4, "d")):
            session.record("note.add", content=content, turn=turn)
        found = [len(session.state(at=At.turn(turn)).notes) for turn in range(6)]
        assert found == [0, 2, 3, 3, 4, 4]

    def test_of_a_turn_that_is_over_gets_nothing_more(self, session: HudSession) -> None:
        session.record("note.add", content="a", turn=3)
        with pytest.raises(EventError, match=r'turn 2 is over; session "s" is at turn 3'):
            session.record("note.add", content="b", turn=2)
        session.record("note.add", content="b", turn=3)
        assert len(session.state(at=At.turn(3)).notes) == 2

    def test_of_a_time_holds_all_up_to_it(self, session: HudSession) -> None:
        for time, content in ((2_000, "a"), (3_000, "b")):
            session.record("note.add", content=content, timestamp=time)
        found = [len(session.state(at=At.time(time)).notes) for time in (1_999, 2_000, 9_999)]
        assert found == [0, 1, 2]

    def test_before_everything_is_empty(self, session: HudSession) -> None:
        assert session.state(at=0) == HudState()

    def test_is_the_same_object_while_nothing_happens(self, session: HudSession) -> None:
        session.record("note.add", content="a")
        assert session.state() is session.state()


class TestHud:
    def test_does_not_touch_the_store(self, monkeypatch: pytest.MonkeyPatch) -> None:
        events = ListEventStore()
        session = HudStore(events, clock=Ticking()).session("s")
        session.record("task.set", description="Add a login")
        for name in ("read", "head", "snapshot", "version_at"):
            monkeypatch.delattr(ListEventStore, name)
        assert "Add a login" in session.hud().text

    def test_takes_its_density_from_the_last_reading(self, session: HudSession) -> None:
        session.record("task.set", description="Add a login")
        full = session.hud().text
        session.record("context.snapshot", used=190_000)
        assert session.hud().text == session.hud(density="minimal").text
        assert session.hud(usage=ContextUsage(used=1)).text != full
        assert session.hud(density="full").text != session.hud().text

    def test_a_limit_alone_is_explained_as_a_sections(self, session: HudSession) -> None:
        with pytest.raises(
            PropError, match=r"is a section's: layout=Hud\(\)\[NotesSection\(limit=3\)\]"
        ):
            session.hud(limit=3)


class TestStore:
    def test_gives_the_same_session_for_the_same_id(self, store: HudStore) -> None:
        assert store.session("s") is store.session("s")

    def test_begins_a_session_once(self, tmp_path: Path) -> None:
        for _ in range(2):
            with HudStore.open(tmp_path / "hud.db") as store:
                session = store.session("s", project="shop")
                assert [event.type for event in session.events()] == ["session.start"]

    def test_begins_a_session_in_the_past_if_asked(self, store: HudStore) -> None:
        info = store.session("s", started_at=7).state().session
        assert info is not None
        assert info.started_at == 7

    @pytest.mark.parametrize("name", ["", " ", " s", "a\ud800", "project:shop"])
    def test_refuses_names_that_cannot_be(self, store: HudStore, name: str) -> None:
        with pytest.raises(EventError):
            store.session(name)
        assert store.sessions() == ()

    def test_forgets_a_session_that_is_purged(self, store: HudStore) -> None:
        store.session("s").record("note.add", content="a")
        assert store.keeping.purge("s") == 2
        assert store.sessions() == ()
        with pytest.raises(StoreError, match="purged"):
            store.session("s")

    @pytest.mark.parametrize(
        "purge", [StoreKeeping.purge, lambda keeping, one: keeping.purge_all([one])]
    )
    def test_a_session_in_use_knows_nothing_of_what_was_purged(
        self, store: HudStore, purge: Any
    ) -> None:
        session = store.session("s")
        session.record("note.add", content="Secret")
        session.projected("hud")
        purge(store.keeping, "s")
        told = [session.hud().text, str(session.state()), session.deliver().text]
        told.append(session.call("hud", {"op": "notes.list"}).text)
        assert "Secret" not in "".join(told)

    def test_a_session_in_use_hears_of_its_purge(self, store: HudStore) -> None:
        session = store.session("s")
        store.keeping.purge("s")
        with pytest.raises(StoreError, match='session "s" was purged'):
            session.record("task.clear")


class TestInheritance:
    def test_a_child_begins_with_its_parents_state(self, store: HudStore) -> None:
        parent = store.session("p")
        parent.record("task.set", description="Ship it")
        parent.record("decision.record", summary="Use JWT")
        parent.record("blocker.add", description="No secret")
        parent.record("note.add", content="of the parent alone")
        child = store.session("c", parent=parent)
        parent.record("decision.record", summary="later")
        state = child.state()
        assert state.task is not None
        assert state.task.description == "Ship it"
        assert [one.id for one in state.decisions] == ["parent:d-3"]
        assert [one.id for one in state.blockers] == ["parent:b-4"]
        assert state.notes == ()
        assert state == state_of(child.events())

    def test_an_inherited_task_is_marked_until_it_is_the_sessions_own(
        self, store: HudStore
    ) -> None:
        store.session("p").record("task.set", description="Ship it")
        child = store.session("c", parent="p")
        assert "Ship it *from the parent session*" in child.hud().text
        child.record("task.set", description="Ship it")
        assert "Ship it\n" in child.hud().text

    def test_a_childs_events_stay_its_own(self, store: HudStore) -> None:
        parent = store.session("p")
        parent.record("decision.record", summary="Use JWT")
        child = store.session("c", parent="p")
        child.record("decision.remove", id="Use JWT")
        assert len(parent.state().decisions) == 1
        assert child.state().decisions == ()

    def test_its_beginning_says_from_where(self, store: HudStore) -> None:
        store.session("p").record("task.set", description="a")
        [start] = store.session("c", parent="p").events()
        assert (start.payload.parent, start.payload.parent_version) == ("p", 2)  # type: ignore[attr-defined]

    def test_a_project_gives_its_defaults(self, store: HudStore) -> None:
        defaults = store.project("shop")
        defaults.record("note.add", content="Tests run with make")
        defaults.record("file.edit", path="AGENTS.md")
        state = store.session("s", project="shop").state()
        assert [one.id for one in state.notes] == ["project:n-2"]
        assert [one.status for one in state.active_files] == ["referenced"]
        assert store.sessions() == ("s",)

    def test_nobody_can_be_the_child_of_nobody(self, store: HudStore) -> None:
        with pytest.raises(EventError, match='no session "x" to be the parent'):
            store.session("c", parent="x")

    def test_a_session_does_not_change_its_origin(self, store: HudStore) -> None:
        store.session("s", project="shop")
        with pytest.raises(EventError, match="started with project 'shop', not 'other'"):
            store.session("s", project="other")
        assert store.session("s", project="other", as_begun=True).known.session.project == "shop"


class TestManyWriters:
    def test_a_host_goes_on_with_what_another_began_meanwhile(self, tmp_path: Path) -> None:
        file = tmp_path / "hud.db"

        def clock() -> int:
            with HudStore.open(file) as other:
                other.session("s").record("note.add", content="Port 8080")
            return 0

        with HudStore.open(file, clock=clock) as store:
            host = HostSession.of(store, "s", project="shop")
            assert [note.content for note in host.session.state().notes] == ["Port 8080"]

    def test_threads_of_one_session_lose_nothing(self, store: HudStore) -> None:
        session = store.session("s")

        def write(name: str) -> None:
            for number in range(25):
                session.record("note.add", content=f"{name} {number}")

        threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(session.state().notes) == 100

    def test_a_session_sees_what_another_process_wrote(self, tmp_path: Path) -> None:
        with HudStore.open(tmp_path / "hud.db") as one, HudStore.open(tmp_path / "hud.db") as two:
            first, second = one.session("s"), two.session("s")
            first.record("note.add", content="a")
            second.record("note.add", content="b")
            assert len(first.state().notes) == 2
            assert first.state() == second.state()

    def test_a_session_knows_at_once_what_another_process_made(self, tmp_path: Path) -> None:
        with HudStore.open(tmp_path / "hud.db") as one, HudStore.open(tmp_path / "hud.db") as two:
            first, second = one.session("s"), two.session("s")
            first.record("note.add", content="a")
            second.record("note.remove", id="a")
            assert first.state().notes == ()

    def test_a_second_try_that_is_not_committed_leaves_the_state_as_it_was(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with HudStore.open(tmp_path / "hud.db") as one, HudStore.open(tmp_path / "hud.db") as two:
            first, second = one.session("s"), two.session("s")
            first.record("note.add", content="a")
            real = second._events.exclusive

            @contextmanager
            def fails_to_commit(session_id: str) -> Iterator[None]:
                with real(session_id):
                    yield
                    raise StoreFullError("the disk is full")

            with monkeypatch.context() as patch:
                patch.setattr(second._events, "exclusive", fails_to_commit)
                lessen(patch, "TRIES", 0)  # nobody else is in the way once
                with pytest.raises(StoreFullError):
                    second.record("note.add", content="b")
            assert second.state() == first.state()
            assert second.record("note.add", content="b").version == 3

    def test_a_writer_that_is_always_late_is_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        events = ListEventStore()
        session = HudStore(events).session("s")

        def late(session_id: str, expected_version: int, rows: object) -> None:
            raise ConcurrencyError(session_id, expected=expected_version, actual=9)

        monkeypatch.setattr(events, "append", late)
        with pytest.raises(ConcurrencyError):
            session.record("task.clear")


class TestHudOverTurns:
    def test_is_the_very_same_rendering_while_nothing_changes(self, session: HudSession) -> None:
        session.record("note.add", content="Port 8080")
        assert session.hud() is session.hud()

    def test_shows_what_has_changed_since(self, session: HudSession) -> None:
        session.record("note.add", content="Port 8080")
        before = session.hud()
        session.record("note.add", content="Port 9090")
        assert "Port 9090" not in before.text
        assert "Port 9090" in session.hud().text

    def test_keeps_to_a_budget(self, session: HudSession) -> None:
        for number in range(30):
            session.record("note.add", content=f"Port {number}")
        assert session.hud(budget=80).tokens <= 80 < session.hud().tokens

    def test_refuses_a_budget_below_nothing_wherever_one_is_taken(
        self, session: HudSession
    ) -> None:
        hud = Hud()[TaskSection()]
        for take in (
            session.hud,
            lambda budget: session.deliver(budget=budget),
            lambda budget: HostSession(session, budget=budget),
            lambda budget: room_for(None, budget=budget),
            lambda budget: render(hud, budget=budget),
            lambda budget: render_document(hud, budget=budget, density="full"),
            lambda budget: Renderer().render(hud, budget=budget),
            lambda budget: explain(hud, budget),
            lambda budget: look_of({"budget": str(budget)}),
        ):
            with pytest.raises(
                RenderError, match=r"budget must be a number of tokens, 0 or more.*not -5$"
            ):
                take(budget=-5)  # type: ignore[operator]
        session.record("layout.set", layout="<TaskSection/>")
        with pytest.raises(RenderError, match="not -5"):
            session.hud(budget=-5)

    def test_refuses_a_domain_as_its_layout(self, session: HudSession) -> None:
        for how in ("layout", "default"):
            with pytest.raises(PropError, match=r"a tree, .* not the domain coding: .*HudStore"):
                session.hud(**{how: CODING})  # type: ignore[arg-type]
        with pytest.raises(RenderError, match=r'0 or more, or "off", not Domain\('):
            session.hud(budget=CODING)  # type: ignore[arg-type]

    def test_of_a_turn_is_that_of_the_state_then(self, session: HudSession) -> None:
        for turn in (1, 2, 3):
            session.record("note.add", content=f"Port {turn}", turn=turn)
        for turn in (0, 1, 2, 3, 9):
            shown = session.shown(RenderOptions(budget=60), state=session.state(at=At.turn(turn)))
            assert session.hud(budget=60, turn=turn) == shown.rendered
        assert "Port 2" not in session.hud(turn=1).text
        assert session.hud(turn=9) == session.hud()


class TestHeldRungs:
    def test_a_previous_rendering_holds_the_rungs(self) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            for number in range(12):
                session.record("note.add", content=f"note {number}")
            first = session.hud(budget=40)
            session.record("note.add", content="one more")
            held = session.hud(budget=40, previous=first)
            assert [each.rung for each in held.sections] == [each.rung for each in first.sections]
            assert not held.over_budget


class TestOwnWords:
    LAYOUT = Hud(title="Auth service")[TaskSection(), NotesSection()]

    def test_a_layout_shows_the_sessions_data(self) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            session.record("task.set", description="Add login")
            session.record("decision.record", summary="Use JWT")
            assert session.hud(layout=self.LAYOUT).text == (
                "# Auth service\n\n## Task\n\nAdd login\n"
            )
            session.record("note.add", content="Port 8080")
            assert "Port 8080" in session.hud(layout=self.LAYOUT).text
            assert "Use JWT" in session.hud().text

    @looped("name", ["layout", "default"])
    def test_a_text_with_tags_is_a_layout_and_the_name_of_a_file_says_how_it_is_read(
        self, tmp_path, name
    ) -> None:
        text = '<Hud title="Desk">\n<NotesSection/>\n</Hud>\n'
        (tmp_path / "desk.md").write_text(text)
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            session.record("note.add", content="Port 8080")
            assert session.hud(**{name: text}).text.startswith("# Desk\n\n## Notes")
            with pytest.raises(PropError, match=r"write Path\('desk\.md'\)\.read_text\(\)$"):
                session.hud(**{name: "desk.md"})
            with pytest.raises(PropError) as caught:
                session.hud(**{name: str(tmp_path / "desk.md")})
            line = str(caught.value).partition("; write ")[2]
            assert "Port 8080" in session.hud(**{name: eval(line, {"Path": Path})}).text

    def test_texts_replace_the_fixed_ones(self) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            session.record("task.set", description="Add login")
            for _ in range(2):
                assert session.hud(words={"task.title": "Aufgabe"}).text.startswith(
                    "# HUD\n\n## Aufgabe\n"
                )
                assert "## Task" in session.hud().text


class TestATaskWithoutWords:
    @looped("words", [None, "", " \t\n"])
    def test_is_none(self, words: str | None) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            session.record("task.set", description="Add a login")
            event = session.record("task.set", description=words, turn=3, actor="user")
            assert (event.type, event.turn, event.actor) == ("task.clear", 3, "user")
            assert session.state().task is None
