"""H1, F6: a policy is pure; what it asks for is asked for once; nothing flaps."""

from __future__ import annotations

import threading
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import UsageReading
from hud_components.levels import THRESHOLDS, reached
from hud_runtime import HudSession, HudStore
from hud_runtime.context.compaction import (
    CompactionDecision,
    CompactionPolicy,
    CompactionState,
    ModelWindow,
    decided,
    refusal_in,
    standing_of,
)
from tests.hud_runtime.store.list_store import ListEventStore
from tests.ids import looped

POLICY = CompactionPolicy()
TOO_LONG = "prompt is too long: 215000 tokens > 200000 maximum"

section_events = st.lists(
    st.one_of(
        st.tuples(st.just("read"), st.integers(0, 220_000)),
        st.tuples(st.just("turn"), st.integers(1, 4)),
        st.tuples(
            st.sampled_from(["wish", "host", "done", "replayed", "failed", "note", "ask", "error"]),
            st.just(0),
        ),
    ),
    max_size=24,
)
"""What may happen in a session, in any order."""


def session() -> HudSession:
    return HudStore(ListEventStore(), clock=lambda: 0).session("s")


def happen(log: HudSession, what: str, count: int) -> CompactionDecision | None:
    """Let one thing happen; what a host is told where it asks."""
    turn = log.turn
    match what:
        case "read":
            log.record("context.snapshot", used=count, limit=200_000)
        case "turn":
            log.record("note.add", content=f"{log.version}", turn=turn + count)
        case "wish":
            log.record("compact.before", reason="a good place")
        case "host":
            log.record("compact.before", actor="host")
        case "done":
            log.record("compact.after", summary="So far.")
        case "replayed":
            log.record("compact.after", summary="So far.", replayed=True)
        case "failed":
            log.record("compact.failed", error="no answer")
        case "note":
            log.record("note.add", content=f"{log.version}")
        case _:
            return decided(log, POLICY, error=TOO_LONG if what == "error" else None)
    return None


class TestLaws:
    @given(section_events)
    def test_h1_the_same_events_give_the_same_decisions(self, said: list[tuple[str, int]]) -> None:
        log, again = session(), session()
        told = [happen(log, *each) for each in said]
        assert told == [happen(again, *each) for each in said]
        assert standing_of(log) == standing_of(again)

    @given(section_events)
    def test_h1_a_host_is_asked_once_until_it_is_done_or_has_failed(
        self, said: list[tuple[str, int]]
    ) -> None:
        log, open_since = session(), None
        numbers: list[int] = []
        for what, count in said:
            told = happen(log, what, count)
            if what in ("done", "replayed", "failed"):
                open_since = None
            if told is None or told.verdict != "now":
                continue
            numbers.append(told.number)
            if told.trigger != "error":
                assert open_since is None or log.turn >= open_since + POLICY.patience
            open_since = log.turn
        assert numbers == [*range(1, len(numbers) + 1)]

    @given(st.lists(st.integers(0, 200_000), min_size=1, max_size=30))
    def test_h1_soon_is_taken_back_only_when_the_context_has_shrunk(self, used: list[int]) -> None:
        log, policy = session(), CompactionPolicy(now=None)
        told: list[str] = []
        for each in used:
            log.record("context.snapshot", used=each, limit=200_000)
            told.append(policy.decide(standing_of(log)).verdict)
        for (before, now), reading in zip(pairwise(told), used[1:], strict=True):
            if (before, now) == ("soon", "not"):
                assert reading < 0.68 * 200_000

    @given(st.lists(st.integers(-900, 900), max_size=12))
    def test_h1_nothing_flaps_at_an_edge(self, noise: list[int]) -> None:
        log = session()
        log.record("context.snapshot", used=140_000, limit=200_000)
        for each in noise:
            log.record("context.snapshot", used=140_000 + each, limit=200_000)
            assert POLICY.decide(standing_of(log)).verdict == "soon"

    def test_h1_a_level_is_held_however_many_readings_ago_it_was_reached(self) -> None:
        log = session()
        for used in (140_000, *[139_999] * 20):
            log.record("context.snapshot", used=used, limit=200_000)
        assert POLICY.decide(standing_of(log)).verdict == "soon"
        log.record("context.snapshot", used=135_000, limit=200_000)
        assert POLICY.decide(standing_of(log)).verdict == "not"

    def test_h1_the_levels_are_those_of_the_session_unless_the_policy_has_others(self) -> None:
        with HudStore.open(":memory:", thresholds=THRESHOLDS.at(yellow=30)) as store:
            log = store.session("s")
            log.record("context.snapshot", used=80_000, limit=200_000)
            assert decided(log, CompactionPolicy()).verdict == "soon"
            assert decided(log, CompactionPolicy(thresholds=THRESHOLDS)).verdict == "not"


