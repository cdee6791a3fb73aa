"""The bill: what a HUD costs, by the models of the providers' caches."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hud_components.words import RequestMessage
from hud_runtime import DeliveryError, HudSession, HudStore
from hud_runtime.context.delivery import PRICES, Prices, TurnWords
from tests.benchmarks._inside import Block, spent
from tests.benchmarks.delivery import played, ratios


class TestCaches:
    """What a provider keeps of the prompt before, by the block."""

    HEAD = Block("head", 1_000, is_marked=True)

    def test_what_ends_at_a_breakpoint_is_read_again(self) -> None:
        first = [self.HEAD, Block("a", 100, is_marked=True)]
        second = [self.HEAD, Block("a", 100), Block("b", 50, is_marked=True)]
        assert spent([first, second], "breakpoints") == [(0, 1_100, 0), (1_100, 50, 0)]

    def test_what_is_behind_the_last_breakpoint_is_plain(self) -> None:
        hud = Block("hud", 30)
        marked = [self.HEAD, Block("a", 100, is_marked=True), hud]
        assert spent([marked, marked], "breakpoints")[1] == (1_100, 0, 30)

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
        assert spent([first, second], "prefix") == [(0, 0, 1_064), (1_024, 0, 40)]


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

    def test_what_is_sent_cheapest_depends_on_the_price_of_cached_tokens(self) -> None:
        turns = played(100)[0]
        for read, cheapest in ((0.1, "append"), (0.5, "tail, marked")):
            found = ratios(turns, Prices("breakpoints", read=read))
            assert min(("append", "tail, marked"), key=found.__getitem__) == cheapest


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
        assert [*bill.ways] == [
            *("append", "tail, marked", "tail, not marked", "system and tail"),
            "all in the system prompt",
        ]
        assert all(bill.ratio(way) > 1 for way in bill.ways)
        assert bill.ratio("append") < 1.05 < bill.ratio("all in the system prompt")

    def test_prices_that_are_none_are_refused(self) -> None:
        with HudStore.open(":memory:") as store, pytest.raises(DeliveryError, match='"anthropic"'):
            store.session("s").cost("antropic")


@pytest.fixture
def session() -> Iterator[HudSession]:
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        yield store.session("s")


def read(session: HudSession, turn: int, prompt: int, cached: int | None = None) -> None:
    """Record the reading of a request, and a note that its answer brings."""
    parts = {} if cached is None else {"input": 0, "cache_read": cached}
    if cached is not None:
        parts["cache_write"] = prompt - cached
    session.record("context.snapshot", used=prompt, turn=turn, **parts)
    session.record("note.add", content=f"Batch {turn} is done", turn=turn)


def billed_like(session: HudSession) -> float:
    """How many times as much as billed the requests cost without a HUD."""
    bill = session.cost()
    assert bill.billed is not None
    return bill.without / bill.billed.prompts


class TestReadings:
    """Requests cost what the host's readings say, and the HUD what it costs beside them."""

    def test_a_history_that_only_grows_is_read_from_the_cache(self, session: HudSession) -> None:
        for turn in range(1, 20):
            read(session, turn, 30_000 + 1_000 * turn, 29_000 + 1_000 * turn if turn > 1 else 0)
        assert session.cost().head == 31_000
        assert billed_like(session) == 1

    def test_a_cache_that_was_lost_is_written_again(self, session: HudSession) -> None:
        cached = [0, 31_000, 0, 33_000, 16_000, 35_000]
        for turn, had in enumerate(cached, 1):
            read(session, turn, 30_000 + 1_000 * turn, had)
        assert billed_like(session) == 1
        bill = session.cost()
        appended = sum(each.appended for each in bill.turns[:-1])
        # Each text is written once, and most of them twice more.
        assert bill.ways["append"] - bill.without > 1.25 * 1.5 * appended

    def test_what_other_sessions_left_in_the_cache_is_not_written(
        self, session: HudSession
    ) -> None:
        read(session, 1, 40_000, 25_000)
        read(session, 2, 41_000, 40_000)
        assert billed_like(session) == 1

    def test_what_requests_in_between_left_in_the_cache_is_not_written(
        self, session: HudSession
    ) -> None:
        read(session, 1, 20_000, 0)
        read(session, 2, 40_000, 35_000)
        read(session, 3, 60_000, 55_000)
        assert billed_like(session) == 1

    def test_writes_that_no_reading_tells_of_are_not_billed(self, session: HudSession) -> None:
        for turn in range(1, 6):
            cached = 20_000 + 1_000 * (turn - 1) if turn > 1 else 0
            parts = {"input": 20_000 + 1_000 * turn - cached, "cache_read": cached}
            session.record("context.snapshot", used=20_000 + 1_000 * turn, turn=turn, **parts)
        assert billed_like(session) == pytest.approx(1, abs=0.05)

    def test_a_compaction_clears_the_history(self, session: HudSession) -> None:
        for turn in range(1, 10):
            read(session, turn, 20_000 * turn, 20_000 * (turn - 1))
        session.record("compact.after", summary="Nine batches are done.", turn=9)
        read(session, 10, 25_000, 20_000)
        for turn in range(11, 20):
            read(session, turn, 25_000 + turn, 25_000 + turn - 1)
        assert billed_like(session) == pytest.approx(1, abs=0.01)

    @pytest.mark.parametrize("is_compacted", [True, False])
    def test_readings_that_do_not_tell_of_a_cache_fall(
        self, session: HudSession, *, is_compacted: bool
    ) -> None:
        read(session, 1, 20_000)
        read(session, 2, 180_000)
        if is_compacted:
            session.record("compact.after", summary="Two batches are done.", turn=2)
        read(session, 3, 30_000)
        read(session, 4, 31_000)
        # The head and the history are written once, and the last prompt but one again at most.
        assert session.cost().without < 1.25 * (180_000 + 10_000 + 1_000) + 0.1 * 250_000

    def test_a_request_counts_once_however_often_it_is_measured(self, session: HudSession) -> None:
        for output in (1, 300):
            parts = {"input": 10, "cache_read": 0, "cache_write": 20_000, "output": output}
            session.record("context.snapshot", used=20_010 + output, turn=1, **parts)
            session.record("note.add", content=f"{output} tokens", turn=1)
        session.record("note.add", content="An answer that came to nothing", turn=2)
        bill = session.cost()
        assert bill.billed is not None
        assert (bill.billed.requests, bill.billed.output) == (1, 300)
        assert bill.without == pytest.approx(bill.billed.prompts, rel=0.001)

    def test_a_host_without_a_cache_pays_for_all(self, session: HudSession) -> None:
        for turn in range(1, 5):
            parts = {"input": 1_000 * turn, "cache_read": 0, "cache_write": 0}
            session.record("context.snapshot", used=1_000 * turn, turn=turn, **parts)
        assert billed_like(session) == 1
        assert session.cost().without == 10_000

    def test_readings_with_the_hud_in_them_are_told_apart(self, session: HudSession) -> None:
        prompts = [20_000, 22_000, 24_000]
        for turn, prompt in enumerate(prompts, 1):
            session.delivered(session.deliver())
            read(session, turn, prompt, prompts[turn - 2] if turn > 1 else 0)
        bill = session.cost()
        assert bill.billed is not None
        with_hud = bill.ways["append"] + bill.tools
        assert with_hud == pytest.approx(bill.billed.prompts, rel=0.01)
        assert bill.without < bill.billed.prompts

    def test_deliver_is_asked_for_what_was_sent(self, session: HudSession) -> None:
        sent: list[int] = []
        with HudStore.open(":memory:", clock=lambda: 0) as other:
            live = other.session("s")
            for turn in range(60):
                for each in (live, session):
                    note = each.record("note.add", content=f"Batch {turn} is done", turn=turn)
                    if turn % 7 == 1:
                        each.record("note.remove", id=note.payload.id, turn=turn)  # type: ignore[attr-defined]
                    if turn % 25 == 24:
                        each.record("compact.after", summary="Some batches are done", turn=turn)
                delivery = live.deliver()
                live.delivered(delivery)
                sent.append(sum(live.hud().count_tokens(part.text) for part in delivery.parts))
        assert [each.appended for each in session.cost().turns] == sent

    def test_it_leaves_the_session_as_it_is(self, session: HudSession) -> None:
        read(session, 1, 20_000)
        before = session.version
        session.cost()
        assert session.version == before
        assert not session.is_known_to("main")

    def test_tools_and_the_cheapest_way_are_told(self, session: HudSession) -> None:
        for turn in range(1, 30):
            read(session, turn, 20_000 + 500 * turn)
        bill = session.cost()
        assert (bill.cheapest, bill.tool_tokens > 300) == ("append", True)
        # Written once, and read in each request behind that.
        assert bill.tools == pytest.approx(bill.tool_tokens * (1.25 + 28 * 0.1), rel=0.01)
        assert bill.ratio("append", tools=True) > bill.ratio("append")
        assert session.cost(Prices("breakpoints", read=0.9)).cheapest == "tail, marked"


