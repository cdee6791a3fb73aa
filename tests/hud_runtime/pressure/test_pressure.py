"""G1, L1: a level is held through what goes up and down at its edge, and the same events give the same level."""

from __future__ import annotations

import pickle
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import is_above
from hud_components.levels import LARGE_WINDOWS, THRESHOLDS, Level, Thresholds, reached
from hud_runtime import HudSession, HudStore
from hud_runtime.log.events import Event, read_event
from hud_runtime.log.pressure import Pressure, level_of, pressure_after, pressure_projection
from hud_runtime.log.projection import state_of

LIMIT = 200_000

EARLY = THRESHOLDS.at(yellow=30, red=50, critical=60)

tables = st.sampled_from([THRESHOLDS, EARLY, LARGE_WINDOWS, THRESHOLDS.at(critical=95)])
limits = st.sampled_from([LIMIT, 32_000, 1_000_000])
shares = st.integers(0, 110) | st.sampled_from([68, 69, 70, 83, 84, 85, 90, 91, 92, 93])


def event(number: int, kind: str, **payload: object) -> Event:
    return read_event(
        {"id": f"{number}", "session_id": "s", "version": number, "turn": number, "timestamp": 0,
         "actor": "host", "type": kind, "payload": payload}
    )  # fmt: skip


@st.composite
def stories(draw: st.DrawFn) -> list[Event]:
    """Readings of one model, with compactions, interventions and other events among them."""
    limit = draw(limits)
    kinds = st.sampled_from(["reading"] * 12 + ["compaction", "intervention", "note"])
    told: list[Event] = []
    for number, kind in enumerate(draw(st.lists(kinds, max_size=40)), 1):
        if kind == "reading":
            used = draw(shares) * limit // 100 + draw(st.integers(0, limit // 200))
            told.append(event(number, "context.snapshot", used=used, limit=limit))
        elif kind == "compaction":
            told.append(event(number, "compact.after", summary="Done."))
        elif kind == "intervention":
            told.append(
                event(number, "context.intervention", level="critical", used=1, limit=limit)
            )
        else:
            told.append(event(number, "note.add", content=f"{number}"))
    return told


def folded(events: list[Event], thresholds: Thresholds = THRESHOLDS) -> list[Pressure]:
    pressure = Pressure()
    found: list[Pressure] = []
    for each in events:
        pressure = pressure_after(pressure, each, thresholds)
        found.append(pressure)
    return found


def readings(*percentages: float, limit: int = LIMIT) -> list[Event]:
    return [
        event(number, "context.snapshot", used=round(limit * each / 100), limit=limit)
        for number, each in enumerate(percentages, 1)
    ]


def levels(*percentages: float, limit: int = LIMIT, by: Thresholds = THRESHOLDS) -> list[str]:
    return [str(each.level) for each in folded(readings(*percentages, limit=limit), by)]


class TestLevel:
    def test_l1_levels_are_reached_at_their_edges_and_left_a_margin_below(self) -> None:
        assert levels(69.9, 70, 68.1, 67.9) == ["green", "yellow", "yellow", "green"]
        assert levels(85, 83, 82.9, 84.9, 85) == ["red", "red", "yellow", "yellow", "red"]
        assert levels(92, 92.1, 90.1, 89.9) == ["red", "critical", "critical", "red"]
        assert levels(95, 10) == ["critical", "green"]

    def test_l1_levels_of_other_words_are_percentages(self) -> None:
        """004: safe, moderate, high and critical at 70, 85 and 95."""
        assert levels(69, 70, 85, 94.9, 95, by=THRESHOLDS.at(critical=95)) == [
            *("green", "yellow", "red", "red", "critical")
        ]

    def test_l1_of_large_windows_go_by_what_is_left_with_the_margin_there(self) -> None:
        size, by = 1_000_000, LARGE_WINDOWS
        assert levels(84.9, 85, 83.1, 82.9, limit=size, by=by) == [
            *("green", "yellow", "yellow", "green")
        ]
        assert levels(92.4, 92.5, 96, limit=size, by=by) == ["yellow", "red", "critical"]
        assert levels(70, 85, 92.1, by=by) == levels(70, 85, 92.1)

    @given(stories(), tables)
    def test_l1_the_level_is_the_readings_or_held_within_a_margin_of_it(
        self, events: list[Event], thresholds: Thresholds
    ) -> None:
        for each, pressure in zip(events, folded(events, thresholds), strict=True):
            if each.type != "context.snapshot" or pressure.usage is None:
                continue
            plain, held = reached(pressure.usage, thresholds).level, pressure.level
            assert held is not None
            assert not is_above(plain, held)
            if held != plain:
                assert reached(pressure.usage, thresholds.after(held)).level == held

    @given(st.sampled_from([70, 85, 92]), st.lists(st.floats(-1.99, 1.99), max_size=60))
    def test_l1_nothing_flaps_around_an_edge(self, edge: int, steps: list[float]) -> None:
        """Whatever readings do within a margin of an edge, the level changes there once at most."""
        found = levels(*(edge + each for each in steps))
        assert sum(one != other for one, other in pairwise(found)) <= 1
        pressures = folded(readings(*(edge + each for each in steps)))
        assert all(count == 1 for each in pressures[-1:] for count in each.rises.values())

    @given(st.lists(st.integers(0, 2 * LIMIT), max_size=30), tables)
    def test_l1_a_context_that_grows_never_falls_a_level(
        self, counts: list[int], thresholds: Thresholds
    ) -> None:
        events = readings(*(100 * each / LIMIT for each in sorted(counts)))
        found: list[Level | None] = [each.level for each in folded(events, thresholds)]
        assert not any(one and other and is_above(one, other) for one, other in pairwise(found))

    @given(stories(), stories(), tables)
    def test_l1_a_compaction_begins_anew(
        self, before: list[Event], after: list[Event], thresholds: Thresholds
    ) -> None:
        compaction = event(99, "compact.after", summary="")
        fresh, went_on = Pressure(), folded([*before, compaction], thresholds)[-1]
        assert (went_on.level, went_on.told, went_on.readings) == (None, None, ())
        for each in after:
            fresh = pressure_after(fresh, each, thresholds)
            went_on = pressure_after(went_on, each, thresholds)
            assert (went_on.level, went_on.told) == (fresh.level, fresh.told)
            assert went_on.due(thresholds) == fresh.due(thresholds)

    @given(stories(), tables)
    def test_l1_rises_are_counted(self, events: list[Event], thresholds: Thresholds) -> None:
        expected: dict[Level, int] = {}
        before: Level | None = None
        for pressure in folded(events, thresholds):
            for row in thresholds[1:]:
                below = before is None or is_above(row.level, before)
                if pressure.level and below and not is_above(row.level, pressure.level):
                    expected[row.level] = expected.get(row.level, 0) + 1
            before = pressure.level
            assert dict(pressure.rises) == expected


