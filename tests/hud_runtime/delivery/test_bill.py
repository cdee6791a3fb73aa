"""The bill: what a HUD costs, by the models of the providers' caches."""

from __future__ import annotations

import pytest

from hud_runtime import DeliveryError, HudStore
from hud_runtime.delivery import PRICES, Prices
from hud_runtime.delivery._economy import WAYS
from hud_runtime.delivery._prices import Block, Spent, spent
from tests.benchmarks.delivery import played, ratios


class TestCaches:
    """What a provider keeps of the prompt before, by the block."""

    HEAD = Block("head", 1_000, is_marked=True)

    def test_what_ends_at_a_breakpoint_is_read_again(self) -> None:
        first = [self.HEAD, Block("a", 100, is_marked=True)]
        second = [self.HEAD, Block("a", 100), Block("b", 50, is_marked=True)]
        assert spent([first, second], "breakpoints") == [Spent(0, 1_100, 0), Spent(1_100, 50, 0)]

    def test_what_is_behind_the_last_breakpoint_is_plain(self) -> None:
        hud = Block("hud", 30)
        marked = [self.HEAD, Block("a", 100, is_marked=True), hud]
        assert spent([marked, marked], "breakpoints")[1] == Spent(1_100, 0, 30)

    def test_o3_a_breakpoint_on_what_changes_spoils_what_is_before_it(self) -> None:
        requests = [
            [Block("head", 1_000), Block("a", 100), Block(f"hud {n}", 30, is_marked=True)]
            for n in range(2)
        ]
        for cache in ("breakpoints", "newest"):
            made = spent(requests, cache)[1]  # type: ignore[arg-type]
            assert made.read == (1_000 if cache == "newest" else 0)

    def test_a_breakpoint_is_looked_for_among_the_last_blocks(self) -> None:
        first = [self.HEAD, Block("a", 10, is_marked=True)]
        more = [Block(f"m{n}", 10) for n in range(20)]
        second = [Block("head", 1_000), Block("a", 10), *more, Block("z", 10, is_marked=True)]
        assert spent([first, second], "breakpoints")[1].read == 0
        assert spent([first, second], "newest")[1].read == 1_010

    def test_the_longest_prefix_is_kept_in_steps(self) -> None:
        first, second = (
            [Block("head", 1_000), Block("ab", 64)],
            [Block("head", 1_000), Block("ac", 64)],
        )
        assert spent([first, second], "prefix") == [Spent(0, 0, 1_064), Spent(1_024, 0, 40)]


class TestWays:
    """What each way of sending a HUD costs, over a session of a hundred turns."""

    @pytest.mark.parametrize("name", PRICES)
    def test_what_is_recommended_costs_little(self, name: str) -> None:
        found = ratios(played(100)[0], PRICES[name])
        assert 1 < found["append"] <= 1.04
        assert found["append"] < found["tail, marked"] <= 1.10
        assert found["all in the system prompt"] > 6

    def test_a_tail_without_a_breakpoint_is_as_dear_as_the_system_prompt(self) -> None:
        found = ratios(played(100)[0], PRICES["anthropic"])
        assert found["tail, not marked"] > 6


class TestBill:
    """What the log tells of a session's costs."""

    def test_it_tells_what_broke_the_prefix(self) -> None:
        with HudStore.open(":memory:", clock=lambda: 0) as store:
            session = store.session("s")
            note = session.record("note.add", content="Port 8080", turn=1)
            session.record("error.encountered", message="a test failed", turn=2)
            session.record("note.update", id=note.payload.id, content="Port 9090", turn=3)  # type: ignore[attr-defined]
            _, _, second, third = session.cost().turns
        assert (second.turn, second.kept, second.broken_by) == (2, 1.0, None)
        assert third.broken_by == "NotesSection notes[0].content"
        assert (third.lost > 0, third.kept < 1, third.appended > 0) == (True, True, True)

    def test_readings_keep_what_was_cached_apart(self) -> None:
        with HudStore.open(":memory:", clock=lambda: 0) as store:
            session = store.session("s")
            assert session.cost().billed is None
            assert session.cost().is_assumed
            parts = {"input": 500, "cache_read": 19_000, "cache_write": 400, "output": 100}
            session.record("context.snapshot", used=20_000, **parts)
            session.record("context.snapshot", used=21_000)
            texts = [each.payload.model_dump_json() for each in session.events(after=1)]
            billed = session.cost(Prices("prefix", read=0.5, write=1, output=2)).billed
        assert texts[0] == (
            '{"used":20000,"limit":200000,"model":null,"input":500,"cache_read":19000,'
            '"cache_write":400,"output":100}'
        )
        assert texts[1] == '{"used":21000,"limit":200000,"model":null}'
        assert billed is not None
        assert billed.cost == 500 + 9_500 + 400 + 200
        assert billed.cached == pytest.approx(19_000 / 19_900)

    def test_losses_are_shown_like_gains(self) -> None:
        with HudStore.open(":memory:", clock=lambda: 0) as store:
            session = store.session("s")
            for turn in range(1, 30):
                session.record("note.add", content=f"Batch {turn} is done", turn=turn)
            bill = session.cost()
        assert set(bill.ways) == set(WAYS)
        assert all(bill.ratio(way) > 1 for way in WAYS)
        assert bill.ratio("append") < 1.05 < bill.ratio("all in the system prompt")

    def test_prices_that_are_none_are_refused(self) -> None:
        with HudStore.open(":memory:") as store, pytest.raises(DeliveryError, match='"anthropic"'):
            store.session("s").cost("antropic")
