"""A layout that the agent has set is a fact of its session: recorded, folded, shown where it may be."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import CODING, Hud, HudState, TaskSection
from hud_runtime import Event, EventDraft, EventError, HudSession, HudStore, StoreError, state_of
from hud_runtime.history.exchange import export_session, import_session
from hud_runtime.log.projection import HUD
from hud_runtime.session import AgentLayouts, SnapshotPolicy
from tests.hud_runtime.clock import Ticking
from tests.hud_runtime.store.processes import running
from tests.ids import looped
from ujsx import read_layout

MINE = '<Hud title="Mine">\n  <TaskSection/>\n</Hud>\n'
OURS = read_layout('<Hud title="Ours">\n<TaskSection/>\n</Hud>', [Hud, TaskSection])
THEIRS = read_layout('<Hud title="Theirs">\n<TaskSection/>\n</Hud>', [Hud, TaskSection])


@pytest.fixture
def store() -> Iterator[HudStore]:
    with HudStore.open(":memory:", clock=Ticking()) as opened:
        yield opened


@pytest.fixture
def session(store: HudStore) -> HudSession:
    made = store.session("s")
    made.record("task.set", description="Add a login")
    return made


def title(session: HudSession, **how: object) -> str:
    return session.hud(**how).text.splitlines()[0]  # type: ignore[arg-type]


class TestBraces:
    def test_are_refused_before_they_are_recorded(self, session: HudSession) -> None:
        before = session.version
        with pytest.raises(EventError, match=r'^layout\.set: .*<Value of="task\.description"/>'):
            session.record("layout.set", layout="<Hud>{state.task}<TaskSection/></Hud>")
        assert session.version == before


class TestOrder:
    def test_is_yours_the_agents_the_default_you_gave_and_the_domains(
        self, session: HudSession
    ) -> None:
        assert title(session) == "# HUD"
        assert title(session, default=THEIRS) == "# Theirs"
        session.record("layout.set", layout=MINE)
        assert title(session) == "# Mine"
        assert title(session, default=THEIRS) == "# Mine"
        assert title(session, default=THEIRS, layout=OURS) == "# Ours"
        assert title(session, default=THEIRS, agent_layout=False) == "# Theirs"
        assert title(session, agent_layout=False) == "# HUD"

    def test_has_the_latest_layout_after_the_last_reset(self, session: HudSession) -> None:
        session.record("layout.set", layout=MINE)
        session.record("layout.set", layout=MINE.replace("Mine", "Other"))
        assert title(session) == "# Other"
        session.record("layout.reset")
        assert title(session) == "# HUD"
        session.record("layout.set", layout=MINE)
        assert title(session) == "# Mine"

    def test_is_that_of_any_moment(self, session: HudSession) -> None:
        session.record("layout.set", layout=MINE)
        session.record("layout.reset")
        assert [session.state(at).layout for at in (2, 3, 4)] == [None, MINE, None]

    def test_leaves_the_agents_out_where_a_store_says_so(self, tmp_path: Path) -> None:
        choices: list[tuple[AgentLayouts, str]] = [
            ("show", "# Mine"), ("offer", "# Mine"), ("off", "# HUD")
        ]  # fmt: skip
        for choice, shown in choices:
            with HudStore.open(tmp_path / "hud.db", agent_layouts=choice) as store:
                session = store.session("s")
                session.record("task.set", description="Add a login")
                session.record("layout.set", layout=MINE)
                assert title(session) == shown

    def test_knows_no_other_choice(self) -> None:
        with pytest.raises(StoreError, match="none of offer, show, off: 'on'"):
            HudStore.open(":memory:", agent_layouts="on")  # type: ignore[arg-type]

    def test_is_the_same_bytes_each_time(self, session: HudSession) -> None:
        session.record("layout.set", layout=MINE)
        again = HudStore.open(":memory:").session("t")
        again.record("task.set", description="Add a login")
        again.record("layout.set", layout=MINE)
        for how in ({}, {"budget": 60}, {"density": "compact"}, {"density": "minimal"}):
            assert session.hud(**how).text == again.hud(**how).text  # type: ignore[arg-type]


class TestRefusals:
    @pytest.mark.parametrize(
        ("layout", "said"),
        [
            (
                "<Hud>\n<Nope/>\n</Hud>",
                "layout.set: line 2, column 1: <Nope> is not a known component",
            ),
            ("<TaskSection/>\n\n" + "word " * 400, "its own text takes 369 tokens, and 250 is"),
            ("a" * 9_000, "it has 9,000 characters, and 8,000 is the most"),
            ("", "it shows nothing of the session"),
        ],
    )
    def test_come_before_anything_is_recorded(
        self, session: HudSession, layout: str, said: str
    ) -> None:
        before = session.state(), session.version
        with pytest.raises(EventError, match=said):
            session.record("layout.set", layout=layout)
        assert (session.state(), session.version) == before

    def test_go_by_how_full_the_context_is(self, session: HudSession) -> None:
        wordy = "<TaskSection/>\n\n" + "word " * 100
        session.record("context.snapshot", used=195_000)
        with pytest.raises(EventError, match="and 25 is the most"):
            session.record("layout.set", layout=wordy)
        session.record("context.snapshot", used=20_000)
        session.record("layout.set", layout=wordy)


def slipped_in(session: HudSession, store: HudStore, layout: str) -> HudSession:
    """The session as another store has it, with a layout that nobody checked."""
    lines = [json.loads(each) for each in export_session(session)]
    assert lines[-1]["type"] == "layout.set"
    lines[-1]["payload"]["layout"] = layout
    return import_session(store, [json.dumps(each) for each in lines], session_id="copy")


class TestFallingBack:
    @pytest.mark.parametrize(
        ("layout", "said"),
        [
            ("<Hud>\n<GoneSection/>\n</Hud>", "<GoneSection> is not a known component"),
            ("<Hud>\n<BlockersList blockers={[]}/>\n</Hud>", "leave blockers out"),
            ("<Hud>", "is not closed"),
            ("<Hud>{state.task}<TaskSection/></Hud>", "braces are not evaluated"),
            ("a" * 100_000, "8,000 is the most"),
            ("<TaskSection/>\n\n" + "word " * 400, "its own text takes 3"),
            ("<TaskSection/>\n\n" + "> " * 2_000 + "a", "nested more than"),
            ("[a](https://b.c) <Value of='task.description'/>", "a Link is not allowed here"),
        ],
    )
    def test_shows_the_next_and_says_so_once(
        self, session: HudSession, layout: str, said: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        session.record("layout.set", layout=MINE)
        with HudStore.open(":memory:") as other:
            copy = slipped_in(session, other, layout)
            usual = copy.hud(agent_layout=False)
            told: list[str] = []
            with caplog.at_level(logging.WARNING, "hud_runtime.session"):
                assert copy.hud() == copy.hud() == usual
            assert len([each for each in caplog.messages if said in each]) == 1
            assert copy.hud(on_warning=told.append) == usual
            assert title(copy, default=THEIRS, on_warning=told.append) == "# Theirs"
            assert len(told) == 2
            assert told[0].startswith("the agent's layout is not shown: ")

    def test_ends_when_there_is_room_again(self, session: HudSession) -> None:
        session.record("layout.set", layout="<TaskSection/>\n\n" + "word " * 60)
        told: list[str] = []
        assert "word" in session.hud(on_warning=told.append).text
        session.record("context.snapshot", used=195_000)
        assert "word" not in session.hud(on_warning=told.append).text
        (sentence,) = told
        assert "its own text takes 57 tokens, and 25 is the most, half of the 50" in sentence
        session.record("context.snapshot", used=20_000)
        assert "word" in session.hud().text

    def test_goes_by_the_usage_and_the_budget_that_are_asked_for(self, session: HudSession) -> None:
        session.record("layout.set", layout=MINE)
        assert title(session, budget=100) == "# Mine"
        assert title(session, budget=3) != "# Mine"


class TestFacts:
    def test_of_a_session_without_a_layout_are_stored_as_they_were(
        self, session: HudSession
    ) -> None:
        assert HUD.codec is not None
        assert "layout" not in json.loads(HUD.codec.dump(session.state()))
        session.record("layout.set", layout=MINE)
        assert json.loads(HUD.codec.dump(session.state()))["layout"] == MINE
        session.record("layout.reset")
        assert "layout" not in json.loads(HUD.codec.dump(session.state()))

    def test_are_left_alone_by_what_clears_sections_and_by_compactions(
        self, session: HudSession
    ) -> None:
        session.record("layout.set", layout=MINE)
        session.record("section.clear")
        session.record("compact.after", summary="We began.")
        assert session.state().layout == MINE

    def test_are_not_a_childs(self, store: HudStore, session: HudSession) -> None:
        session.record("layout.set", layout=MINE)
        child = store.session("child", parent="s")
        assert child.state().layout is None
        assert title(child) == "# HUD"
        assert child.state().task is not None

    def test_are_not_a_projects(self, store: HudStore) -> None:
        project = store.project("shop")
        project.record("note.add", content="Port 8080")
        project.record("layout.set", layout="<NotesSection/>")
        session = store.session("t", project="shop")
        assert (session.state().layout, len(session.state().notes)) == (None, 1)

    def test_are_exported_and_imported(self, session: HudSession) -> None:
        session.record("layout.set", layout=MINE)
        with HudStore.open(":memory:") as other:
            copy = import_session(other, list(export_session(session)))
            assert copy.state() == session.state()
            assert copy.hud() == session.hud()

    def test_are_purged(self, tmp_path: Path) -> None:
        secret = "correct-horse-battery"
        with HudStore.open(tmp_path / "hud.db") as store:
            session = store.session("s")
            session.record("layout.set", layout=f"<TaskSection/>\n\n{secret}\n")
            assert secret in session.hud().text
            del session
            store.keeping.purge("s")
            assert store.search(secret) == []
        files = [each.read_bytes() for each in tmp_path.rglob("*") if each.is_file()]
        assert files
        assert not any(secret.encode() in each for each in files)

    def test_are_found(self, session: HudSession) -> None:
        session.record("layout.set", layout=MINE)
        assert [hit.type for hit in session.search("Mine")] == ["layout.set"]

    @looped("every", [1, 2, 3])
    def test_are_in_snapshots(self, tmp_path: Path, every: int) -> None:
        policy = SnapshotPolicy(every=every)
        with HudStore.open(tmp_path / "hud.db", snapshots=policy) as store:
            session = store.session("s")
            session.record("layout.set", layout=MINE)
            session.record("note.add", content="Port 8080")
            session.record("layout.reset")
            session.record("layout.set", layout=MINE)
            session.record("note.add", content="Port 9090")
            states = [session.state(at) for at in range(1, 7)]
        with HudStore.open(tmp_path / "hud.db", snapshots=policy) as store:
            again = store.session("s")
            assert [again.state(at) for at in range(1, 7)] == states
            assert again.known == state_of(again.events())


texts = st.sampled_from(
    [MINE, "<NotesSection/>", "<Nope/>", "word " * 400, "<Hud/>", "<Hud>\n<ContextBar/>\n</Hud>"]
)
drafts = st.lists(
    st.builds(lambda text: EventDraft("layout.set", {"layout": text}), texts)
    | st.just(EventDraft("layout.reset", {}))
    | st.builds(lambda used: EventDraft("context.snapshot", {"used": used}), st.integers(0, 200_000))
    | st.just(EventDraft("section.clear", {}))
    | st.builds(lambda text: EventDraft("note.add", {"content": text}), st.text(min_size=1).filter(str.strip)),
    max_size=10,
)  # fmt: skip


class TestFold:
    @given(drafts=drafts, cut=st.integers(0, 10))
    def test_is_pure_and_can_be_taken_up_anywhere(self, drafts: list[EventDraft], cut: int) -> None:
        with HudStore.open(":memory:", clock=Ticking(), snapshots=SnapshotPolicy(every=3)) as store:
            session = store.session("s")
            session.record_all(drafts, refused=lambda *_: None)
            events: list[Event] = [*session.events()]
            assert state_of(events) == session.state()
            assert HUD.codec is not None
            middle = HUD.codec.load(HUD.codec.dump(state_of(events[:cut])))
            assert state_of(events[cut:], middle) == session.state()
            sets = [each for each in events if each.type.startswith("layout.")]
            last = sets[-1].payload if sets else None
            assert session.state().layout == getattr(last, "layout", None)
            assert isinstance(session.hud().text, str)


class TestSeveralAtOnce:
    def test_processes_set_layouts_one_after_the_other(self, tmp_path: Path) -> None:
        path = tmp_path / "hud.db"
        HudStore.open(path).session("s")

        def work(name: str) -> None:
            with HudStore.open(path) as store:
                session = store.session("s")
                for number in range(10):
                    session.record("layout.set", layout=f'<Hud title="{name}{number}"/>')

        with running(lambda: work("a")) as first, running(lambda: work("b")) as second:
            assert (first.wait(), second.wait()) == (0, 0)
        with HudStore.open(path) as store:
            session = store.session("s")
            events = [*session.events(after=1)]
            assert [each.version for each in events] == [*range(2, 22)]
            assert session.state() == state_of(session.events())
            for name in "ab":
                said = [e.payload.layout for e in events if f'"{name}' in e.payload.layout]  # type: ignore[attr-defined]
                assert said == [f'<Hud title="{name}{number}"/>' for number in range(10)]
            assert title(session) == f"# {session.state().layout.split(chr(34))[1]}"  # type: ignore[union-attr]

    def test_a_store_sees_what_another_has_set(self, tmp_path: Path) -> None:
        with HudStore.open(tmp_path / "a.db") as one, HudStore.open(tmp_path / "a.db") as two:
            session = one.session("s")
            session.record("task.set", description="Add a login")
            session.record("layout.set", layout=MINE)
            seen = two.session("s")
            assert title(seen) == "# Mine"
            session.record("layout.reset")
            seen.refresh()
            assert title(seen) == "# HUD"

    def test_what_is_aborted_was_never_set(self, session: HudSession) -> None:
        session.record("layout.set", layout=MINE)
        with suppress(KeyError), session.exclusive():
            session.record("layout.set", layout=MINE.replace("Mine", "Other"))
            assert title(session) == "# Other"
            raise KeyError
        assert title(session) == "# Mine"
        assert session.state() == state_of(session.events())
        with suppress(KeyError), session.exclusive():
            session.record("layout.reset")
            raise KeyError
        assert title(session) == "# Mine"


def test_every_domain_has_the_events() -> None:
    from tests.hud_runtime.editing.support import SUPPORT

    with HudStore.open(":memory:", domain=SUPPORT) as store:
        session = store.session("s")
        section = next(each for each in SUPPORT.sections if each.kind is not None)
        session.record("layout.set", layout=f'<Hud title="Mine">\n<{section.__name__}/>\n</Hud>')
        assert session.state().layout is not None
        assert title(session) == "# Mine"
        with pytest.raises(EventError, match="is not a known component"):
            session.record("layout.set", layout="<DecisionsList/>")
    assert SUPPORT.name != CODING.name
    assert HudState().layout is None
