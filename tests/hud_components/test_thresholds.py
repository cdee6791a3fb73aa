"""C5: one table of thresholds, checked, and whatever goes by the level takes the one that is given."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import (
    BUDGETS,
    ContextBar,
    ContextUsage,
    Hud,
    HudState,
    StatusLine,
    Tally,
    WarningBanner,
    When,
    as_shown,
    parse,
    room_for,
)
from hud_components.layout import budget_for
from hud_components.levels import LARGE_WINDOWS, THRESHOLDS, Level, Threshold, Thresholds, reached
from hud_runtime import HudStore
from hud_runtime.integrations.claude_code import ClaudeCode
from tests.ids import looped
from ujsx import Density, DensityError, PropError, RenderContext, UjsxError, render
from ujsx.elements import Paragraph

LEVELS: tuple[Level, ...] = ("green", "yellow", "red", "critical")
EARLY = THRESHOLDS.at(yellow=30, red=50, critical=60)
TWO = Thresholds([THRESHOLDS[0], Threshold("red", Density.COMPACT, 50)])


@st.composite
def tables(draw: st.DrawFn) -> Thresholds:
    """Any table: some of the levels, at any percentages, with tokens that are left or without."""
    levels = ("green", *draw(st.lists(st.sampled_from(LEVELS[1:]), unique=True)))
    edges = sorted(draw(st.sets(st.integers(1, 99), min_size=len(levels), max_size=len(levels))))
    left = sorted(
        draw(st.lists(st.integers(1_000, 400_000), min_size=len(levels), max_size=len(levels))),
        reverse=True,
    )
    has_left = draw(st.booleans())
    return Thresholds(
        Threshold(
            level,
            draw(st.sampled_from(list(Density))),
            edge if number else 0,
            remaining if number and has_left else None,
            margin=draw(st.integers(0, 5)),
        )
        for number, (level, edge, remaining) in enumerate(
            zip(sorted(levels, key=LEVELS.index), edges, left, strict=True)
        )
    )


usages = st.builds(
    ContextUsage,
    used=st.integers(0, 1_100_000),
    limit=st.sampled_from([32_000, 200_000, 1_000_000]),
    trend=st.sampled_from([None, "stable", "growing"]),
)


class TestTable:
    @looped(
        ("make", "told"),
        [
            (lambda: Thresholds([]), "there is none"),
            (lambda: Thresholds([("green", 0)]), "is not a Threshold; write"),  # type: ignore[list-item]
            (lambda: Thresholds([replace(THRESHOLDS[0], percentage=5)]), "begin at 0 % without"),
            (lambda: Thresholds([replace(THRESHOLDS[0], remaining=5)]), "without remaining"),
            (lambda: Thresholds([replace(THRESHOLDS[0], level="gren")]), 'did you mean "green"'),  # type: ignore[arg-type]
            (lambda: Thresholds([THRESHOLDS[0], THRESHOLDS[0]]), "the order is green, yellow"),
            (lambda: Thresholds([THRESHOLDS[0], THRESHOLDS[2], THRESHOLDS[1]]), "comes after"),
            (lambda: THRESHOLDS.at(red=70), "each begins higher than the one before"),
            (lambda: THRESHOLDS.at(red=85, critical=101), "a percentage from 0 to 100"),
            (lambda: THRESHOLDS.at(red=float("nan")), "a percentage from 0 to 100"),
            (lambda: THRESHOLDS.at(high=85), "no row has the level"),
            (lambda: Thresholds([THRESHOLDS[0], replace(THRESHOLDS[1], margin=-1)]), "margin"),
            (lambda: Thresholds([THRESHOLDS[0], replace(THRESHOLDS[1], remaining=-1)]), "tokens"),
            (
                lambda: Thresholds(replace(each, remaining=n or None) for n, each in enumerate(THRESHOLDS)),
                "the higher the level, the fewer are left",
            ),
        ],
    )  # fmt: skip
    def test_c5_a_table_that_is_none_is_refused(self, make: Any, told: str) -> None:
        with pytest.raises(PropError, match=told):
            make()

    def test_c5_a_density_may_be_given_by_name(self) -> None:
        assert Threshold("red", "minimal", 85) == Threshold("red", Density.MINIMAL, 85)
        with pytest.raises(DensityError, match='did you mean "full"'):
            Threshold("green", "ful", 0)  # type: ignore[arg-type]
        with pytest.raises(PropError, match=r"write Density\.COMPACT"):
            Thresholds([Threshold("green", 3, 0)])  # type: ignore[arg-type]

    def test_c5_a_table_is_a_value(self) -> None:
        assert THRESHOLDS.at() == THRESHOLDS
        assert Thresholds(EARLY) is EARLY
        assert pickle.loads(pickle.dumps(LARGE_WINDOWS)) == LARGE_WINDOWS
        assert hash(THRESHOLDS.at(red=80)) == hash(THRESHOLDS.at(red=80))

    @looped("limit", [8_000, 128_000, 200_000, 272_000, 500_000])
    def test_c5_large_windows_are_as_all_others_up_to_half_a_million(self, limit: int) -> None:
        for percentage in range(111):
            usage = ContextUsage(used=percentage * limit // 100, limit=limit)
            assert reached(usage, LARGE_WINDOWS) == replace(
                reached(usage), remaining=reached(usage, LARGE_WINDOWS).remaining
            )

    @given(tables(), usages, usages)
    def test_c5_more_that_is_used_is_no_lower_level(
        self, table: Thresholds, one: ContextUsage, other: ContextUsage
    ) -> None:
        less, more = sorted([one.used, other.used])
        levels = [
            LEVELS.index(reached(ContextUsage(used=each, limit=one.limit), table).level)
            for each in (less, more)
        ]
        assert levels == sorted(levels)

    @given(tables(), usages, st.sampled_from(LEVELS))
    def test_c5_what_was_reached_is_never_easier_to_leave(
        self, table: Thresholds, usage: ContextUsage, level: Level
    ) -> None:
        plain = LEVELS.index(reached(usage, table).level)
        held = LEVELS.index(reached(usage, table.after(level)).level)
        assert plain <= held <= max(plain, LEVELS.index(level))

    @given(tables(), st.sampled_from([200_000, 1_000_000]), st.floats(0, 1, exclude_max=True))
    def test_c5_what_was_reached_is_left_its_margin_below_whatever_the_edge_is_said_in(
        self, table: Thresholds, limit: int, part: float
    ) -> None:
        for row in table[1:]:
            edge = math.ceil(row.edge(limit) * limit / 100)
            below = math.ceil(edge - part * row.margin * limit / 100)
            usage = ContextUsage(used=max(below, 0), limit=limit)
            held = reached(usage, table.after(row.level, limit)).level
            assert LEVELS.index(held) >= LEVELS.index(row.level)


class TestSections:
    @given(usages, st.none() | tables(), st.sampled_from(list(Density)))
    def test_c5_what_is_shown_is_read_back_with_any_table(
        self, usage: ContextUsage, table: Thresholds | None, density: Density
    ) -> None:
        context = RenderContext() if table is None else RenderContext().with_value(table)
        for section in (
            ContextBar(usage=usage),
            ContextBar(usage=usage, step=1),
            WarningBanner(usage=usage),
            StatusLine(tally=Tally(about="task", task="Add a login", usage=usage)),
        ):
            hud = Hud()[section]
            text = render(hud, density=density, context=context)
            if text not in ("", "# HUD\n"):
                shown = as_shown(hud, density=density, context=context)
                assert parse(text, context=context).children == shown.children
                assert render(shown, density=density, context=context) == text

    @looped("table", [THRESHOLDS, EARLY, TWO, LARGE_WINDOWS])
    @looped("used", range(0, 1_050_000, 70_000))
    def test_c5_there_is_one_line_about_the_context_whatever_the_table(
        self, table: Thresholds, used: int
    ) -> None:
        state = HudState(usage=ContextUsage(used=used, limit=1_000_000))
        context = RenderContext().with_value(table)
        of_state = render(Hud.of(state, thresholds=table), context=context)
        by_itself = render(Hud(), context=context.with_value(state))
        for text in (of_state, by_itself):
            assert text.count("% ") == 1, text
            is_warned = reached(state.usage or ContextUsage(used=0), table).level in (
                "red",
                "critical",
            )
            assert ("⚠" in text or "> " in text) is is_warned

    def test_c5_conditions_go_by_the_table(self) -> None:
        tree = When(level="red")[Paragraph()["near"]]
        context = RenderContext().with_value(HudState(usage=ContextUsage(used=110_000)))
        assert render(tree, context=context) == ""
        assert render(tree, context=context.with_value(EARLY)) == "near\n"


class TestRoom:
    def test_c5_densities_and_budgets_go_by_the_table(self) -> None:
        usage = ContextUsage(used=110_000)
        assert room_for(usage).density is Density.FULL
        assert room_for(usage, thresholds=EARLY).density is Density.MINIMAL
        assert budget_for(55, thresholds=EARLY) == BUDGETS[Density.MINIMAL].most
        assert room_for(usage, thresholds=EARLY) == room_for(usage, "minimal")


class TestConfigured:
    NOTES = tuple(f"Port {8080 + number} is taken by a worker of the queue" for number in range(9))

    def hud(self, **options: Any) -> str:
        with HudStore.open(":memory:", clock=lambda: 0) as store:
            session = store.session("s")
            session.record("context.snapshot", used=110_000)
            return session.hud(**options).text

    def test_c5_a_store_a_session_and_a_layout_have_tables(self) -> None:
        with HudStore.open(":memory:", clock=lambda: 0, thresholds=EARLY) as store:
            early, usual = store.session("a"), store.session("b", thresholds=THRESHOLDS)
            for session in (early, usual):
                session.record("task.set", description="Add a login")
                session.record("context.snapshot", used=110_000)
            assert early.thresholds == EARLY
            assert early.hud().text == "**Task:** Add a login\n\n⚠ 55% used: compaction is near\n"
            assert "🟢 Context: 55% used" in usual.hud().text
            assert usual.hud(thresholds=EARLY).text == early.hud().text
            assert early.hud(thresholds=THRESHOLDS).text == usual.hud().text
            assert usual.deliver(thresholds=EARLY).text == early.deliver().text
            levels = [each.context().level for each in (early, usual)]  # type: ignore[union-attr]
            assert levels == ["red", "green"]

    def test_c5_answers_and_the_terminals_line_go_by_the_table(self) -> None:
        with HudStore.open(":memory:", clock=lambda: 0, thresholds=EARLY) as store:
            session = store.session("s")
            session.record("context.snapshot", used=110_000)
            answer = session.call("hud", {"op": "notes.add", "content": "Port 8080"})
            assert answer.text.endswith("1 note · 🟠 55%")
            claude = ClaudeCode(lambda: store)
            assert "🟠 55%" in claude.status(b'{"session_id": "s"}').text

    def test_c5_a_layout_of_ones_own_goes_by_the_table(self) -> None:
        layout = Hud()[When(level="red")[Paragraph()["Be brief."]], ContextBar(step=5)]
        assert "Be brief." in self.hud(layout=layout, thresholds=EARLY, density="full")
        assert "🟠 Context: 55% of" in self.hud(layout=layout, thresholds=EARLY, density="full")
        assert "Be brief." not in self.hud(layout=layout, density="full")

    def test_c5_a_session_that_is_open_takes_another_table(self) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            assert store.session("s", thresholds=EARLY) is session
            assert session.thresholds == EARLY
            assert store.session("s").thresholds == EARLY

    def test_c5_a_table_that_is_none_opens_nothing(self, tmp_path: Any) -> None:
        path = tmp_path / "hud.db"
        with pytest.raises(UjsxError, match="thresholds"):
            HudStore.open(path, thresholds=[])
        assert not path.exists()

    def test_c5_deliveries_and_what_they_cost_go_by_the_table(self) -> None:
        with HudStore.open(":memory:", thresholds=EARLY) as store:
            session = store.session("s")
            for turn, note in enumerate(self.NOTES, 1):
                session.record("note.add", content=note, turn=turn)
                session.record("context.snapshot", used=20_000 + 11_000 * turn)
            session.delivered(session.deliver().id)
            early = session.cost()
            store.session("s", thresholds=THRESHOLDS)
            assert sum(each.tokens for each in early.turns) < sum(
                each.tokens for each in session.cost().turns
            )

    def test_c5_what_is_told_does_not_flap_at_an_edge(self) -> None:
        with HudStore.open(":memory:") as store:
            session = store.session("s")
            session.record("note.add", content="Port 8080")
            session.record("context.snapshot", used=141_000)
            session.delivered(session.deliver().id)
            for used in (139_000, 141_500, 137_000, 140_500):
                session.record("context.snapshot", used=used)
                assert session.deliver().parts == ()
            session.record("context.snapshot", used=135_000)
            assert session.deliver().parts