class TestTracker:
    @given(stories())
    def test_g1_usage_and_trend_are_those_of_the_state(self, events: list[Event]) -> None:
        state, pressure = state_of(events), folded([*events])[-1:] or [Pressure()]
        assert pressure[0].usage == state.usage
        assert pressure[0].readings == state.readings

    def test_g1_trend_is_read_off_the_last_five(self) -> None:
        trends = [each.trend for each in folded(readings(10, 10.5, 13, 20, 30, 30, 30, 30, 30))]
        assert trends[:5] == [None, "stable", "growing", "growing", "growing rapidly"]
        assert trends[-1] == "stable"

    def test_g1_parts_of_a_reading_stay_apart(self) -> None:
        said = {"used": 10, "limit": 20, "input": 1, "cache_read": 5, "cache_write": 2, "output": 2}
        [pressure] = folded([event(1, "context.snapshot", model="m", **said)])
        assert pressure.reading is not None
        assert pressure.reading.model_dump() == {**said, "model": "m"}

    @given(stories(), tables)
    def test_g1_the_same_events_give_the_same_decisions(
        self, events: list[Event], thresholds: Thresholds
    ) -> None:
        whole = folded(events, thresholds)
        assert whole == folded(events, thresholds)
        middle = len(events) // 2
        pressure = pickle.loads(pickle.dumps(whole[middle - 1])) if middle else Pressure()
        for each in events[middle:]:
            pressure = pressure_after(pressure, each, thresholds)
        assert pressure == (whole[-1] if whole else Pressure())


class TestSession:
    @given(st.lists(shares, min_size=1, max_size=25), tables)
    def test_g1_the_level_is_the_folds_however_little_of_the_log_is_read(
        self, percentages: list[int], thresholds: Thresholds
    ) -> None:
        with HudStore.open(":memory:", clock=lambda: 0, thresholds=thresholds) as store:
            session = store.session("s")
            for each in percentages:
                session.record("context.snapshot", used=each * LIMIT // 100)
                tracked = session.projected(pressure_projection(thresholds))
                figures = session.context()
                assert figures is not None
                assert level_of(session) == figures.level == tracked.level

    def test_g1_the_figures_tell_usage_level_trend_and_what_to_do_next(self) -> None:
        with HudStore.open(":memory:", clock=lambda: 0) as store:
            session = store.session("s")
            for used in (150_000, 172_000, 169_000):
                session.record("context.snapshot", used=used)
            figures = session.context()
            assert figures is not None
            assert (figures.used, figures.level, figures.trend) == (
                169_000,
                "red",
                "growing rapidly",
            )
            assert figures.next.startswith("compaction is near")
            answer = session.call("hud", {"op": "context"})
            first, *_, last, _ = answer.text.splitlines()
            assert first.endswith("84.50%: red; 31,000 left, growing rapidly")
            assert last.startswith("- compaction is near")
            assert last.endswith("`hud_compact`")
            assert (answer.data["level"], answer.data["next"]) == ("red", figures.next)

    def test_g1_two_who_read_a_session_agree(self, tmp_path: Path) -> None:
        path = tmp_path / "hud.db"
        with HudStore.open(path) as one, HudStore.open(path) as other:
            mine, theirs = one.session("s"), other.session("s")
            mine.record("context.snapshot", used=171_000)
            assert _level(theirs) == "red"
            theirs.record("context.snapshot", used=168_000)
            assert _level(mine) == _level(theirs) == "red"
            with pytest.raises(RuntimeError):
                _take_back(mine)
            assert _level(mine) == _level(theirs) == "red"


def _take_back(session: HudSession) -> None:
    with session.exclusive():
        session.record("context.snapshot", used=20_000)
        session.record("context.snapshot", used=168_000)
        assert _level(session) == "yellow"
        raise RuntimeError


def _level(session: HudSession) -> str | None:
    figures = session.context()
    return None if figures is None else figures.level
