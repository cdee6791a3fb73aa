"""Memory in sessions: blocks, slots, the pool, and what becomes of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import CODING, HudState
from hud_components.memory import (
    CODING_MEMORY,
    DECAY,
    FORGOTTEN,
    MEMORY,
    POOL,
    SLOTS,
    AgentMemory,
    CoreGoal,
    MemoryItem,
    Slot,
    TaggedMemory,
    ages,
    is_fading,
    score,
    tagged_memory,
    working_memory,
)
from hud_runtime import EventDraft, HudSession, HudStore
from hud_runtime.log.projection import project
from tests.work import growth

OLDEST = 28
"""The age at which something in the pool is still remembered: 0.85 ** 28 is 0.0106, ** 29 is 0.009."""


@pytest.fixture
def session() -> Iterator[HudSession[Any]]:
    with HudStore.open(":memory:", domain=CODING_MEMORY, clock=lambda: 0) as store:
        yield store.session("s")


def call(session: HudSession[Any], op: str, **arguments: object) -> str:
    """The answer to a call of the HUD's tool, without the status line."""
    return session.call("hud", {"op": op, **arguments}).text.rpartition("\n")[0]


def remembered(session: HudSession[Any]) -> list[str]:
    return [each.content for each in session.state()[AgentMemory]]


class TestCoreBlocks:
    def test_j1_a_block_is_set_appended_to_and_read(self, session: HudSession[Any]) -> None:
        assert (
            call(session, "core_goal.append", text="Add a login")
            == "Updated. 11 of 1,000 characters."
        )
        assert (
            call(session, "core_goal.append", text="with JWT") == "Updated. 20 of 1,000 characters."
        )
        block = session.state()[CoreGoal]
        assert block is not None
        assert block.content == "Add a login\nwith JWT"
        assert call(session, "core_goal.set", content="Ship") == "Set. 4 of 1,000 characters."
        assert call(session, "core_goal.get") == "Ship"
        assert call(session, "core_goal.clear") == "Cleared."
        assert session.state()[CoreGoal] is None

    @pytest.mark.parametrize(
        ("block", "room"), [("goal", 1_000), ("progress", 2_000), ("context", 1_500)]
    )
    def test_j1_a_full_block_is_refused_and_nothing_of_it_is_cut(
        self, session: HudSession[Any], block: str, room: int
    ) -> None:
        assert "Set." in call(session, f"core_{block}.set", content="x" * room)
        version = session.version
        answer = session.call("hud", {"op": f"core_{block}.append", "text": "more"})
        assert answer.is_error
        assert (
            f"has {room:,} characters, and would have {room + 5:,}; it holds {room:,} at most"
            in answer.text
        )
        answer = session.call("hud", {"op": f"core_{block}.set", "content": "y" * (room + 1)})
        assert answer.is_error
        assert f"has {room + 1:,} characters, and holds {room:,} at most" in answer.text
        assert session.version == version
        assert getattr(session.state(), f"core_{block}").content == "x" * room

    def test_j1_an_event_is_refused_as_a_call_is(self, session: HudSession[Any]) -> None:
        with pytest.raises(ValueError, match=r"has 1,001 characters, and holds 1,000 at most"):
            session.record("core_goal.set", content="x" * 1_001)
        session.record("core_goal.set", content="x" * 999)
        with pytest.raises(ValueError, match=r"would have 1,002; it holds 1,000"):
            session.record("core_goal.append", text="ab")

    def test_j1_lines_are_kept_where_all_is_shown(self, session: HudSession[Any]) -> None:
        session.record("core_progress.set", content="- [x] schema\n\n  - [ ] login\n# no heading")
        assert "\\- [x] schema\n\\- [ ] login\n\\# no heading" in session.hud(density="full").text
        assert "- [x] schema - [ ] login" in session.hud(density="compact").text


