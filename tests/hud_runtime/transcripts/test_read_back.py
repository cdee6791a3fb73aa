"""Real sessions: at each turn and density the HUD's text reads back as what it shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from hud_components import Hud, as_shown, parse
from hud_runtime import At, HudStore, read_transcript, replay
from tests.hud_runtime.clock import Ticking
from tests.hud_runtime.transcripts.test_turns import DEMO, SESSIONS
from ujsx import Density, render


def check(path: Path) -> None:
    transcript = read_transcript(path)
    with HudStore.open(":memory:", clock=Ticking()) as store:
        session = store.session("s", project="shop")
        replay(transcript, session)
        for turn in range(1, transcript.turns + 1):
            hud = Hud.of(session.state(at=At.turn(turn)), now=10**9)
            for density in Density:
                text = render(hud, density=density)
                read = parse(text)
                assert read == as_shown(hud, density=density)
                assert render(read, density=density) == text


def test_the_bundled_session_reads_back() -> None:
    check(DEMO)


@pytest.mark.parametrize("name", SESSIONS)
def test_real_sessions_read_back(transcripts: Path, name: str) -> None:
    check(transcripts / name)
