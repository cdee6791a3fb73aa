"""O4: what is pinned or folded stays so: over turns, compactions, resumes, replays, in every process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import BUDGETS, CODING, Domain, HudItem, HudState, ItemsSection, Line
from hud_components.declaring import as_usual
from hud_runtime import At, Event, EventDraft, EventError, HudSession, HudStore, state_of
from hud_runtime.history.exchange import export_session, import_session
from hud_runtime.log.projection import HUD
from hud_runtime.session import SnapshotPolicy
from tests.docs.domains.cases import SUPPORT
from tests.hud_runtime.clock import Ticking
from tests.hud_runtime.drafts import event_drafts
from tests.hud_runtime.store.processes import running
from tests.ids import looped
from ujsx import Density

COUNTED = "*20 notes: `hud notes.list`*"


@pytest.fixture
def store() -> Iterator[HudStore]:
    with HudStore.open(":memory:", clock=Ticking()) as opened:
        yield opened


def filled(session: HudSession[Any]) -> HudSession[Any]:
    session.record("task.set", description="Move the ledger")
    for number in range(20):
        session.record("note.add", content=f"Batch {number} took {number % 5 + 3} minutes", turn=1)
    return session


@pytest.fixture
def session(store: HudStore) -> HudSession[Any]:
    return filled(store.session("s"))


class TestItStaysSo:
    def test_over_turns_and_a_compaction(self, session: HudSession[Any]) -> None:
        session.record("section.fold", section="notes")
        for turn in range(2, 6):
            session.record("decision.record", summary=f"Decision {turn}", turn=turn)
            session.record("context.snapshot", used=20_000 * turn, turn=turn)
            assert COUNTED in session.hud().text
        session.record("compact.before", reason="full")
        session.record("compact.after", summary="Half of it is moved.")
        assert COUNTED in session.hud().text
        assert session.state().folded_sections == ("notes",)
        session.record("section.reset", section="notes")
        assert "- Batch 19" in session.hud().text

    def test_after_a_pin_at_every_level(self, session: HudSession[Any]) -> None:
        """As much as the tier's tokens reach, and never less than without it."""
        for used in (20_000, 150_000, 180_000, 195_000):
            session.record("context.snapshot", used=used)
            usual = session.hud(pins=False)
            session.record("section.pin", section="notes")
            pinned = session.hud()
            density = {20_000: "full", 150_000: "compact"}.get(used, "minimal")
            assert pinned.tokens <= BUDGETS[Density(density)].most
            assert pinned.text.count("Batch") >= usual.text.count("Batch")
            session.record("section.reset")

    def test_in_every_process_and_store(self, tmp_path: Path) -> None:
        path = tmp_path / "hud.db"
        with HudStore.open(path) as store:
            filled(store.session("s"))
            seen = store.session("s")

            def work() -> None:
                with HudStore.open(path) as other:
                    other.session("s").record("section.fold", section="notes")

            with running(work) as process:
                assert process.wait() == 0
            seen.refresh()
            assert COUNTED in seen.hud().text
        with HudStore.open(path) as resumed:
            assert COUNTED in resumed.session("s").hud().text

    def test_two_processes_pin_and_fold_one_after_the_other(self, tmp_path: Path) -> None:
        path = tmp_path / "hud.db"
        with HudStore.open(path) as store:
            filled(store.session("s"))

        def work(event_type: Any) -> None:
            with HudStore.open(path) as other:
                for _ in range(10):
                    other.session("s").record(event_type, section="notes")

        with (
            running(lambda: work("section.pin")) as one,
            running(lambda: work("section.fold")) as two,
        ):
            assert (one.wait(), two.wait()) == (0, 0)
        with HudStore.open(path) as store:
            session = store.session("s")
            events = [*session.events(after=22)]
            assert len(events) == 20
            state = session.state()
            is_pinned = events[-1].type == "section.pin"
            assert state.pinned_sections == (("notes",) if is_pinned else ())
            assert state.folded_sections == (() if is_pinned else ("notes",))

    def test_in_a_replay_to_any_moment(self, session: HudSession[Any]) -> None:
        before = session.version
        session.record("section.pin", section="steps", turn=3)
        session.record("section.fold", section="next_steps", turn=4)
        assert session.state(before).pinned_sections == ()
        assert session.state(At.turn(3)).pinned_sections == ("next_steps",)
        assert session.state(At.turn(4)).pinned_sections == ()
        assert session.state(At.turn(4)).folded_sections == ("next_steps",)

    def test_in_a_copy_of_the_session(self, session: HudSession[Any], store: HudStore) -> None:
        session.record("section.fold", section="notes")
        copy = import_session(store, [*export_session(session)], session_id="copy")
        assert COUNTED in copy.hud().text

    @looped("every", [1, 3])
    def test_from_snapshots(self, tmp_path: Path, every: int) -> None:
        policy = SnapshotPolicy(every=every)
        with HudStore.open(tmp_path / "hud.db", snapshots=policy) as store:
            session = filled(store.session("s"))
            session.record("section.fold", section="notes")
            session.record("section.pin", section="task")
            text, state = session.hud().text, session.state()
        with HudStore.open(tmp_path / "hud.db", snapshots=policy) as store:
            again = store.session("s")
            assert (again.hud().text, again.known) == (text, state)
            assert again.known == state_of(again.events())

    def test_but_not_in_a_child(self, session: HudSession[Any], store: HudStore) -> None:
        """It has another task and other room."""
        session.record("section.fold", section="decisions")
        assert store.session("child", parent="s").state().folded_sections == ()

    def test_whatever_is_cleared(self, session: HudSession[Any]) -> None:
        session.record("section.fold", section="notes")
        session.record("section.clear")
        session.record("note.add", content="Port 8080")
        assert "*1 note: `hud notes.list`*" in session.hud().text


