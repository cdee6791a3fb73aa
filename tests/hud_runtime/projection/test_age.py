"""Age goes by turns: what events of later turns make of a summary, and edits of a pass."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hud_components import CompactedContext, HudState
from hud_components.words import SUMMARY_AGES
from hud_runtime.log.events import Event, read_event
from hud_runtime.log.projection import HUD, project, state_of
from tests.ids import looped


def event(version: int, turn: int, kind: str, **payload: Any) -> Event:
    said = {"id": str(version), "session_id": "s", "version": version, "turn": turn, "timestamp": 0}
    return read_event({**said, "actor": "agent", "type": kind, "payload": payload})


def compacted(turn: int) -> list[Event]:
    return [event(1, turn, "compact.after", summary="Goal: sign-in.")]


@looped("turns", [0, 1, 4, 5, 19, 20, 39, 40, 400])
def test_a_summary_is_as_old_as_the_turns_behind_it(turns: int) -> None:
    state = state_of([*compacted(7), event(2, 7 + turns, "note.add", content="Port 8080")])
    assert state.summary_age == sum(turns >= each for each in SUMMARY_AGES)
    assert (CompactedContext.of_state(state) is None) == (turns >= SUMMARY_AGES[-1])
    assert HUD.codec.load(HUD.codec.dump(state)) == state


def test_another_compaction_makes_it_new() -> None:
    state = state_of([*compacted(7), event(2, 90, "compact.after", summary="Goal: sign-out.")])
    assert (state.summary_age, state.compacted_in) == (0, 90)


def test_nothing_changes_between_two_steps() -> None:
    """So nothing that depends on it moves, and no cached prefix is lost."""
    state = state_of(compacted(0))
    seen = [state]
    for turn in range(1, 60):
        state = project(state, event(turn + 1, turn, "compact.before"))
        seen.append(state)
    changes = [number for number, (old, new) in enumerate(pairwise(seen), 1) if old is not new]
    assert changes == list(SUMMARY_AGES)


def test_a_state_without_a_compaction_has_the_bytes_that_it_had() -> None:
    dumped = HudState().model_dump()
    assert not {"compacted_in", "summary_age"} & dumped.keys()


def test_a_pass_is_old_once_files_are_edited_and_new_when_it_runs_again() -> None:
    ran = {"command": "npm test", "name": "npm test", "result": "pass"}
    failed = {"command": "npm run lint", "name": "npm run lint", "result": "fail"}
    told = [
        event(1, 1, "check.result", **ran),
        event(2, 1, "check.result", **failed),
        event(3, 2, "file.open", path="a.py"),
    ]
    assert [check.edited_since for check in state_of(told).checks] == [False, False]
    told.append(event(4, 3, "file.edit", path="a.py"))
    assert [check.edited_since for check in state_of(told).checks] == [True, False]
    told.append(event(5, 4, "check.result", **ran))
    latest = state_of(told).checks[-1]
    assert (latest.command, latest.edited_since, latest.in_turn) == ("npm test", False, 4)


STEP = [
    event(1, 1, "step.add", description="Add a login"),
    event(2, 1, "step.add", description="Ship"),
]
AFTER = event(3, 2, "compact.after", summary="Goal: sign-in.")


@looped(
    ("kind", "payload"),
    [
        ("step.add", {"description": "Write docs"}),
        ("step.complete", {"id": "s-1"}),
        ("step.update", {"id": "s-2", "description": "Ship it"}),
        ("step.remove", {"id": "s-2"}),
        ("step.reorder", {"ids": ["s-2"]}),
        ("section.clear", {"section": "next_steps"}),
        ("section.clear", {}),
        ("section.replace", {"next_steps": [{"description": "Ship"}]}),
    ],
)
def test_a_plan_is_unconfirmed_from_a_compaction_until_an_event_touches_it(
    kind: str, payload: dict[str, Any]
) -> None:
    state = state_of([*STEP, AFTER, event(4, 3, "note.add", content="Port 8080")])
    assert state.unconfirmed == ("next_steps",)
    assert HUD.codec.load(HUD.codec.dump(state)) == state
    assert state_of([*STEP, AFTER]).updated_at == state_of(STEP).updated_at
    state = state_of([event(5, 4, kind, **payload)], state)
    assert not state.unconfirmed
    assert "unconfirmed" not in HUD.codec.dump(state)


def test_a_compaction_without_a_plan_leaves_nothing_to_confirm() -> None:
    state = state_of([AFTER, event(4, 3, "step.add", description="Add a login")])
    assert not state.unconfirmed
