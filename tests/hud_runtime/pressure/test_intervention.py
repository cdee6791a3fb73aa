"""L2, L3: the agent is told of its context once for each rise, whoever asks, and nobody tells it twice."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hud_components import ContextUsage, is_above
from hud_components.layout import PressureNotice
from hud_components.levels import Level, Thresholds, reached
from hud_runtime import HudSession, HudStore
from hud_runtime.log.pressure import pressure_projection
from tests.hud_runtime.pressure.test_pressure import EARLY, LIMIT, THRESHOLDS, shares
from tests.ids import looped
from ujsx import RenderContext, mdast, render
from ujsx.testing import assert_inert

AT_RED = Thresholds(replace(each, intervenes=each.level == "red") for each in THRESHOLDS)
AT_BOTH = Thresholds(replace(each, intervenes=each.percentage >= 85) for each in THRESHOLDS)
NEVER = Thresholds(replace(each, intervenes=False) for each in THRESHOLDS)


@pytest.fixture
def store() -> Iterator[HudStore]:
    with HudStore.open(":memory:", clock=lambda: 0) as opened:
        yield opened


def read(session: HudSession, percentage: float) -> None:
    session.record("context.snapshot", used=round(LIMIT * percentage / 100))


def told(session: HudSession, *percentages: float) -> list[int]:
    """After which of the readings the agent was told."""
    found: list[int] = []
    for place, each in enumerate(percentages):
        read(session, each)
        if session.intervention() is not None:
            found.append(place)
    return found


def _take_back(session: HudSession) -> None:
    with session.exclusive():
        assert session.intervention() is not None
        raise RuntimeError


class TestNotice:
    def test_l2_notice_tells_the_share_and_three_actions(self) -> None:
        text = render(PressureNotice(usage=ContextUsage(used=174_000)))
        first, _, about, _, *actions = text.splitlines()
        assert first == "[Memory Pressure: 87% (high) - 174,000/200,000 tokens]"
        assert about.endswith(":")
        assert [each.rpartition(": ")[2] for each in actions] == [
            *("`hud_compact`", "`hud`", "`hud section.fold`")
        ]

    @looped(
        ("used", "word"), [(10_000, "safe"), (140_000, "moderate"), (170_000, "high"), (190_000, "critical")]
    )  # fmt: skip
    def test_l2_notice_has_the_words_of_the_document(self, used: int, word: str) -> None:
        assert f"% ({word}) - " in render(PressureNotice(usage=ContextUsage(used=used)))

    def test_l2_notice_informs_and_commands_nothing(self) -> None:
        words = render(PressureNotice(usage=ContextUsage(used=190_000))).lower().split()
        assert not {"must", "should", "please", "immediately", "now", "!"} & set(words)

    def test_l2_notice_is_text_whatever_replaces_its_words(self) -> None:
        texts = {"pressure.notice": "# {percent}% <b>\n- [x](y)", "pressure.compact": "1. `a`"}
        node, context = PressureNotice(usage=ContextUsage(used=190_000)), RenderContext(texts=texts)
        root = mdast.from_markdown(render(node, context=context))
        assert [type(each).__name__ for each in root.children] == ["Paragraph", "Paragraph", "List"]
        assert_inert(node)

    def test_l2_notice_and_the_banner_are_never_one_text(self, store: HudStore) -> None:
        session = store.session("s")
        read(session, 93)
        made = session.deliver(intervene=True)
        assert [each.kind for each in made.parts] == ["whole", "notice"]
        assert "Memory Pressure" not in session.hud().text
        assert made.text.count("Memory Pressure") == 1

    def test_l2_actions_are_calls_that_there_are(self, store: HudStore) -> None:
        session = store.session("s")
        calls = re.findall("`(hud[^`]*)`", render(PressureNotice(usage=ContextUsage(used=190_000))))
        assert len(calls) == 3
        for call in calls:
            tool, _, operation = call.partition(" ")
            asked = {"op": "help", "operation": operation} if operation else {"op": "help"}
            assert tool in ("hud", "hud_compact")
            assert not session.call("hud", asked).is_error


class TestOnce:
    def test_l3_intervention_comes_once_for_each_rise(self, store: HudStore) -> None:
        session = store.session("s")
        assert told(session, 50, 93, 93, 91, 94, 90.5) == [1]
        assert told(session, 89, 93, 95) == [1]
        session.record("compact.after", summary="Done.")
        assert told(session, 20, 93) == [1]
        levels = [
            each.payload.model_dump()["level"]
            for each in session.events(types=("context.intervention",))
        ]
        assert levels == ["critical"] * 3

    def test_l3_intervention_is_data_and_counted(self, store: HudStore) -> None:
        session = store.session("s")
        read(session, 90)
        read(session, 93.5)
        made = session.intervention()
        assert made is not None
        assert (made.level, made.number, made.used, made.limit) == ("critical", 1, 187_000, LIMIT)
        assert (made.trend, round(made.percentage, 1)) == ("growing", 93.5)
        assert made.text.startswith("[Memory Pressure: 93% (critical) - 187,000/200,000 tokens]\n")
        read(session, 20)
        read(session, 99)
        again = session.intervention()
        assert again is not None
        assert again.number == 2

    def test_l3_intervention_is_looked_at_without_being_taken(self, store: HudStore) -> None:
        session = store.session("s")
        read(session, 93)
        seen = session.intervention(take=False)
        assert seen == session.intervention(take=False) == session.intervention()
        assert session.intervention(take=False) is None

    def test_l3_intervention_stands_where_the_table_says(self, store: HudStore) -> None:
        def of(table: Thresholds, *percentages: float) -> list[int]:
            return told(store.session(f"s{id(table)}", thresholds=table), *percentages)

        assert of(AT_RED, 84, 85, 93, 85, 80, 86) == [1, 5]
        assert of(AT_BOTH, 85, 93, 89, 86, 93, 82, 95) == [0, 1, 4, 6]
        assert of(NEVER, 85, 93, 100) == []
        assert of(EARLY, 50, 61, 59, 70) == [1]

    def test_l3_intervention_at_a_lower_level_is_not_said_again_on_the_way_down(
        self, store: HudStore
    ) -> None:
        assert told(store.session("s", thresholds=AT_BOTH), 95, 88, 86, 84) == [0]

    def test_l3_intervention_of_a_rise_between_two_requests_is_not_missed(
        self, store: HudStore
    ) -> None:
        session = store.session("s")
        read(session, 92.5)
        read(session, 91)
        assert session.intervention() is not None
        read(session, 92.5)
        read(session, 20)
        assert session.intervention() is None

    def test_l3_intervention_is_not_repeated_by_who_goes_on_later(self, tmp_path: Path) -> None:
        for number in range(3):
            with HudStore.open(tmp_path / "hud.db") as store:
                session = store.session("s")
                read(session, 95)
                assert (session.intervention() is None) is (number > 0)

    def test_l3_intervention_is_taken_by_one_of_many(self, tmp_path: Path) -> None:
        stores = [HudStore.open(tmp_path / "hud.db") for _ in range(4)]
        read(stores[0].session("s"), 95)
        found: list[object] = []
        start = threading.Barrier(len(stores))

        def ask(one: HudStore) -> None:
            session = one.session("s")
            start.wait()
            found.append(session.intervention())

        threads = [threading.Thread(target=ask, args=(each,)) for each in stores]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert len(found) == len(stores)
        assert sum(each is not None for each in found) == 1
        for one in stores:
            one.close()

    def test_l3_intervention_that_was_taken_back_is_due_again(self, store: HudStore) -> None:
        session = store.session("s")
        read(session, 95)
        with pytest.raises(RuntimeError):
            _take_back(session)
        assert session.intervention() is not None
        assert session.intervention() is None

    @given(
        st.lists(shares | st.just(-1), max_size=30), st.sampled_from([THRESHOLDS, AT_BOTH, EARLY])
    )
    def test_l3_intervention_law(self, percentages: list[int], thresholds: Thresholds) -> None:
        """One for each rise to a level that intervenes, at the reading that rises; -1 is a compaction."""
        with HudStore.open(":memory:", clock=lambda: 0, thresholds=thresholds) as store:
            session = store.session("s")
            level: Level = "green"
            heard: Level | None = None
            for each in percentages:
                if each < 0:
                    session.record("compact.after", summary="")
                    level, heard = "green", None
                else:
                    session.record("context.snapshot", used=each * LIMIT // 100)
                    usage = ContextUsage(used=each * LIMIT // 100)
                    level = reached(usage, thresholds.after(level)).level
                    if heard is not None and is_above(heard, level):
                        heard = level
                rows: list[Level] = [
                    row.level
                    for row in thresholds
                    if row.intervenes and not is_above(row.level, level)
                ]
                expected = (
                    rows[-1] if rows and (heard is None or is_above(rows[-1], heard)) else None
                )
                made = session.intervention()
                assert (None if made is None else made.level) == expected
                heard = expected or heard
            pressure = session.projected(pressure_projection(thresholds))
            assert pressure.interventions == len([*session.events(types=("context.intervention",))])


class TestDeliveries:
    def test_l3_intervention_goes_along_until_it_was_sent(self, store: HudStore) -> None:
        session = store.session("s")
        session.delivered(session.deliver(intervene=True).id)
        read(session, 93)
        first, second = session.deliver(intervene=True), session.deliver(intervene=True)
        assert [each.kind for each in first.parts] == ["delta", "notice"]
        assert first.parts == second.parts
        session.delivered(second.id)
        assert session.deliver(intervene=True).parts == ()
        assert [*session.events(types=("context.intervention",))]

    def test_l3_intervention_is_only_in_what_asks_for_it(self, store: HudStore) -> None:
        session = store.session("s")
        read(session, 93)
        assert [each.kind for each in session.deliver().parts] == ["whole"]
        assert session.intervention() is not None

    @pytest.mark.parametrize("mode", ["tail", "system"])
    def test_l3_intervention_of_one_request_is_recorded_too(
        self, store: HudStore, mode: str
    ) -> None:
        session = store.session("s")
        read(session, 93)
        made = session.deliver(mode=mode, has_cache_breakpoint=True, intervene=True)  # type: ignore[arg-type]
        assert made.parts[-1].kind == "notice"
        assert made.parts[-1].place == "tail"
        session.delivered(made.id)
        assert all(
            each.kind != "notice"
            for each in session.deliver(mode=mode, has_cache_breakpoint=True, intervene=True).parts  # type: ignore[arg-type]
        )

    def test_l3_intervention_is_in_a_retry_of_the_same_request(self, store: HudStore) -> None:
        session = store.session("s")
        read(session, 93)
        made = session.deliver(intervene=True)
        session.delivered(made.id)
        assert session.deliver(retry_of=made.id, intervene=True) == made

    def test_l3_intervention_that_stands_in_the_history_was_sent(self, store: HudStore) -> None:
        session = store.session("s")
        read(session, 93)
        texts = ["Go on.", session.deliver(intervene=True).text]
        assert session.deliver(intervene=True, texts=texts).parts == ()
        assert [*session.events(types=("context.intervention",))]

    def test_l3_intervention_stays_where_it_was_said(self, store: HudStore) -> None:
        """A host that stores none of our words says it again at the same place."""
        session = store.session("s")
        read(session, 93)
        made = session.deliver(intervene=True, texts=["Go on."], host_keeps_messages=False)
        session.delivered(made.id)
        later = session.deliver(
            intervene=True, texts=["Go on.", "Done."], host_keeps_messages=False
        )
        assert (later.replay, later.parts) == (made.parts, ())
        assert [each.behind for each in made.parts] == [1, 1]