class TestRefusals:
    @pytest.mark.parametrize(
        ("event_type", "section", "said"),
        [
            ("section.pin", "nots", 'there is no section .nots.; did you mean "notes"?'),
            ("section.fold", "context", "there is no section"),
            ("section.fold", "blockers", "section.fold: blockers cannot be folded"),
            ("section.reset", "warning", "there is no section"),
        ],
    )
    def test_say_what_to_do_instead(
        self, session: HudSession[Any], event_type: Any, section: str, said: str
    ) -> None:
        before = session.version
        with pytest.raises(EventError, match=said):
            session.record(event_type, section=section)
        assert session.version == before

    def test_are_none_for_names_that_operations_have(self, session: HudSession[Any]) -> None:
        for name in ("steps", "next_steps", "Next steps", " next-steps "):
            event: Any = session.record("section.pin", section=name)
            assert event.payload.section == "next_steps"


class TestEverythingIsStillThere:
    def test_in_the_snapshot_that_the_agent_asks_for(self, session: HudSession[Any]) -> None:
        session.record("section.fold", section="notes")
        answer = session.call("hud", {"op": "snapshot"}).text
        assert all(f"Batch {number}" in answer for number in range(20))

    def test_in_the_prompt_for_a_compaction(self, session: HudSession[Any]) -> None:
        session.record("section.fold", section="notes")
        prompt = session.call("hud_compact", {}).data["prompt"]
        assert all(f"Batch {number}" in prompt for number in range(20))

    def test_where_pins_are_passed_over(self, session: HudSession[Any]) -> None:
        usual = session.hud().text
        session.record("section.fold", section="notes")
        assert session.hud(pins=False).text == usual
        assert session.hud().text != usual


class TestLayouts:
    def test_of_the_agent_and_of_others_have_it_too(self, session: HudSession[Any]) -> None:
        session.record("layout.set", layout='<Hud title="Mine">\n<NotesSection/>\n</Hud>')
        session.record("section.fold", section="notes")
        assert session.hud().text.startswith("# Mine")
        assert COUNTED in session.hud().text


