"""What an event costs does not grow with the number of items: counted in calls, not in seconds."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import pytest

from hud_components import HudState, Note
from hud_components.folding import Index, Items
from hud_runtime import EventDraft, HudSession, HudStore, SnapshotPolicy, read_event, state_of

SMALL, LARGE = 150, 600
NEVER = SnapshotPolicy(every=10**9)


def calls(work: Callable[[], object]) -> int:
    """Return how many functions something calls, C's included."""
    count = 0

    def profile(_frame: object, event: str, _arg: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def drafts(items: int) -> list[EventDraft]:
    """Return what fills four sections with so many items."""
    texts = {"note": "content", "step": "description", "decision": "summary"}
    verbs = {"note": "note.add", "step": "step.add", "decision": "decision.record"}
    return [
        *(
            EventDraft(verbs[kind], {field: f"{kind} {number}"})  # type: ignore[arg-type]
            for kind, field in texts.items()
            for number in range(items)
        ),
        *(EventDraft("file.open", {"path": f"src/{number}.py"}) for number in range(items)),
    ]


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> tuple[HudSession, HudSession]:
    """A session with few items and one with many, resumed from their snapshots."""
    made = []
    for size in (SMALL, LARGE):
        path = tmp_path_factory.mktemp("work") / "hud.db"
        with HudStore.open(path, snapshots=SnapshotPolicy(every=10)) as store:
            store.session("s").record_all(drafts(size))
        made.append(HudStore.open(path, snapshots=NEVER).session("s"))
    return made[0], made[1]


RECORDINGS: dict[str, tuple[EventDraft, EventDraft]] = {
    "add": (
        EventDraft("note.add", {"content": "first"}),
        EventDraft("note.add", {"content": "second"}),
    ),
    "add what is there": (
        EventDraft("note.add", {"content": "note 7"}),
        EventDraft("note.add", {"content": "note 8"}),
    ),
    "remove by text": (
        EventDraft("note.remove", {"id": "note 9"}),
        EventDraft("note.remove", {"id": "note 10"}),
    ),
    "update by id": (
        EventDraft("note.update", {"id": "n-40", "content": "other"}),
        EventDraft("note.update", {"id": "n-41", "content": "another"}),
    ),
    "complete": (
        EventDraft("step.complete", {"id": "step 3"}),
        EventDraft("step.complete", {"id": "step 4"}),
    ),
    "use a file again": (
        EventDraft("file.edit", {"path": "src/3.py"}),
        EventDraft("file.edit", {"path": "src/4.py"}),
    ),
    "close a file": (
        EventDraft("file.close", {"path": "src/5.py"}),
        EventDraft("file.close", {"path": "src/6.py"}),
    ),
}
"""By name: a recording that may make the index of its section, and one that must not need to."""


class TestRecording:
    @pytest.mark.parametrize("name", RECORDINGS)
    def test_costs_the_same_with_many_items(
        self, sessions: tuple[HudSession, HudSession], name: str
    ) -> None:
        first, second = RECORDINGS[name]
        costs = []
        for session in sessions:
            session.record_all([first])
            costs.append(calls(lambda session=session: session.record_all([second])))
        assert abs(costs[1] - costs[0]) <= 20 < costs[0]

    def test_of_many_events_costs_the_same_for_each(self) -> None:
        def cost(size: int) -> float:
            with HudStore.open(":memory:", snapshots=NEVER) as store:
                session = store.session("s")
                return calls(lambda: session.record_all(drafts(size))) / size

        assert cost(LARGE) < 1.1 * cost(SMALL)

    def test_of_a_whole_section_costs_the_same_for_each_item(self) -> None:
        def cost(size: int) -> float:
            with HudStore.open(":memory:", snapshots=NEVER) as store:
                session = store.session("s")
                notes = [{"content": f"note {number}"} for number in range(size)]
                session.record("section.replace", notes=notes)
                return calls(lambda: session.record("section.replace", notes=notes[::-1])) / size

        assert cost(LARGE) < 1.1 * cost(SMALL)

    def test_that_was_rolled_back_leaves_the_right_items(self, tmp_path: Path) -> None:
        with HudStore.open(tmp_path / "hud.db") as store:
            session = store.session("s")
            session.record_all(drafts(5))
            for _ in range(2):
                with pytest.raises(KeyError), session.exclusive():  # noqa: PT012
                    session.record("note.remove", id="note 1")
                    session.record("note.add", content="ghost")
                    raise KeyError
                assert session.record("note.remove", id="note 2").type == "note.remove"
                session.record("note.add", content="note 2")
            assert session.state() == state_of(session.events())


class TestFold:
    def test_costs_the_same_for_each_event(self) -> None:
        def cost(size: int) -> float:
            with HudStore.open(":memory:", snapshots=NEVER) as store:
                session = store.session("s")
                session.record_all(drafts(size))
                session.record_all(
                    [EventDraft("note.remove", {"id": f"note {n}"}) for n in range(size)]
                )
                events = list(session.events())
                return calls(lambda: state_of(events)) / len(events)

        assert cost(LARGE) < 1.1 * cost(SMALL)

    def test_of_an_older_state_again_is_the_same(self) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            session.record_all(drafts(4))
            events = list(session.events())
        older = state_of(events[:10])
        assert state_of(events[10:], older) == state_of(events[10:], older) == state_of(events)


class TestItems:
    """The index is no part of the value that carries it."""

    @pytest.fixture
    def state(self) -> HudState:
        event = {
            "id": "1", "session_id": "s", "version": 2, "turn": 1, "timestamp": 0,
            "actor": "agent", "type": "note.add", "payload": {"content": "Port 8080"},
        }  # fmt: skip
        return state_of([read_event(event)])

    def test_are_a_tuple_to_everybody_else(self, state: HudState) -> None:
        plain = HudState(notes=(Note(id="n-2", content="Port 8080"),), updated_at=0)
        assert type(state.notes) is Items
        assert (state, repr(state), hash(state)) == (plain, repr(plain), hash(plain))
        assert state.model_dump_json() == plain.model_dump_json()
        assert state.model_dump() == plain.model_dump()

    @pytest.mark.parametrize("copied", [deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
    def test_leave_their_index_behind_when_copied(
        self, state: HudState, copied: Callable[[HudState], HudState]
    ) -> None:
        assert copied(state) == state
        assert type(copied(state).notes) is tuple

    def test_that_are_alike_are_all_found(self) -> None:
        # A state from elsewhere may have an id twice.
        twice = (Note(id="n", content="a"), Note(id="m", content="a"), Note(id="n", content="b"))
        index = Index(twice, "id", "content")
        assert [index[number].content for number in index.with_key("n")] == ["a", "b"]
        assert len(index.saying("a", is_open=True)) == 2
        assert list(index.beginning("")) == ["m", "n"]
        for number in index.with_key("n"):
            index.remove(number)
        assert ("n" in index, index.items) == (False, [twice[1]])
        assert list(index.beginning("")) == ["m"]
