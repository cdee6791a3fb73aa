"""State is a fold: pure, deterministic, and nothing is lost in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import (
    CODING,
    CodingEvent,
    ContextBar,
    ContextUsage,
    HudState,
    StatusLine,
    WarningBanner,
)
from hud_runtime import PAYLOADS, Event, EventDraft, HudSession, HudStore, project, state_of
from hud_runtime.log.projection import FACTS
from tests.hud_runtime.clock import Ticking
from tests.hud_runtime.drafts import event_drafts
from ujsx import RenderContext, render

TOUCHED = {
    "session": {"session", "look"}, "task": {"task", "where"}, "decision": {"decisions"}, "note": {"notes"},
    "file": {"active_files", "checks"}, "step": {"next_steps"}, "error": {"errors"},
    "blocker": {"blockers"}, "context": {"usage", "readings"},
    "compact": {"session", "compacted_context", "compacted_in", "summary_age", "usage", "readings"}, "section": set(HudState.model_fields) - {"layout"},
    "layout": {"layout"},
    "check": {"checks"}, "rule": {"rules"}, "fact": {"facts"}, "message": {"where"},
}  # fmt: skip
"""The sections that an event may touch, by the part of its type before the dot."""


def events_of(drafts: list[EventDraft]) -> tuple[Event, ...]:
    with HudStore.open(":memory:", clock=Ticking()) as store:
        session = store.session("s")
        session.record_all(drafts, refused=lambda *_: None)
        return tuple(session.events())


@pytest.fixture
def session() -> Iterator[HudSession]:
    with HudStore.open(":memory:", clock=Ticking(step=10)) as store:
        yield store.session("s")


REPORTED = frozenset(
    {"session", "file", "error", "check", "fact", "context", "compact", "layout", "message"}
)
"""What hosts report, and how it is shown: it does not date a state."""

STANDINGS = frozenset({"section.pin", "section.fold", "section.reset"})
"""How sections stand: that says nothing of what they hold."""


class TestRules:
    def test_there_is_one_for_every_type(self) -> None:
        own = {"event.erase", "session.domain"}  # which the store alone records
        assert set(FACTS) | set(CODING.section_events) == set(get_args(CodingEvent)) | own

    def test_each_says_what_it_does(self) -> None:
        assert all(rule.__doc__ for rule in FACTS.values())
        assert all(PAYLOADS[each].__doc__ for each in PAYLOADS)


class TestFold:
    @given(drafts=st.lists(event_drafts, max_size=12))
    def test_of_the_same_events_is_the_same_state(self, drafts: list[EventDraft]) -> None:
        events = events_of(drafts)
        assert state_of(events) == state_of(events)

    @given(drafts=st.lists(event_drafts, max_size=12), data=st.data())
    def test_never_fails_whatever_the_order(
        self, drafts: list[EventDraft], data: st.DataObject
    ) -> None:
        events = events_of(drafts)
        shuffled = data.draw(st.permutations(events))
        assert isinstance(state_of(shuffled), HudState)

    @given(drafts=st.lists(event_drafts, max_size=12))
    def test_leaves_what_an_event_does_not_touch_the_very_same(
        self, drafts: list[EventDraft]
    ) -> None:
        state = HudState()
        for event in events_of(drafts):
            before, state = state, project(state, event)
            if event.type != "session.start":
                touched = {"updated_at", *TOUCHED[event.type.partition(".")[0]]}
                for name in HudState.model_fields.keys() - touched:
                    assert getattr(state, name) is getattr(before, name)

    @given(drafts=st.lists(event_drafts, max_size=12))
    def test_dates_what_its_author_changes_and_nothing_else(self, drafts: list[EventDraft]) -> None:
        state = HudState()
        for event in events_of(drafts):
            before, state = state, project(state, event)
            if event.type == "session.start":
                continue
            reported = event.type.partition(".")[0] in REPORTED or event.type in STANDINGS
            changed = state is not before and not reported
            assert state.updated_at == (event.timestamp if changed else before.updated_at)

    @given(drafts=st.lists(event_drafts, max_size=12))
    def test_gives_every_item_an_id_of_its_own(self, drafts: list[EventDraft]) -> None:
        state = state_of(events_of(drafts))
        for items in (state.decisions, state.notes, state.next_steps, state.blockers, state.errors):
            assert len({item.id for item in items}) == len(items)

    @given(drafts=st.lists(event_drafts, max_size=12))
    def test_keeps_steps_in_their_order(self, drafts: list[EventDraft]) -> None:
        orders = [step.order for step in state_of(events_of(drafts)).next_steps]
        assert orders == sorted(set(orders))

    @given(drafts=st.lists(event_drafts, max_size=12))
    def test_can_be_taken_up_in_the_middle(self, drafts: list[EventDraft]) -> None:
        events = events_of(drafts)
        middle = len(events) // 2
        assert state_of(events[middle:], state_of(events[:middle])) == state_of(events)


class TestItems:
    def test_the_same_words_twice_are_one_item(self, session: HudSession) -> None:
        first = session.record("note.add", content="Port 8080")
        before = session.state()
        again = session.record("note.add", content="Port 8080")
        assert session.state() is before
        assert again.payload == first.payload

    def test_a_decision_with_other_details_is_another_one(self, session: HudSession) -> None:
        session.record("decision.record", summary="Use JWT", details="Stateless.")
        session.record("decision.record", summary="Use JWT")
        session.record("decision.record", summary="Use JWT", details="Short-lived.")
        assert [one.details for one in session.state().decisions] == ["Stateless.", "Short-lived."]

    def test_a_resolved_error_is_kept_and_may_come_back(self, session: HudSession) -> None:
        session.record("error.encountered", message="timed out")
        session.record("error.resolved", id="timed out", timestamp=77)
        session.record("error.encountered", message="timed out")
        found = [(one.resolved, one.resolved_at) for one in session.state().errors]
        assert found == [(True, 77), (False, None)]

    def test_a_note_that_reads_anew_is_as_old_as_its_words(self, session: HudSession) -> None:
        session.record("note.add", content="a", timestamp=1)
        session.record("note.update", id="a", content="b", timestamp=2)
        session.record("note.update", id="b", content="b", timestamp=3)
        assert session.state().notes[0].updated_at == 2


class TestSteps:
    def test_move_and_the_rest_follow(self, session: HudSession) -> None:
        for name in "abcd":
            session.record("step.add", description=name)
        session.record("step.reorder", ids=["d", "b"])
        found = [(step.description, step.order) for step in session.state().next_steps]
        assert found == [("d", 1), ("b", 2), ("a", 3), ("c", 4)]

    def test_that_are_done_can_be_opened_again(self, session: HudSession) -> None:
        session.record("step.add", description="a")
        session.record("step.complete", id="a")
        session.record("step.update", id="a", completed=False)
        assert not session.state().next_steps[0].completed


class TestFiles:
    def test_one_that_is_used_again_keeps_its_place(self, session: HudSession) -> None:
        for path in ("a.py", "b.py", "a.py"):
            session.record("file.open", path=path)
        assert [file.path for file in session.state().active_files] == ["a.py", "b.py"]

    def test_what_was_edited_stays_so_when_it_is_read(self, session: HudSession) -> None:
        session.record("file.open", path="a.py", status="referenced")
        session.record("file.edit", path="a.py")
        session.record("file.open", path="a.py")
        assert session.state().active_files[0].status == "editing"

    def test_what_is_committed_stays_edited_and_is_in_work_no_longer(
        self, session: HudSession
    ) -> None:
        session.record("file.edit", path="a.py")
        session.record("file.open", path="b.py")
        session.record("fact.set", name="branch", value="main")
        assert session.state().active_files[0].status == "editing"
        session.record("fact.set", name="commit", value="1a2b3c4 Add a login")
        assert [(file.status, file.committed) for file in session.state().active_files] == [
            ("editing", True),
            ("reading", False),
        ]

    @pytest.mark.parametrize("event", ["open", "edit"])
    def test_what_is_used_after_a_commit_is_in_work_again(
        self, session: HudSession, event: str
    ) -> None:
        session.record("file.edit", path="a.py")
        session.record("fact.set", name="commit", value="1a2b3c4 Add a login")
        session.record(f"file.{event}", path="a.py")
        (file,) = session.state().active_files
        assert (file.status, file.committed) == ("editing", False)

    def test_what_is_read_after_a_commit_is_still_committed(self, session: HudSession) -> None:
        session.record("file.edit", path="a.py", change="x = 1")
        session.record("fact.set", name="commit", value="1a2b3c4 Add a login")
        session.record("file.open", path="a.py")
        assert "`a.py` (committed)" in session.hud()
        session.record("file.edit", path="a.py")
        assert "`a.py` (editing)" in session.hud()
        assert session.state().active_files[0].change == "x = 1"

    def test_what_is_only_mentioned_after_a_commit_is_not(self, session: HudSession) -> None:
        session.record("file.edit", path="a.py")
        session.record("fact.set", name="commit", value="1a2b3c4 Add a login")
        session.record("file.open", path="a.py", status="referenced")
        assert session.state().active_files[0].committed

    def test_a_commit_that_is_taken_back_commits_nothing(self, session: HudSession) -> None:
        session.record("file.edit", path="a.py")
        session.record("fact.set", name="commit", value="")
        assert session.state().active_files[0].status == "editing"


class TestContext:
    def test_the_last_five_readings_are_kept(self, session: HudSession) -> None:
        for used in range(1_000, 8_000, 1_000):
            session.record("context.snapshot", used=used)
        state = session.state()
        assert [one.used for one in state.readings] == [3_000, 4_000, 5_000, 6_000, 7_000]
        assert state.usage is not None
        assert state.usage.used == 7_000

    @pytest.mark.parametrize(
        ("used", "words"),
        [
            ([1], None),
            ([10_000, 11_999], "stable"),
            ([10_000, 12_000], "growing"),
            ([10_000, 18_000], "growing rapidly"),
            ([90_000, 10_000], "stable"),
        ],
    )
    def test_the_trend_is_growth_per_reading(
        self, session: HudSession, used: list[int], words: str | None
    ) -> None:
        for each in used:
            session.record("context.snapshot", used=each)
        usage = session.state().usage
        assert usage is not None
        assert usage.trend == words

    def test_a_compaction_keeps_the_state_and_counts(self, session: HudSession) -> None:
        session.record("note.add", content="a")
        session.record("compact.before", reason="92 %")
        session.record("compact.after", summary="We built a login.")
        state = session.state()
        assert state.compacted_context == "We built a login."
        assert state.session is not None
        assert state.session.compactions == 1
        assert len(state.notes) == 1

    def test_a_compaction_ends_the_reading(self, session: HudSession) -> None:
        for used in (150_000, 170_000, 190_000):
            session.record("context.snapshot", used=used)
        session.record("note.add", content="x " * 200)
        session.record("compact.before")
        assert session.state().usage is not None, "nothing is compacted yet"
        session.record("compact.after", summary="We built a login.")
        state = session.state()
        assert (state.usage, state.readings) == (None, ())

        told = session.hud().text
        assert told.count("x") > 190, "it is full again"
        assert "95" not in told
        context = RenderContext().with_value(state)
        assert render([WarningBanner(), ContextBar()], context=context) == ""
        assert "%" not in render(StatusLine(), context=context)

        session.record("context.snapshot", used=30_000)
        usage = session.state().usage
        assert usage == ContextUsage(used=30_000), "and no trend from before"


class TestSections:
    def test_replacing_keeps_what_is_known_of_the_items(self, session: HudSession) -> None:
        session.record("note.add", content="a", timestamp=1)
        session.record("note.add", content="b", timestamp=2)
        session.record("section.replace", notes=[{"content": "c"}, {"content": "b"}], timestamp=3)
        found = [(one.id, one.content, one.updated_at) for one in session.state().notes]
        assert found == [("n-4.1", "c", 3), ("n-3", "b", 2)]

    def test_replacing_with_the_same_changes_nothing(self, session: HudSession) -> None:
        session.record("step.add", description="a")
        before = session.state()
        session.record("section.replace", next_steps=[{"description": "a"}])
        assert session.state().next_steps is before.next_steps

    def test_clearing_all_leaves_the_session(self, session: HudSession) -> None:
        session.record("task.set", description="a")
        session.record("note.add", content="a")
        session.record("section.clear")
        left = session.state()
        assert left == HudState(session=left.session, updated_at=left.updated_at)