class TestDeliveries:
    def test_say_it_in_a_delta(self, session: HudSession[Any]) -> None:
        session.delivered(session.deliver().id)
        session.record("section.fold", section="notes")
        made = session.deliver()
        assert [part.kind for part in made.parts] == ["delta"]
        assert f"*new:* {COUNTED}" in made.text
        session.delivered(made.id)
        assert session.deliver().parts == ()
        session.record("note.add", content="One more")
        made = session.deliver()
        assert "21 notes: `hud notes.list`" in made.text
        assert "One more" not in made.text
        session.delivered(made.id)
        session.record("section.reset", section="notes")
        assert "One more" in session.deliver().text

    def test_say_it_at_the_tail(self, session: HudSession[Any]) -> None:
        session.record("section.fold", section="notes")
        assert COUNTED in session.deliver(mode="tail", has_cache_breakpoint=True).text


class TestOwnDomains:
    def test_pin_and_fold_their_sections(self) -> None:
        domain = SUPPORT.domain
        with HudStore.open(":memory:", domain=domain) as store:
            for field, section in domain.fields.items():
                session = store.session(field)
                session.record("section.pin", section=section.name)
                assert session.state().pinned_sections == (field,)
                if section.stays_shown:
                    with pytest.raises(EventError, match="cannot be folded"):
                        session.record("section.fold", section=section.name)
                else:
                    session.record("section.fold", section=section.name)
                    assert session.state().folded_sections == (field,)
                assert isinstance(session.hud().text, str)


class Remark(HudItem):
    """Something said."""

    what: Line


class Remarks(ItemsSection[Remark]):
    """What was said."""

    name = "remarks"
    lines = {"full": "{what}"}  # noqa: RUF012


class Sayings(ItemsSection[Remark]):
    """The same under another name."""

    name = "sayings"
    former = ("remarks",)
    lines = {"full": "{what}"}  # noqa: RUF012


class TestRenamedSections:
    def test_stay_folded(self, tmp_path: Path) -> None:
        before, after = Domain("desk", sections=(Remarks,)), Domain("desk", sections=(Sayings,))
        with HudStore.open(tmp_path / "hud.db", domain=before) as store:
            session = store.session("s")
            session.record("remarks.add", what="Port 8080 is taken")
            session.record("section.fold", section="remarks")
        with HudStore.open(tmp_path / "hud.db", domain=after) as store:
            renamed = store.session("s")
            assert renamed.state().folded_sections == ("sayings",)
            assert "*1 remark: `hud sayings.list`*" in renamed.hud().text


standings = st.builds(
    lambda kind, section: EventDraft(f"section.{kind}", {"section": section}),
    st.sampled_from(["pin", "fold", "reset"]),
    st.sampled_from([*CODING.fields, "steps", "files", "nothing"]),
)


class TestFold:
    @given(drafts=st.lists(standings | event_drafts, max_size=12), cut=st.integers(0, 12))
    def test_can_be_taken_up_anywhere(self, drafts: list[EventDraft], cut: int) -> None:
        with HudStore.open(":memory:", clock=Ticking(), snapshots=SnapshotPolicy(every=3)) as store:
            session = store.session("s")
            session.record_all(drafts, refused=lambda *_: None)
            events: list[Event] = [*session.events()]
            state = session.state()
            assert state_of(events) == state
            assert HUD.codec is not None
            middle = HUD.codec.load(HUD.codec.dump(state_of(events[:cut])))
            assert state_of(events[cut:], middle) == state
            assert not {*state.pinned_sections} & {*state.folded_sections}
            assert "blockers" not in state.folded_sections
            last = {}
            for event in events:
                said: Any = event.payload
                if event.type in ("section.pin", "section.fold"):
                    last[said.section] = event.type
                elif event.type == "section.reset":
                    last = {} if said.section is None else {**last, said.section: event.type}
            pinned = {name for name, what in last.items() if what == "section.pin"}
            assert {*state.pinned_sections} == pinned

    @given(drafts=st.lists(event_drafts, max_size=12))
    def test_states_without_a_pin_have_the_bytes_that_they_had(
        self, drafts: list[EventDraft]
    ) -> None:
        with HudStore.open(":memory:", clock=Ticking()) as store:
            session = store.session("s")
            session.record_all(drafts, refused=lambda *_: None)
            state = as_usual(session.state())
        text = state.model_dump_json()
        assert "_sections" not in text.replace(state.compacted_context or "\0", "")
        assert HudState.model_validate_json(text) == state