class TestSlots:
    @pytest.mark.parametrize("slot", SLOTS, ids=lambda slot: slot.name)
    def test_j3_a_slot_holds_so_many_and_the_oldest_fades(
        self, session: HudSession[Any], slot: Slot
    ) -> None:
        for number in range(slot.size):
            assert "left" not in call(
                session, "working_memory.add", content=f"{number}", slot=slot.name
            )
        answer = call(session, "working_memory.add", content="one more", slot=slot.name)
        assert answer.endswith("1 left its slot, and fades from now on.")
        items = session.state()[AgentMemory]
        assert [each.content for each in items if each.fading] == ["0"]
        assert len(items) == slot.size + 1  # nothing is lost

    def test_j3_figures_are_those_of_the_document(self) -> None:
        assert {each.name: each.size for each in SLOTS} == {
            "error": 3,
            "decision": 5,
            "todo": 3,
            "dependency": 3,
        }

    def test_j3_new_slots_by_a_table(self) -> None:
        risky = working_memory(*SLOTS, Slot("risk", 1, "Risk", "what may go wrong"))
        domain = CODING.with_sections(risky, name="risky")
        with HudStore.open(":memory:", domain=domain, clock=lambda: 0) as store:
            session = store.session("s")
            for what in ("It rains", "It snows"):
                session.record("working_memory.add", content=what, slot="risk")
            items: Any = getattr(session.state(), "working_memory")  # noqa: B009 - known at run time
            assert [each.fading for each in items] == [True, False]
            assert "- **Risk:** It snows" in session.hud(density="full").text
            refused = session.call(
                "hud", {"op": "working_memory.add", "content": "x", "slot": "hope"}
            )
            assert refused.is_error
            assert "'risk' or 'pool'" in refused.text

    def test_j3_what_is_said_again_is_new_again_and_takes_its_slot(
        self, session: HudSession[Any]
    ) -> None:
        for number in range(4):
            session.record("working_memory.add", content=f"{number}", slot="error")
        assert call(session, "working_memory.add", content="0").startswith("Remembered m-2.")
        fading = [each.content for each in session.state()[AgentMemory] if each.fading]
        assert fading == ["1"]  # the one that was heard the longest ago
        session.record("working_memory.add", content="0", slot="todo")
        assert next(each.slot for each in session.state()[AgentMemory]) == "todo"
        assert len(remembered(session)) == 4


class TestThePool:
    def test_j4_what_fades_is_forgotten_at_the_documents_score(
        self, session: HudSession[Any]
    ) -> None:
        session.record("working_memory.add", content="first")
        for number in range(OLDEST):
            session.record("working_memory.add", content=f"{number}")
        assert "first" in remembered(session)
        answer = call(session, "working_memory.add", content="last")
        assert answer.endswith("1 faded, and is forgotten.")
        assert "first" not in remembered(session)

    def test_j4_a_mention_makes_it_new(self, session: HudSession[Any]) -> None:
        session.record("working_memory.add", content="first")
        for number in range(OLDEST):
            session.record("working_memory.add", content=f"{number}")
        session.record("working_memory.notice", again=["first"])
        for number in range(OLDEST):
            session.record("working_memory.add", content=f"then {number}")
        assert "first" in remembered(session)
        session.record("working_memory.add", content="last")
        assert "first" not in remembered(session)

    def test_j4_what_is_in_a_slot_does_not_fade(self, session: HudSession[Any]) -> None:
        session.record("working_memory.add", content="Use JWT", slot="decision")
        for number in range(3 * OLDEST):
            session.record("working_memory.add", content=f"{number}")
        assert remembered(session)[0] == "Use JWT"
        assert len(remembered(session)) == 1 + 1 + OLDEST

    def test_j4_the_score_loses_15_percent_with_each_event(self) -> None:
        assert [round(score(age), 4) for age in range(4)] == [1.0, 0.85, 0.7225, 0.6141]
        assert score(OLDEST) > FORGOTTEN > score(OLDEST + 1)

    @given(st.integers(0, 200), st.integers(0, 200), st.floats(0.01, 0.99))
    def test_j4_the_score_never_rises_with_age(self, one: int, other: int, decay: float) -> None:
        younger, older = sorted((one, other))
        assert score(younger, decay) >= score(older, decay)

    @given(
        st.lists(
            st.tuples(st.sampled_from("abcdefgh"), st.sampled_from(["error", POOL])), max_size=40
        )
    )
    def test_j4_an_item_ages_by_one_at_most_with_each_event(
        self, heard: list[tuple[str, str]]
    ) -> None:
        state: Any = CODING_MEMORY.state()
        before: dict[str, int] = {}
        for version, (content, slot) in enumerate(heard, start=2):
            event = _event(version, "working_memory.add", content=content, slot=slot)
            state = project(state, event, CODING_MEMORY)
            items = state[AgentMemory]
            age = ages(items)
            now = {each.content: age[each.seen] for each in items}
            assert now[content] == 0
            assert all(now[each] <= before.get(each, 0) + 1 for each in now)
            for kind in SLOTS:
                held = [each for each in items if each.slot == kind.name and not each.fading]
                assert len(held) <= kind.size
            pool = [each for each in items if is_fading(each)]
            assert all(DECAY ** age[each.seen] >= FORGOTTEN for each in pool)
            before = now


