"""Sessions of many tool chains: what is asked, open, checked, edited and decided at their turns."""

from __future__ import annotations

from pathlib import Path

from tests.hud_runtime.observation.narrated import mistakes
from tests.ids import looped

SESSIONS = sorted(Path(__file__, "..", "sessions").resolve().glob("*.txt"))


@looped("path", SESSIONS, ids=lambda path: path.stem)
def test_a_session_means_what_is_true(path: Path) -> None:
    assert mistakes(path.read_text("utf-8")) == []