class TestWords:
    """What is said in the conversation, where somebody gives it."""

    def test_the_words_of_the_request_are_not_sent_again(self, session: HudSession) -> None:
        prompt = "Move the ledger service to PostgreSQL"
        session.record("task.set", description=prompt, turn=0, actor="user")
        words = {0: TurnWords(8, (RequestMessage(prompt),))}
        with_words, without = session.cost(words=words), session.cost()
        assert with_words.turns[0].appended < without.turns[0].appended
        assert with_words.turns[0].tokens == without.turns[0].tokens

    def test_tokens_are_those_of_the_provider(self, session: HudSession) -> None:
        said = [0, *(40 + (turn * 397) % 900 for turn in range(1, 30))]
        prompt = 20_000
        for turn in range(1, 30):
            prompt += round(1.25 * said[turn - 1]) + 150  # what the host adds to each
            read(session, turn, prompt)
        words = {turn: TurnWords(tokens) for turn, tokens in enumerate(said)}
        plain, bill = session.cost(), session.cost(words=words)
        assert (plain.factor, bill.factor) == (1, pytest.approx(1.25, abs=0.02))
        extra, told = bill.ways["append"] - bill.without, plain.ways["append"] - plain.without
        assert extra == pytest.approx(told * bill.factor, rel=0.05)

    def test_tokens_are_those_that_the_model_usually_has_where_readings_show_none(
        self, session: HudSession
    ) -> None:
        for turn in range(1, 4):
            session.record("context.snapshot", used=20_000, model="claude-opus-4-6", turn=turn)
        assert session.cost().factor == 1.15

    def test_a_compaction_is_all_that_the_conversation_has(self, session: HudSession) -> None:
        prompt = "Move the ledger service to PostgreSQL"
        session.record("task.set", description=prompt, turn=0, actor="user")
        session.record("compact.after", summary="", turn=1)
        words = {
            0: TurnWords(8, (RequestMessage(prompt),)),
            1: TurnWords(5, (RequestMessage("All went well."),), begins=True),
        }
        appended = [each.appended for each in session.cost(words=words).turns]
        assert appended[1] > appended[0]

    @pytest.mark.parametrize("turn", [5, 2_000_000_000])
    def test_turns_may_be_far_apart(self, session: HudSession, turn: int) -> None:
        session.record("note.add", content="Port 8080", turn=turn)
        words = {0: TurnWords(3), turn: TurnWords(4, (RequestMessage("Use 8080"),))}
        assert [each.turn for each in session.cost(words=words).turns] == [0, turn]