class TestDecisions:
    def test_by_level_and_by_both_formulas(self) -> None:
        def at(used: int, window: ModelWindow | None = None) -> CompactionDecision:
            reading = UsageReading(used=used)
            standing = CompactionState(reading=reading, level=reached(reading).level)
            return POLICY.decide(standing, window)

        assert at(100_000).verdict == "not"
        assert (at(150_000).verdict, at(150_000).why) == ("soon", "the context is 75% full: yellow")
        assert (at(190_000).verdict, at(190_000).trigger) == ("now", "level")
        tight = ModelWindow(context=200_000, output=64_000)
        assert (at(136_000, tight).trigger, at(135_999, tight).verdict) == ("overflow", "not")
        assert at(136_000, tight).why == "136,000 tokens of 136,000 that the model can use"

    def test_f6_the_agent_asks_and_the_host_is_told_once(self) -> None:
        log = session()
        log.call("hud_compact", {"reason": "the login is done"})
        told = decided(log, POLICY)
        assert (told.verdict, told.trigger) == ("now", "agent")
        assert told.why == "the agent asks for it: the login is done"
        assert decided(log, POLICY).why == "a compaction is under way"
        log.record("compact.after", summary="The login.")
        assert decided(log, POLICY).verdict == "not"

    def test_h4_an_error_of_the_provider_asks_for_a_replay_once(self) -> None:
        log = session()
        told = decided(log, POLICY, error=TOO_LONG)
        assert (told.verdict, told.trigger, told.replay) == ("now", "error", True)
        assert TOO_LONG in told.why
        assert "Anthropic" in told.why
        log.record("compact.after", summary="So far.", replayed=True)
        again = decided(log, POLICY, error=TOO_LONG)
        assert (again.verdict, "by itself" in again.why) == ("not", True)
        log.record("note.add", content="An answer came.", turn=log.turn + 1)
        assert decided(log, POLICY, error=TOO_LONG).verdict == "now"

    def test_another_error_is_no_reason(self) -> None:
        assert POLICY.decide(CompactionState(), error="Connection error.").verdict == "not"

    def test_after_a_failure_it_waits(self) -> None:
        log = session()
        log.record("context.snapshot", used=195_000)
        assert decided(log, POLICY).verdict == "now"
        log.record("compact.failed", error="no model")
        assert decided(log, POLICY).why == "a compaction has failed a moment ago"
        assert decided(log, POLICY, error=TOO_LONG).verdict == "not"
        log.record("note.add", content="x", turn=log.turn + POLICY.pause)
        assert (decided(log, POLICY).verdict, decided(log, POLICY).verdict) == ("now", "not")

    def test_what_nothing_was_heard_of_is_asked_for_again(self) -> None:
        log = session()
        log.record("context.snapshot", used=195_000)
        assert decided(log, POLICY).number == 1
        log.record("note.add", content="x", turn=POLICY.patience)
        assert decided(log, POLICY).number == 2

    def test_h1_switched_off_the_agent_alone_can_ask(self) -> None:
        off = CompactionPolicy(auto=False)
        full = CompactionState(reading=UsageReading(used=199_999), level="critical")
        assert off.decide(full).why == "compaction is switched off"
        assert off.decide(full, error=TOO_LONG).verdict == "not"
        assert off.decide(CompactionState(wish="")).trigger == "agent"

    def test_h1_what_was_read_before_a_summary_does_not_count(self) -> None:
        log = session()
        log.record("context.snapshot", used=199_000)
        log.record("compact.after", summary="So far.")
        assert decided(log, POLICY).why == "no reading of the context holds"

    def test_what_a_host_begins_on_its_own_keeps_nobody_waiting(self) -> None:
        log = session()
        log.record("context.snapshot", used=195_000)
        log.record("compact.before", actor="host")
        assert decided(log, POLICY).verdict == "now"

    @given(st.integers(1, 3_000_000), st.integers(0, 900_000))
    def test_what_stays_is_a_quarter_within_bounds(self, context: int, output: int) -> None:
        window = ModelWindow(context=context, output=min(output, context - 1))
        assert 2_000 <= POLICY.kept(window) <= 15_000
        assert CompactionPolicy(keep=7).kept(window) == 7

    def test_of_many_that_ask_at_once_one_is_told(self, tmp_path: Any) -> None:
        told: list[str] = []
        with HudStore.open(tmp_path / "hud.db") as store:
            store.session("s").record("context.snapshot", used=199_000)

            def ask() -> None:
                told.append(decided(store.session("s"), POLICY).verdict)

            threads = [threading.Thread(target=ask) for _ in range(6)]
            for each in threads:
                each.start()
            for each in threads:
                each.join()
        assert sorted(told) == ["not"] * 5 + ["now"]

    def test_a_damaged_payload_is_passed_over(self) -> None:
        log = session()
        [event] = log.record_all([])[:1] or [log.record("compact.before", reason="x")]
        unread = event.model_copy(update={"payload": object()})
        assert CompactionState().after(unread).wish == ""


