"""What each turn of a real session shows, as a person would check it.

The expectations stand in ``turns/``, one file for each session. To have a file written anew,
delete it and run the test: it fails once, and then the file is there to be read and judged.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hud_components import ContextUsage, HudState
from hud_runtime import At, HudStore, read_transcript, replay, state_of
from tests.hud_runtime.clock import Ticking

HERE = Path(__file__).parent
DEMO = HERE.parents[2] / "hud_runtime" / "data" / "demo.jsonl"

SESSIONS = {
    "swe-agent-marshmallow-1867.traj": 11,
    "swe-agent-ctf-katy.traj": 18,
    "claude-code-representative.jsonl": 5,
    "claude-code-todos.jsonl": 6,
}
"""The real sessions, with their numbers of turns."""


def described(path: Path, *, figures: bool, every: int = 1) -> str:
    """Return what the turns show. Estimated figures are left out: they follow the counter."""
    transcript = read_transcript(path)
    with HudStore.open(":memory:", clock=Ticking()) as store:
        session = store.session("s")
        replay(transcript, session)
        assert session.state() == state_of(session.events())
        turns = [
            f"turn {turn}\n{_lines(session.state(at=At.turn(turn)), figures)}"
            for turn in range(1, transcript.turns + 1, every)
        ]
    return "\n".join(turns)


def _lines(state: HudState, figures: bool) -> str:
    lines = [f"task     {state.task.description if state.task else '-'}"]
    lines += [f"file     {file.path} ({file.status})" for file in state.active_files]
    lines += [f"decision {one.summary}" for one in state.decisions]
    lines += [
        f"step     {'x' if step.completed else ' '} {step.description}" for step in state.next_steps
    ]
    lines += [f"note     {one.content}" for one in state.notes]
    lines += [
        f"blocker  {'x' if one.resolved else ' '} {one.description}" for one in state.blockers
    ]
    lines += [f"error    {'x' if one.resolved else ' '} {one.message}" for one in state.errors]
    if figures and state.usage:
        lines += [f"context  {state.usage.used} of {state.usage.limit}, {state.usage.trend}"]
    return "".join(f"  {line}\n" for line in lines)


def check(name: str, found: str) -> None:
    """Compare with the expectation of this name."""
    expected = HERE / "turns" / f"{name}.txt"
    if not expected.exists():
        expected.parent.mkdir(exist_ok=True)
        expected.write_text(found, "utf-8")
        pytest.fail(f"{expected} was missing and is now written: read it, and run again")
    assert found == expected.read_text("utf-8")


class TestRealSessions:
    @pytest.mark.parametrize("name", SESSIONS)
    def test_show_the_same_at_every_turn(self, transcripts: Path, name: str) -> None:
        check(name, described(transcripts / name, figures=name.startswith("claude")))

    @pytest.mark.parametrize(("name", "turns"), SESSIONS.items())
    def test_are_read_without_a_problem(self, transcripts: Path, name: str, turns: int) -> None:
        transcript = read_transcript(transcripts / name)
        assert transcript.turns == turns
        assert transcript.problems == ()
        assert transcript.skipped == {}

    @pytest.mark.parametrize("name", SESSIONS)
    def test_measure_the_context_once_a_turn(self, transcripts: Path, name: str) -> None:
        transcript = read_transcript(transcripts / name, limit=200_000)
        measured = [one.turn for one in transcript if one.type == "context.snapshot"]
        assert measured == list(range(1, transcript.turns + 1))

    def test_whose_context_is_estimated_only_grow(self, transcripts: Path) -> None:
        transcript = read_transcript(transcripts / "swe-agent-ctf-katy.traj", limit=200_000)
        used = [one.payload["used"] for one in transcript if one.type == "context.snapshot"]
        assert used == sorted(used, key=int)  # type: ignore[arg-type]
        # The whole file has some 65,000 characters, most of them twice or more.
        assert 4_000 < int(str(used[-1])) < 12_000


class TestDemo:
    def test_shows_the_same_at_every_eleventh_turn(self) -> None:
        check("demo", described(DEMO, figures=True, every=11))

    def test_is_read_and_recorded_without_a_problem(self) -> None:
        with HudStore.open(":memory:", clock=Ticking()) as store:
            assert replay(DEMO, store.session("s")).problems == ()

    def test_passes_through_green_yellow_and_red(self) -> None:
        readings = [one for one in read_transcript(DEMO) if one.type == "context.snapshot"]
        shares = [ContextUsage(used=int(str(one.payload["used"]))).percentage for one in readings]
        assert shares == sorted(shares)
        assert shares[0] < 15
        assert sum(70 <= share < 85 for share in shares) >= 5
        assert sum(85 <= share < 92 for share in shares) >= 3
