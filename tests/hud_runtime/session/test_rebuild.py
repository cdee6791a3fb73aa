"""A recorded run, told turn by turn and rebuilt at any turn, shows the same HUD."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import pytest

from hud_components import Hud, HudState
from hud_runtime import At, HudStore, SnapshotPolicy, read_transcript
from tests.hud_runtime.clock import Ticking
from ujsx import render

NAMES = (
    "claude-code-representative.jsonl",
    "claude-code-todos.jsonl",
    "swe-agent-ctf-katy.traj",
    "swe-agent-marshmallow-1867.traj",
)


def shown(state: HudState) -> str:
    return render(Hud.of(state, usage=state.usage))


@pytest.mark.parametrize("name", NAMES)
def test_a_transcript_rebuilds_at_any_turn(transcripts: Path, tmp_path: Path, name: str) -> None:
    turns: dict[int, HudState] = {}
    often = SnapshotPolicy(every=7)
    with HudStore.open(tmp_path / "hud.db", clock=Ticking(), snapshots=often) as store:
        session = store.session("s")
        for turn, drafts in groupby(read_transcript(transcripts / name), lambda one: one.turn or 0):
            session.record_all(list(drafts), refused=lambda *_: None)
            turns[turn] = session.state()
        session.record("compact.after", turn=session.turn)
        assert store.keeping.archive("s") > 0
    with HudStore.open(tmp_path / "hud.db") as store:
        session = store.session("s")
        last = max(turns)
        for turn in sorted(turns.keys() - {last}):
            rebuilt = session.state(at=At.turn(turn))
            assert rebuilt == turns[turn]
            assert shown(rebuilt) == shown(turns[turn])
        assert store.keeping.verify() == ()