class TestRefusing:
    @looped("full", [0, 12.5, 49.99])
    def test_f6_below_half_it_is_refused(self, full: float) -> None:
        assert "from 50% on" in str(POLICY.refuses(full))

    @looped("full", [None, 50, 99, 140])
    def test_f6_from_half_on_it_is_not(self, full: float | None) -> None:
        assert POLICY.refuses(full) is None


class TestPolicy:
    """A policy that would fail in the middle of a session is refused when it is made."""

    @looped(
        ("given", "told"),
        [
            ({"now": "blue"}, "now is a level, or None for never"),
            ({"soon": "crit"}, 'did you mean "critical"'),
            ({"least": float("nan")}, "least is a number"),
            ({"least": 101}, "100 at most"),
            ({"keep": -1}, "keep is a number, 0 or more"),
            ({"patience": True}, "patience is a number"),
            ({"pause": "soon"}, "pause is a number"),
            ({"append": "Be brief."}, "append has several texts"),
            ({"resets": "notes"}, "resets has several texts"),
            ({"prompt": 5}, "prompt is a text"),
            ({"auto": "no"}, "auto is true or false"),
        ],
    )
    def test_what_is_none_is_refused(self, given: Any, told: str) -> None:
        with pytest.raises(ValueError, match=told):
            CompactionPolicy(**given)

    def test_limits_hold(self) -> None:
        assert CompactionPolicy(now=None, soon=None, keep=0, reserved=0, least=0, patience=0)


class TestRefusals:
    def test_an_error_is_known_by_its_class(self) -> None:
        class ContextWindowExceededError(Exception):
            pass

        assert refusal_in(ContextWindowExceededError("refused")) is not None

    def test_words_on_rates_in_a_request_that_is_told_again_are_nobodys(self) -> None:
        request = "We get too many requests: add a rate limit. " * 20
        error = f"{TOO_LONG}; {' ' * 10}the request was {'x' * 300} {request}"
        assert refusal_in(error) is not None
        assert refusal_in(f"Rate limit reached. {TOO_LONG}") is None
        assert (
            refusal_in(f"RateLimitError: {'x' * 400} please reduce the length of the messages")
            is None
        )
