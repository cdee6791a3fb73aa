"""O6: an operation tells the exact figures of the context."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from hud_components import (
    ContextBar,
    Domain,
    Hud,
    NotesSection,
    TaskSection,
    WarningBanner,
)
from hud_runtime import HudSession, HudStore
from hud_runtime.tools import definitions
from tests.hud_runtime.clock import Ticking
from tests.hud_runtime.store.list_store import ListEventStore
from ujsx import Child
from ujsx.elements import Paragraph


@pytest.fixture
def session() -> Iterator[HudSession]:
    with HudStore.open(":memory:", clock=Ticking()) as store:
        made = store.session("s")
        made.record("task.set", description="Move the ledger")
        yield made


def answer(session: HudSession[Any]) -> list[str]:
    return session.call("hud", {"call": {"op": "context"}}).text.splitlines()[:-1]


class TestContext:
    def test_tells_all_that_the_host_reported(self, session: HudSession) -> None:
        session.record(
            "context.snapshot", turn=4, timestamp=1_700_000_000_000, used=142_371, limit=200_000,
            input=3_000, cache_read=139_000, cache_write=200, output=171, model="m-1",
        )  # fmt: skip
        assert answer(session) == [
            "- 142,371 of 200,000 tokens used, 71.19%: yellow; 57,629 left",
            "- of them: input 3,000, read from the cache 139,000, written to it 200, output 171",
            "- read in `3` t4, 2023-11-14 22:13:20 UTC, m-1",
            f"- the HUD has {session.hud().tokens} tokens, 0.02% of the window",
        ]
        data = session.call("hud", {"op": "context"}).data
        assert data["percentage"] == pytest.approx(71.1855)
        assert (data["remaining"], data["level"], data["turn"]) == (57_629, "yellow", 4)
        figures = session.context()
        assert figures is not None
        assert (figures.used, figures.cache_read, figures.model) == (142_371, 139_000, "m-1")

    def test_leaves_out_what_the_host_does_not_say(self, session: HudSession) -> None:
        session.record("context.snapshot", used=20_000)
        lines = answer(session)
        assert len(lines) == 3
        assert "of them" not in "".join(lines)

    def test_tells_the_last_reading_however_much_came_after(self, session: HudSession) -> None:
        session.record("context.snapshot", used=10_000)
        session.record("context.snapshot", used=20_000, output=7)
        for number in range(320):
            session.record("file.open", path=f"{number}.py")
        figures = session.context()
        assert figures is not None
        assert (figures.used, figures.output, figures.version) == (20_000, 7, 4)

    def test_reads_a_long_log_from_its_end(self) -> None:
        read_from: list[int] = []

        class Counting(ListEventStore):
            def read(self, session_id: str, after: int = 0, *more: Any, **how: Any) -> Any:
                read_from.append(after)
                return super().read(session_id, after, *more, **how)

        events = Counting()
        session = HudStore(events, clock=lambda: 0).session("s")
        for number in range(500):
            session.record("file.open", path=f"{number}.py")
        session.record("context.snapshot", used=10_000)
        read_from.clear()
        assert session.context() is not None
        assert min(read_from) >= 501 - 64

    def test_says_where_there_is_no_reading(self, session: HudSession) -> None:
        assert answer(session) == [
            f"No reading of the context yet; the HUD has {session.hud().tokens} tokens."
        ]
        session.record("context.snapshot", used=150_000)
        session.record("compact.after", summary="Half of it is moved.")
        assert answer(session)[0].startswith("No reading of the context since the last compaction;")
        assert session.context() is None

    def test_in_a_domain_of_ones_own(self) -> None:
        domain = Domain("desk", sections=(NotesSection,))
        with HudStore.open(":memory:", domain=domain) as store:
            session = store.session("s")
            session.record("context.snapshot", used=250_000, limit=200_000)
            assert answer(session)[0] == (
                "- 250,000 of 200,000 tokens used, 125.00%: critical; -50,000 left"
            )

    def test_costs_nothing_in_a_request(self) -> None:
        assert '"context"' not in str(definitions("mcp"))


class TestTheLineThatStandsLast:
    """The HUD's own line is exact where nothing stands behind it, however the HUD is delivered."""

    def test_in_the_default_hud(self, session: HudSession) -> None:
        session.record("context.snapshot", used=62_123)
        assert session.hud().text.endswith("🟢 Context: 31% used (62,123 / 200,000 tokens)\n")

    def test_at_the_tail_of_each_request(self, session: HudSession) -> None:
        for used in (20_123, 62_123, 99_999):
            session.record("context.snapshot", used=used)
            for mode in ("tail", "system"):
                text = session.deliver(mode=mode, has_cache_breakpoint=True).parts[-1].text  # type: ignore[arg-type]
                assert f"({used:,} / 200,000 tokens)" in text.splitlines()[-1]

    def test_in_a_layout_whose_author_says_nothing_of_steps(self, session: HudSession) -> None:
        session.record("context.snapshot", used=62_123)
        exact = "(62,123 / 200,000 tokens)"
        ends: list[tuple[Child, bool]] = [
            (Hud()[TaskSection(), ContextBar()], True),
            (Hud()[TaskSection(), ContextBar(), WarningBanner()], True),
            (Hud()[TaskSection(), ContextBar(step=5)], False),
            (Hud()[TaskSection(), ContextBar(), Paragraph()["Never push."]], False),
            ([TaskSection(), ContextBar()], False),
        ]
        for layout, is_exact in ends:
            made = session.deliver(mode="tail", has_cache_breakpoint=True, layout=layout)
            assert (exact in made.text) is is_exact
        session.record("layout.set", layout="<Hud>\n<TaskSection/>\n<ContextBar/>\n</Hud>")
        assert exact in session.hud().text

    def test_in_a_domain_where_only_what_moves_stands_behind(self) -> None:
        domain = Domain("desk", sections=(NotesSection, ContextBar, WarningBanner))
        with HudStore.open(":memory:", domain=domain) as store:
            session = store.session("s")
            session.record("context.snapshot", used=62_123)
            assert "(62,123 / 200,000 tokens)" in session.hud().text

    def test_in_a_warning(self, session: HudSession) -> None:
        session.record("context.snapshot", used=174_321)
        assert (
            "87% used"
            in session.deliver(mode="tail", has_cache_breakpoint=True).text.splitlines()[-1]
        )

    def test_of_what_is_appended_when_it_is_said(self, session: HudSession) -> None:
        session.record("context.snapshot", used=20_123)
        made = session.deliver()
        assert "(20,123 / 200,000 tokens)" in made.text.splitlines()[-1]
        session.delivered(made.id)
        session.record("context.snapshot", used=62_123)
        assert session.deliver().parts == ()  # the level is the same
        figures = session.context()
        assert figures is not None
        assert figures.used == 62_123