class TestLifeCycle:
    def test_j8_it_survives_a_compaction(self, session: HudSession[Any]) -> None:
        session.record("core_goal.set", content="Add a login")
        session.record("working_memory.add", content="It fails", slot="error")
        before = [getattr(session.state(), each.field) for each in MEMORY]
        session.record("compact.before", reason="full")
        session.record("compact.after", summary="So far.")
        assert [getattr(session.state(), each.field) for each in MEMORY] == before
        text = session.deliver().text
        assert "Add a login" in text
        assert "**Error:** It fails" in text

    def test_j8_it_ends_with_the_session(self) -> None:
        with HudStore.open(":memory:", domain=CODING_MEMORY) as store:
            first = store.session("first", project="p")
            first.record("core_goal.set", content="Add a login")
            first.record("working_memory.add", content="It fails", slot="error")
            for other in (
                store.session("second", project="p"),
                store.session("child", parent=first),
            ):
                state = other.state()
                assert [getattr(state, each.field) for each in MEMORY] == [None, None, None, ()]

    def test_j8_the_same_events_give_the_same_memory(self, session: HudSession[Any]) -> None:
        for number in range(60):
            slot = ("error", POOL, "todo")[number % 3]
            session.record("working_memory.add", content=f"{number % 41}", slot=slot)
            if number % 7 == 0:
                session.record(
                    "working_memory.notice", again=[f"{number // 2}"], over=[f"{number}"]
                )
        state: Any = CODING_MEMORY.state()
        for event in session.events():
            state = project(state, event, CODING_MEMORY)
        assert state == session.state()
        assert session.state(at=30) == _folded(session, 30)


class TestInAHud:
    def test_j6_the_section_stays_within_its_budget(self, session: HudSession[Any]) -> None:
        for number in range(40):
            session.record("working_memory.add", content=f"src/{'deep/' * 9}{number}.py")
        session.record("working_memory.add", content="It fails", slot="error")
        rendered = session.hud(density="full")
        [made] = [each for each in rendered.sections if each.name == "AgentMemory"]
        assert made.tokens <= 400
        assert "- **Error:** It fails" in rendered.text  # what counts most is shown first
        items = session.state()[AgentMemory]
        [left_out] = [each for each in rendered.omitted if each.section == "AgentMemory"]
        assert rendered.text.count("- src/") + 1 + left_out.count == len(items)
        assert left_out.handle == "hud working_memory.list"

    def test_j6_a_hud_of_coding_with_memory_reads_as_one_of_coding(
        self, session: HudSession[Any]
    ) -> None:
        assert isinstance(session.state(), HudState)
        assert session.domain.instructions == CODING.instructions
        assert CODING.with_sections(*MEMORY).name.startswith("coding-core_goal")

    def test_j2_tags_are_delivered_like_everything_else(self, session: HudSession[Any]) -> None:
        session.record("core_goal.set", content="Add a </goal>")
        layout = TaggedMemory()
        first = session.deliver(layout=layout)
        session.delivered(first.id)
        assert '<goal chars="13/1000">Add a &lt;/goal&gt;</goal>' in first.text
        assert session.deliver(layout=layout).parts == ()
        session.record("core_goal.set", content="Add a logout")
        [delta] = session.deliver(layout=layout).parts
        assert delta.kind == "delta"
        assert '<goal chars="12/1000">Add a logout</goal>' in delta.text
        whole = session.deliver(mode="tail", has_cache_breakpoint=True, layout=layout).text
        assert tagged_memory(session.state()) in whole


def test_thousands_of_memories_cost_in_proportion() -> None:
    """What is said once, again, and again, with slots that overflow; and a state of thousands, shown."""

    def heard(count: int) -> Any:
        events = [
            _event(
                number,
                "working_memory.add",
                content=f"{number % 97}",
                slot=("error", POOL)[number % 2],
            )
            for number in range(2, count + 2)
        ]

        def act() -> None:
            state: Any = CODING_MEMORY.state()
            for event in events:
                state = project(state, event, CODING_MEMORY)

        return act

    def shown(count: int) -> Any:
        items = tuple(
            MemoryItem(id=f"m-{n}", content=f"{n}", seen=n, said_at=n) for n in range(count)
        )
        state: Any = CODING_MEMORY.state
        return lambda: tagged_memory(state(working_memory=items))

    assert growth(heard, 150) < 2.3
    assert growth(shown, 500) < 2.4


def test_a_file_of_thousands_is_taken_in_at_once(session: HudSession[Any]) -> None:
    found = [{"content": f"{n}", "slot": ("todo", POOL)[n % 2]} for n in range(3_000)]
    session.record_all([EventDraft("working_memory.notice", {"found": found}, actor="host")])
    items = session.state()[AgentMemory]
    assert len(items) == 3_000  # they were all heard in one event: none is older than another
    assert sum(not each.fading for each in items if each.slot == "todo") == 3


def _event(version: int, event_type: str, **payload: object) -> Any:
    from hud_runtime.log.events import read_event

    envelope = {
        "id": f"{version}",
        "session_id": "s",
        "version": version,
        "turn": 0,
        "timestamp": 0,
    }
    return read_event(
        {
            **envelope,
            "actor": "agent",
            "type": event_type,
            "payload": {"id": f"m-{version}", **payload},
        },
        CODING_MEMORY,
    )


def _folded(session: HudSession[Any], version: int) -> Any:
    state: Any = CODING_MEMORY.state()
    for event in session.events():
        if event.version <= version:
            state = project(state, event, CODING_MEMORY)
    return state
