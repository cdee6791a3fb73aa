"""Both policies for a session: what is cut was kept first, and what was shown is shown again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from hud_components.levels import THRESHOLDS
from hud_runtime import HudSession, HudStore, PruningError, StoreError, StoreFullError
from hud_runtime.context.pruning import (
    Detector,
    OldOutputs,
    Pruning,
    SmartPruning,
    ToolOutput,
    output_id,
)
from tests.ids import looped


@pytest.fixture
def session() -> Iterator[HudSession]:
    with HudStore.open(":memory:", clock=lambda: 0) as store:
        yield store.session("s")


def listing(count: int = 400, folder: str = "src") -> ToolOutput:
    text = "".join(f"{folder}/module_{number}.py\n" for number in range(count))
    return ToolOutput(text=text, tool="Glob", id=folder)


def test_the_whole_comes_back_byte_for_byte(session: HudSession) -> None:
    output = ToolOutput(text="\ud800a\r\n\x00" + "b/c.py\r\n" * 300 + "ü\u2028", tool="LS")
    text = Pruning().new(session, output)
    assert text != output.text
    kept = session.output(output_id(output.text))
    assert kept is not None
    assert kept.text == output.text
    assert (kept.tool, kept.mode, kept.characters) == ("LS", "normal", len(output.text))


def test_the_level_is_the_sessions(session: HudSession) -> None:
    session.record("context.snapshot", used=190_000, limit=200_000)
    assert len(Pruning().new(session, listing()).splitlines()) == 21


def test_what_was_shown_is_shown_again_whatever_the_level_is_now(session: HudSession) -> None:
    history = [listing(folder="a")]
    first = Pruning().all_of(session, history, new=0)
    session.record("context.snapshot", used=190_000, limit=200_000)
    history.append(listing(folder="b"))
    again = Pruning().all_of(session, history, new=1)
    assert again[:1] == first
    assert len(again[1].splitlines()) == 21


def test_what_was_shown_whole_stays_whole(session: HudSession) -> None:
    history = [listing(60, "a")]
    assert Pruning().all_of(session, history, new=0) == (history[0].text,)
    session.record("context.snapshot", used=190_000, limit=200_000)
    history.append(listing(60, "b"))
    again = Pruning().all_of(session, history, new=1)
    assert again[0] == history[0].text
    assert again[1] != history[1].text


def test_another_process_shows_the_same(session: HudSession) -> None:
    history = [listing(folder="a"), listing(folder="b")]
    first = Pruning().all_of(session, history, new=0)
    assert Pruning().all_of(session, history, new=2) == first


def test_an_output_that_went_stays_gone(session: HudSession) -> None:
    old = OldOutputs(protect=100, minimum=100, turns=0)
    policy = Pruning(smart=None, old=old)
    history = [ToolOutput(text=f"{n} " * 2_000, tool="Bash", id=f"{n}") for n in range(3)]
    first = policy.all_of(session, history, new=2)
    assert [each.startswith("…") for each in first] == [True, True, False]
    assert policy.all_of(session, history, new=3) == first


class Full:
    """A session whose disk is full."""

    def __init__(self, session: HudSession) -> None:
        self.known = session.known
        self.outputs = session.outputs
        self.thresholds = session.thresholds
        self.projected = session.projected

    def keep_output(self, name: str, text: str, *, tool: str = "", mode: str = "normal") -> None:
        raise StoreFullError("the disk is full")


def test_what_cannot_be_kept_is_not_pruned(session: HudSession) -> None:
    with pytest.raises(StoreError):
        Pruning().new(Full(session), listing())
    short = ToolOutput(text="all is well", tool="Bash")
    assert Pruning().new(Full(session), short) == "all is well"


def test_two_outputs_of_one_id_are_told_apart(session: HudSession) -> None:
    session.keep_output("o-1", "one")
    with pytest.raises(StoreError, match="another output o-1"):
        session.keep_output("o-1", "two")
    found = session.output("o-1")
    assert found is not None
    assert found.text == "one"


class TestLevels:
    """What is cut goes by the level that the session holds, and by its own table."""

    def test_the_sessions_thresholds_decide(self) -> None:
        early = THRESHOLDS.at(yellow=10, red=20, critical=30)
        with HudStore.open(":memory:", clock=lambda: 0, thresholds=early) as store:
            session = store.session("s")
            session.record("context.snapshot", used=80_000, limit=200_000)
            _ = Pruning().new(session, listing())
            assert session.context().level == "critical"
            assert [each.mode for each in session.outputs()] == ["hyper"]

    def test_thresholds_of_its_own_win(self, session: HudSession) -> None:
        session.record("context.snapshot", used=80_000, limit=200_000)
        smart = SmartPruning(thresholds=THRESHOLDS.at(yellow=10, red=20, critical=30))
        _ = Pruning(smart=smart).new(session, listing())
        assert [each.mode for each in session.outputs()] == ["hyper"]

    def test_a_level_that_is_held_counts(self, session: HudSession) -> None:
        for used in (186_000, 183_000):
            session.record("context.snapshot", used=used, limit=200_000)
        _ = Pruning().new(session, listing())
        assert session.context().level == "critical"
        assert [each.mode for each in session.outputs()] == ["hyper"]

    def test_without_a_reading_it_is_the_mildest(self, session: HudSession) -> None:
        _ = Pruning().new(session, listing())
        assert [each.mode for each in session.outputs()] == ["normal"]


class TestProtected:
    @pytest.mark.parametrize(
        "tool", ["hud", "ujsx_hud", "mcp__ujsx__hud_read", "Skill", "my_skill"]
    )
    def test_answers_of_the_hud_stay_whoever_offers_it(
        self, session: HudSession, tool: str
    ) -> None:
        output = replace(listing(), tool=tool)
        assert Pruning().new(session, output) == output.text
        old = OldOutputs(protect=0, minimum=0, turns=0)
        assert old.gone([output, output]) == ()

    def test_names_are_as_hosts_write_them(self) -> None:
        named = frozenset({"Glob"})
        assert SmartPruning(never=named).prune(listing()) is None
        assert OldOutputs(never=named, protect=0, minimum=0, turns=0).gone([listing()] * 2) == ()

    @looped("names", ["skill", [5], [""]])
    @looped("policy", [SmartPruning, OldOutputs])
    def test_what_is_no_list_of_names_is_refused(self, policy: Any, names: Any) -> None:
        with pytest.raises(PruningError, match="list of the names of tools"):
            policy(never=names)

    @looped("figures", [{"protect": -1}, {"minimum": 1.5}, {"turns": "2"}])
    def test_figures_that_are_none_are_refused(self, figures: Any) -> None:
        with pytest.raises(PruningError, match="integer of 0 or more"):
            OldOutputs(**figures)


@looped(
    "given",
    [{"line": "job"}, {"dull": b"job"}, {"keys": re.compile(b"job")}, {"tools": "bash"}],
)
def test_a_detector_that_would_fail_later_is_refused(given: Any) -> None:
    with pytest.raises(PruningError, match="detector 'queue'"):
        Detector("queue", **given)
