"""A session's HUD tells ages when it is told what time it is, and reads no clock by itself."""

from __future__ import annotations

from hud_runtime import HudStore
from tests.hud_runtime.clock import Ticking

MINUTE = 60_000


class TestHud:
    def test_tells_how_old_the_session_is(self) -> None:
        with HudStore.open(":memory:", clock=lambda: MINUTE) as store:
            session = store.session("s")
            assert "began 40 min ago" in session.hud(now=43 * MINUTE).text

    def test_tells_that_a_state_is_stale(self) -> None:
        with HudStore.open(":memory:", clock=lambda: MINUTE) as store:
            session = store.session("s")
            session.record("note.add", content="Port 8080")
            assert "last updated" not in session.hud(now=25 * MINUTE).text
            assert "last updated 45 min ago" in session.hud(now=46 * MINUTE).text

    def test_tells_no_age_without_a_time_whatever_the_clock_says(self) -> None:
        with HudStore.open(":memory:", clock=Ticking(MINUTE, 60 * MINUTE)) as store:
            session = store.session("s")
            session.record("note.add", content="Port 8080")
            assert session.hud().text == session.hud().text
            assert " ago" not in session.hud().text

    def test_changes_no_byte_while_the_age_stays_in_its_step(self) -> None:
        with HudStore.open(":memory:", clock=lambda: MINUTE) as store:
            session = store.session("s")
            session.record("note.add", content="Port 8080")
            assert session.hud(now=12 * MINUTE).text == session.hud(now=15 * MINUTE).text


class TestNow:
    def test_is_what_the_stores_clock_says(self) -> None:
        with HudStore.open(":memory:", clock=lambda: 7 * MINUTE) as store:
            assert store.session("s").now() == 7 * MINUTE
